"""Quick fixes: what can be done about a finding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lsprotocol import types

from gblint.editors.server.diagnostics import Maker
from gblint.editors.server.documents import Document
from gblint.findings import Edit, Finding, Fix
from gblint.fix.edits import edits_between
from gblint.fix.noqa import with_comments

FIX_ALL = "source.fixAll.gblint"
EXPLAIN = "gblint.explain"


def wanted(kind: str, only: Iterable[str] | None) -> bool:
    """Whether actions of ``kind`` were asked for: ``source`` stands for ``source.fixAll``."""
    return only is None or any(kind == each or kind.startswith(f"{each}.") for each in only)


def overlaps(finding: Finding, asked: types.Range, document: Document, maker: Maker) -> bool:
    """Whether a finding lies in what is asked about."""
    place = maker.encoding.range(finding.span, document.lines)
    first, last = (place.start.line, place.start.character), (place.end.line, place.end.character)
    return first <= (asked.end.line, asked.end.character) and (asked.start.line, asked.start.character) <= last


def quick_fixes(
    finding: Finding, document: Document, maker: Maker, versions: bool
) -> Iterator[types.CodeAction | types.Command]:
    """What can be done about one finding: its fixes, the best first; a comment that silences it; its page."""
    diagnostic = maker.finding(finding, maker.reader())
    preferred = True
    for fix in finding.fixes:
        if not fix.edits:
            continue
        yield types.CodeAction(
            _title(finding, fix),
            types.CodeActionKind.QuickFix,
            [diagnostic],
            is_preferred=True if preferred and fix.applicability == "safe" else None,
            edit=edit(fix.edits, document, maker, versions),
        )
        preferred = False
    comment = with_comments(document.text, [(finding.code, finding.span.line, finding.span.end_line)])
    if comment is not None and comment != document.text:
        yield types.CodeAction(
            f"gblint: silence {finding.code} on this line (# noqa)",
            types.CodeActionKind.QuickFix,
            [diagnostic],
            edit=edit(edits_between(str(document.path), document.text, comment), document, maker, versions),
        )
    yield types.CodeAction(
        f"gblint: explain {finding.code} ({finding.rule})",
        types.CodeActionKind.QuickFix,
        [diagnostic],
        command=types.Command(f"Explain {finding.code}", EXPLAIN, arguments=[finding.code]),
    )


def fix_all(new: str, document: Document, maker: Maker, versions: bool) -> types.CodeAction:
    """All safe fixes of a document at once, which make it ``new``."""
    edits = edits_between(str(document.path), document.text, new)
    changes = edit(edits, document, maker, versions)
    return types.CodeAction("gblint: make all safe fixes", FIX_ALL, edit=changes)


def _title(finding: Finding, fix: Fix) -> str:
    warning = {"unsafe": " (unsafe: may change results)", "display": " (a draft: read it)"}.get(fix.applicability, "")
    return f"gblint {finding.code}: {fix.title}{warning}"


def edit(edits: Iterable[Edit], document: Document, maker: Maker, versions: bool) -> types.WorkspaceEdit:
    """Edits of one document for the client."""
    changes = [types.TextEdit(maker.encoding.range(each.span, document.lines), each.content) for each in edits]
    if not versions:
        return types.WorkspaceEdit({document.uri: changes})
    about = types.OptionalVersionedTextDocumentIdentifier(uri=document.uri, version=document.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(about, list(changes))])
