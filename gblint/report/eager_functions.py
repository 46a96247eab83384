"""Functions that run eagerly because of other lines, too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from gblint.diagnostics.finding import Finding
from gblint.diagnostics.reach import Reach, ReachCondition, rank
from gblint.diagnostics.span import ChainLink
from gblint.project.source_text import place
from gblint.report import consequences
from gblint.report.consequences import eager_operators
from gblint.report.cost_groups import places
from gblint.report.folding import BREAKS, FoldedFinding


class EagerFunctions:
    """The lines of a report that keep all of a function eager."""

    def __init__(self, entries: Iterable[FoldedFinding]) -> None:
        """Collect the lines among ``entries``."""
        self._lines: dict[tuple[str, str], list[FoldedFinding]] = {}
        for entry in entries:
            function = _eager_function(entry.costliest)
            if function is not None:
                self._lines.setdefault((function.path, function.function), []).append(entry)

    def sentence(self, finding: Finding, at: Callable[[str, int], str] = place) -> str:
        """Return the sentence on what Dynamo does after a break, with what other lines of the function change in it.

        ``at`` formats a file and a line.
        """
        function = _eager_function(finding)
        if function is not None:
            return consequences.sentence(finding, self._together(finding, function))
        earlier = self._earlier(finding)
        text = consequences.sentence(finding, tells_earlier=not earlier)
        if not earlier:
            return text
        name = finding.chain[-1].function
        that = "that line is" if len(earlier) == 1 else "those lines are"
        return f"all of `{name}` runs eagerly because of {places(earlier, at)}; once {that} changed, {text}"

    def _together(self, finding: Finding, function: ChainLink) -> tuple[Finding, ...]:
        """Return the costliest findings of the lines that keep a function eager in the same calls."""
        lines = self._lines.get((function.path, function.function), [])
        return tuple(each.costliest for each in lines if _calls(each.costliest) == _calls(finding))

    def _earlier(self, finding: Finding) -> Sequence[FoldedFinding]:
        """Return the lines that keep the function of a break eager before the break is reached."""
        found = finding.consequence
        if not finding.chain or found is None or found.outcome != "resumes":
            return ()
        last = finding.chain[-1]
        lines = self._lines.get((last.path, last.function), ())
        earlier = [entry for entry in lines if _precedes(entry.costliest, finding)]
        return sorted(earlier, key=lambda entry: entry.finding.span)


def _calls(finding: Finding) -> tuple[str, Reach, tuple[ReachCondition, ...]]:
    """Return the entry point of a finding, how far it is reached, and under which conditions."""
    entry = finding.consequence.entry if finding.consequence is not None else ""
    return entry, finding.reach, finding.when


def _eager_function(finding: Finding) -> ChainLink | None:
    """Return the link of the function that a break keeps eager as a whole; None if there is none in the chain."""
    found = finding.consequence
    if found is None or found.outcome != "frame-eager" or finding.category not in BREAKS or finding.raises:
        return None
    if not eager_operators(finding):
        return None
    return next((link for link in finding.chain if link.function == found.frame), None)


def _precedes(eager: Finding, finding: Finding) -> bool:
    """Return whether each call that reaches ``finding`` has reached the break ``eager`` of the same function before."""
    function = _eager_function(eager)
    held = {(each.path, each.line, each.text, each.holds) for each in finding.when}
    return (
        function is not None
        and function.line < finding.chain[-1].line
        and rank(eager.reach) <= rank(finding.reach)
        and all((each.path, each.line, each.text, each.holds) in held for each in eager.when)
        and set(finding.entries) <= set(eager.entries)
    )
