"""The hover at the cursor: the finding, its call chain, its rule, and the values of the expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lsprotocol import types

from gblint.diagnostics.finding import Finding
from gblint.diagnostics.line_explanation import LineExplanation
from gblint.diagnostics.span import ChainLink
from gblint.editors.server.documents import uri_of
from gblint.editors.server.nearby import seen_from
from gblint.editors.server.pages import markdown
from gblint.project.source_text import notebook_at
from gblint.report.finding_notes import FindingNotes
from gblint.rules import rule_by_code

MOST_VALUES = 12
MOST_LINKS = 8


def of_findings(
    findings: list[Finding],
    notes: FindingNotes,
    place: types.Range | None,
    why: LineExplanation | None,
    column: int,
) -> types.Hover | None:
    """Return the hover for the findings and the values at a place; None if there are none."""
    parts = [_finding(found, notes) for found in findings]
    values = list(values_at(why, column)) if why is not None and why.reached else []
    if values:
        listed = "\n".join(f"- `{_code(text)}`: {_escaped(words)}" for text, words in values[:MOST_VALUES])
        parts.insert(len(findings) and 1, f"**In compiled code**\n\n{listed}")
    if not findings and why is not None and values and why.chain:
        parts.append(f"**Reached through**\n\n{_chain(why.chain, seen_from(why.chain[-1].path))}")
    if not parts:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(parts)), place)


def _finding(found: Finding, notes: FindingNotes) -> str:
    sure = f"{found.severity.value}, {found.confidence.value}, reached: {found.reach}"
    parts = [f"**{found.code}** {found.rule} ({sure})", _escaped(found.message)]
    shown = seen_from(found.span.path)
    parts += [f"**{note.label.capitalize()}** {_escaped(note.text)}" for note in notes.of(found, shown)]
    if len(found.chain) > 1:
        parts.append(f"**Reached through**\n\n{_chain(found.chain, shown)}")
    rule = rule_by_code(found.code)
    if rule is not None:
        # The headings of a page are too large for a hover.
        page = markdown(rule, examples=False).replace("# ", "#### ", 1).replace("\n## ", "\n##### ")
        parts.append(page)
    return "\n\n".join(parts)


def _chain(chain: tuple[ChainLink, ...], at: Callable[[str, int], str]) -> str:
    shown = list(chain)
    if len(shown) > MOST_LINKS + 1:
        shown = [*shown[: MOST_LINKS // 2], *shown[-MOST_LINKS // 2 :]]
    return "\n".join(
        f"{number}. [{_escaped(at(link.path, link.line))}]({_link(link)}) in `{_code(link.function)}`"
        for number, link in enumerate(shown, 1)
    )


def _link(link: ChainLink) -> str:
    """Return the target of a link; it has no line number for a notebook, whose lines differ from those of the file."""
    return uri_of(link.path) + ("" if notebook_at(link.path) else f"#L{link.line}")


def values_at(why: LineExplanation, column: int) -> Iterator[tuple[str, str]]:
    """Yield the expressions under the cursor with their values, innermost first; else those of the line."""
    under = [
        (text, words)
        for text, words in why.values
        if any(start <= column - 1 <= start + len(text) for start in _places(text, why.text))
    ]
    return iter(sorted(under, key=lambda pair: len(pair[0])) or why.values)


def _places(text: str, line: str) -> Iterator[int]:
    start = line.find(text)
    while start >= 0:
        yield start
        start = line.find(text, start + 1)


def _code(text: str) -> str:
    return " ".join(text.split()).replace("`", "'")


def _escaped(text: str) -> str:
    """Escape the characters of tags and emphasis, except for code in backticks."""
    return "`".join(
        part if number % 2 else part.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")
        for number, part in enumerate(text.split("`"))
    )
