"""The notes on a finding that all reports and editors show below its message."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from gblint.diagnostics.finding import Finding
from gblint.diagnostics.span import ChainLink
from gblint.project.source_text import TAB, neutral, place
from gblint.report import confirmations, folding, reach
from gblint.report.consequences import verdict
from gblint.report.eager_functions import EagerFunctions
from gblint.report.listing import by_importance
from gblint.runtime.lazy_dataclasses import dataclass

LONGEST = 8  # links of a chain


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence on a finding, and the word that stands before it."""

    label: str
    text: str


class FindingNotes:
    """The notes on the findings of a report."""

    def __init__(self, findings: Sequence[Finding], shown_as: Sequence[Finding] = ()) -> None:
        """Collect what lines of the report keep eager.

        ``shown_as``: the findings as a format shows them, such as those of notebooks with the lines of the file. The
        notes name the same places in all formats.
        """
        self._eager = EagerFunctions(by_importance(folding.fold(findings)))
        self._kept = shown_as
        self._original = {id(shown): finding for shown, finding in zip(shown_as, findings)}

    def of(self, shown: Finding, at: Callable[[str, int], str] = place) -> list[Note]:
        """Return the line that makes a break an error or allows it, conditions, outcome, verdict of a run, and advice.

        ``at`` formats a file and a line.
        """
        finding = self._original.get(id(shown), shown)
        found = (
            Note("raises" if finding.raised_by else "allowed", verdict(finding, at)),
            Note("when", reach.sentence(finding, at)),
            Note("then", self._eager.sentence(finding, at)),
            Note("run", confirmations.sentence(finding, at)),
            Note("help", _help(finding)),
        )
        return [note for note in found if note.text]

    def lines(self, shown: Finding, at: Callable[[str, int], str] = place) -> list[str]:
        """Return the notes as lines of plain text."""
        return [f"{note.label}: {note.text}" for note in self.of(shown, at)]

    def lines_with_chain(self, shown: Finding) -> list[str]:
        """Return the chain of calls and the notes as lines of plain text, for formats without a place for a chain."""
        chain = list(links(folding.calls(self._original.get(id(shown), shown))))
        return [f"{TAB}   {link}" if number else f"chain: {link}" for number, link in enumerate(chain)] + self.lines(
            shown
        )


def links(chain: tuple[ChainLink, ...]) -> Iterator[str]:
    """Yield the links, outermost first; a long chain without its middle."""
    folded = len(chain) - LONGEST if len(chain) > LONGEST + 1 else 0
    head = LONGEST // 2
    for index, link in enumerate(chain):
        if folded and index == head:
            yield f"... {folded} more calls ..."
        if not folded or index < head or index >= head + folded:
            arrow = "-> " if index else ""
            yield f"{arrow}{place(link.path, link.line)} in {neutral(link.function)}"


def _help(finding: Finding) -> str:
    """Return what to write instead; a break inside a library is not changed at the line of the finding."""
    if not finding.help or not folding.is_inside_library(finding):
        return finding.help
    outside = "make this call outside of the compiled code"
    return f"the break is inside a library: {outside}, or change the library: {finding.help}"
