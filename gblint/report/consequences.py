"""Texts about the consequences of breaks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from gblint.diagnostics.break_event import Consequence
from gblint.diagnostics.finding import Finding
from gblint.project.source_text import located, neutral, place
from gblint.report.no_entry_points import counted

ROUNDS: Final = 8  # what a loop of unknown length counts as in costs
_REASONS = {
    "loop": "Dynamo cannot resume in a loop",
    "try": "Dynamo cannot resume inside `try`",
    "with": "Dynamo cannot resume under this context manager",
    "enter": "Dynamo cannot resume while it enters a context manager",
    "attribute": "Dynamo cannot resume from an attribute lookup",
    "operator": "Dynamo cannot resume from an operator",
    "membership": "Dynamo cannot resume from `in`",
    "slice": "Dynamo cannot resume from the bounds of a slice",
    "iteration": "Dynamo cannot resume inside an iteration",
    "format": "Dynamo cannot resume from text made from a tensor",
    "import": "Dynamo cannot resume from an import",
    "raise": "Dynamo cannot resume from `raise`",
    "delete": "Dynamo cannot resume from `del`",
    "await": "Dynamo cannot resume from `await`",
    "generator": "Dynamo cannot resume in a generator",
    "skip": "the call requests it",
    "method": "Dynamo cannot pass a method of a new object to the code after the break",
}


def sentence(finding: Finding, together: Sequence[Finding] = (), *, tells_earlier: bool = True) -> str:
    """Return a sentence on what Dynamo does after the break and how often it runs; "" if there is no estimate.

    together: the findings of all lines that keep the function eager, one for each line, if that is known.
    tells_earlier: whether to tell the earlier break that keeps Dynamo from coming to the line.
    """
    found = finding.consequence
    if found is None:
        return ""
    reason = why_eager(found.reason)
    if found.outcome == "resumes":
        text = "the graph ends here, and the next one begins after it"
    elif found.outcome == "rest-eager":
        line = located(finding.span.path, found.line)[1]
        text = f"`{found.frame}`{_beside(finding, found)} runs eagerly from line {line}: {reason}"
    else:
        text = f"all of `{found.frame}`{_beside(finding, found)} runs eagerly: {reason}"
    later = _behind(finding, found) if tells_earlier else ""
    if len(together) > 1:
        costliest = max(together, key=lambda each: each.cost)
        lines = counted(len(together) - 1, "other line")
        return f"{text}{repeats(costliest)}, because of this and {lines}{later}"
    return f"{text}{repeats(finding)}{later}"


def _behind(finding: Finding, found: Consequence) -> str:
    """Return a clause on the earlier break that keeps Dynamo from coming to the line; "" if there is none."""
    earlier = found.behind
    if earlier is None:
        return ""
    if not earlier.line:
        alone = f"on its own it does not compile `{earlier.function}`, which has no tensors"
        return f"; Dynamo comes here only if an earlier break is removed: {alone}"
    is_here = earlier.path == finding.span.path
    at = f"line {located(earlier.path, earlier.line)[1]}" if is_here else place(earlier.path, earlier.line)
    return f"; Dynamo comes here only if the break at {at} is removed"


def why_eager(reason: str) -> str:
    """Return the reason why Dynamo cannot resume after a break."""
    return _REASONS.get(reason, "Dynamo cannot resume from this")


def _beside(finding: Finding, found: Consequence) -> str:
    """Return a clause about a function that is not in the chain of calls: another entry point leads through it."""
    in_chain = not finding.chain or found.frame in {link.function for link in finding.chain}
    return "" if in_chain else ", which also leads here,"


def repeats(finding: Finding) -> str:
    """Return how often the graph breaks there in one call, or how many operators of a call run eagerly because of it.

    The figure is that of the entry point in which the break costs most.
    """
    found = finding.consequence
    if found is None:
        return ""
    operators = eager_operators(finding)
    at_most = "up to " if len(finding.entries) > 1 else ""
    if operators:
        much = f"{at_most or 'about '}{counted(operators, 'operator')} per call{_of(finding)}"
        return f"; {much} {_are(operators)} not compiled"
    # What runs eagerly breaks no graph there again.
    what = "; " if found.outcome == "resumes" else "; this line runs "
    if found.repeats is None:
        return f"{what}in every round of a loop (length unknown)"
    if found.repeats < 2:
        return ""
    if found.layers == found.repeats:
        return f"{what}once per layer, {found.layers} layers"
    layers = f", {found.layers} layers" if found.layers else ""
    return f"{what}{at_most}{found.repeats:,} times per call{_of(finding)}{layers}"


def _of(finding: Finding) -> str:
    """Return the entry point that a figure is of, if there are several and the chain begins at another one."""
    entry = finding.consequence.entry.rpartition(":")[2] if finding.consequence is not None else ""
    first = finding.chain[0].function if finding.chain else ""
    is_first = first == entry or first.rpartition(".")[0] == entry
    return "" if len(finding.entries) < 2 or not entry or is_first else f" of {entry}"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def eager_operators(finding: Finding) -> int:
    """Return the estimated number of operators that run eagerly in a call because of a break.

    It is that of the entry point in which the break costs most; a loop of unknown length counts as ``ROUNDS`` rounds.
    Numbers above 100 have two significant digits.
    """
    found = finding.consequence
    if found is None or found.outcome == "resumes":
        return 0
    number = max(finding.cost - (ROUNDS if found.repeats is None else found.repeats), 0)
    return number if number < 100 else round(number, 2 - len(str(number)))


_OPTIONS = {
    "fullgraph": "`fullgraph=True`",
    "error_on_graph_break": "`error_on_graph_break({on})`",
    "export": "the export",
}


def verdict(finding: Finding, at: Callable[[str, int], str] = place) -> str:
    """Return the line that makes the break an error or allows it, as text; "" if there is none.

    ``at`` formats a file and a line.
    """
    option_source = finding.raised_by or finding.allowed_by
    if option_source is None:
        return ""
    option = _OPTIONS[option_source.option].format(on=finding.raised_by is not None)
    where = at(option_source.path, option_source.line)
    return f"{option} at {where} {'turns the break into an error' if finding.raised_by else 'allows the break'}"


def suffix(finding: Finding) -> str:
    """Return the note for formats with one line per finding; "" if the break only splits the graph."""
    found = finding.consequence
    if found is None or found.outcome == "resumes":
        return ""
    line = located(finding.span.path, found.line)[1]
    return f" ({neutral(found.frame)} runs eagerly{f' from line {line}' if found.outcome == 'rest-eager' else ''})"
