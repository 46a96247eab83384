"""Code actions: the quick fixes of a finding, and all safe fixes of a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lsprotocol import types

from gblint.diagnostics.finding import Finding
from gblint.diagnostics.fix import Edit, Fix
from gblint.editors.server.diagnostics import DiagnosticFactory
from gblint.editors.server.documents import Document
from gblint.editors.server.notebooks import NotebookDocument
from gblint.fix.edits import edits_between
from gblint.fix.noqa import insert_noqa_comments
from gblint.report.finding_notes import FindingNotes

FIX_ALL = "source.fixAll.gblint"
FIX_NOTEBOOK = f"notebook.{FIX_ALL}"
EXPLAIN = "gblint.explain"
MAX_TITLE = 60
"""Characters of the title of a quick fix."""
_CLAUSES = (": ", ", ", "; ", " with `", " with a `", " as a `", " to a `", " where ")


def wanted(kind: str, only: Iterable[str] | None) -> bool:
    """Return whether the client requests actions of ``kind``; ``source`` includes ``source.fixAll``."""
    return only is None or any(kind == each or kind.startswith(f"{each}.") for each in only)


def overlaps(finding: Finding, asked: types.Range, document: Document, maker: DiagnosticFactory) -> bool:
    """Return whether a finding overlaps the range of the request."""
    place = maker.encoding.range(finding.span, document.lines)
    first, last = (place.start.line, place.start.character), (place.end.line, place.end.character)
    return first <= (asked.end.line, asked.end.character) and (asked.start.line, asked.start.character) <= last


def quick_fixes(
    finding: Finding, notes: FindingNotes, document: Document, maker: DiagnosticFactory, versions: bool
) -> Iterator[types.CodeAction | types.Command]:
    """Yield the actions for a finding: its fixes, the best first; a noqa comment; the page of its rule."""
    diagnostic = maker.finding(finding, notes, maker.reader())
    preferred = True
    for fix in finding.fixes:
        changes = edit(fix.edits, document, maker, versions) if fix.edits else None
        if changes is None:
            continue
        yield types.CodeAction(
            _title(finding, fix),
            types.CodeActionKind.QuickFix,
            [diagnostic],
            is_preferred=True if preferred and fix.applicability == "safe" else None,
            edit=changes,
        )
        preferred = False
    comment = insert_noqa_comments(document.text, [(finding.code, finding.span.line, finding.span.end_line)])
    silent = () if comment is None else edits_between(str(document.path), document.text, comment)
    if silent and (changes := edit(silent, document, maker, versions)) is not None:
        yield types.CodeAction(
            f"{finding.code}: suppress the finding on this line (# noqa)",
            types.CodeActionKind.QuickFix,
            [diagnostic],
            edit=changes,
        )
    yield types.CodeAction(
        f"{finding.code}: explain {finding.rule}",
        types.CodeActionKind.QuickFix,
        [diagnostic],
        command=types.Command(f"Explain {finding.code}", EXPLAIN, arguments=[finding.code]),
    )


def fix_all(
    new: str, document: Document, maker: DiagnosticFactory, versions: bool, cell: str | None = None
) -> types.CodeAction | None:
    """Return the action of all safe fixes, whose result is ``new``.

    None if the client cannot make these edits, or if they go beyond ``cell``.
    """
    edits = edits_between(str(document.path), document.text, new)
    changes = document.for_client(edits, maker.encoding)
    if changes is None or (cell is not None and set(changes) != {cell}):
        return None
    kind = FIX_ALL if cell is not None or not isinstance(document, NotebookDocument) else FIX_NOTEBOOK
    return types.CodeAction("gblint: make all safe fixes", kind, edit=_as_edit(changes, document, versions))


def _title(finding: Finding, fix: Fix) -> str:
    """Return the title of a fix, of MAX_TITLE characters at most."""
    warning = {"unsafe": " (unsafe)", "display": " (draft)"}.get(fix.applicability, "")
    return f"{finding.code}: {shortened(fix.title, MAX_TITLE - len(finding.code) - 2 - len(warning))}{warning}"


def shortened(title: str, room: int) -> str:
    """Shorten a title to ``room`` characters: without its last clauses if that is enough, else between two words."""
    while len(title) > room:
        start = max(title.rfind(mark) for mark in _CLAUSES)
        if start <= 0:
            return title[: title.rfind(" ", 0, room - 3)] + " ..."
        title = title[:start]
    return title


def edit(
    edits: Iterable[Edit], document: Document, maker: DiagnosticFactory, versions: bool
) -> types.WorkspaceEdit | None:
    """Return edits of a document for the client; None if the client cannot make them."""
    changes = document.for_client(edits, maker.encoding)
    return None if changes is None else _as_edit(changes, document, versions)


def _as_edit(changes: dict[str, list[types.TextEdit]], document: Document, versions: bool) -> types.WorkspaceEdit:
    if not versions:
        return types.WorkspaceEdit(changes)
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=document.version_of(uri)), list(each)
            )
            for uri, each in changes.items()
        ]
    )
