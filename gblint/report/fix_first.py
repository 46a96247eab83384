"""The line of a report about the one place to begin with."""

from __future__ import annotations

from collections.abc import Iterable

from gblint.diagnostics.break_event import Category, Confidence
from gblint.diagnostics.reach import rank
from gblint.project.source_text import Style, neutral
from gblint.report.consequences import eager_operators
from gblint.report.cost_groups import CostGroup, breaks, in_groups, places, rules
from gblint.report.folding import BREAKS, FoldedFinding, is_inside_library
from gblint.report.listing import Listing, group, is_in_one_mode, modes, nearest_condition, reached_only
from gblint.report.no_entry_points import counted


def sentence(entries: Listing, style: Style) -> str:
    """Return where to begin, what that brings, and how; "" if no line breaks the graph or raises an error, or only one.

    It is the first line of the report: one that raises an error, else the costliest of those reached most easily. If
    only an option or an error leads to them, the sentence says that a default run needs no change, also about one line.
    """
    lines = [entry for entry in entries.lines if entry.finding.raises or entry.costliest.category in BREAKS]
    needed = [entry for entry in lines if entry.reach not in ("option", "error")]
    if not lines or (needed and len(lines) < 2):
        return ""
    if lines[0].finding.raises:
        first = CostGroup((lines[0],))
        gain = _raised(first)
    else:
        first = in_groups(lines)[0]
        gain = _gain(first)
    lead = "" if needed else "nothing for a default run; otherwise "
    where = f"{lead}{places(first.lines)} ({rules(first)})"
    costlier = _costlier(first, (entry for entry in entries.shown if entry in lines))
    return f"{style.bold('Fix first:')} {where}: {gain}{_when(first)}.{_how(first)}{costlier}"


def _costlier(first: CostGroup, listed: Iterable[FoldedFinding]) -> str:
    """Return why the costliest of the listed lines is not the place to begin with; "" if it is, or if a call raises."""
    most = max(in_groups(listed), key=lambda group: group.cost, default=first)
    if first.costliest.raises or most.cost <= first.cost:
        return ""
    entry = most.lines[0]
    if entry.finding.is_allowed:
        why = "its breaks are allowed"
    else:
        why = "not every call reaches it" if entry.reach == "default" else f"is reached {reached_only(entry)}"
    return f" {places(most.lines[:1])} costs most, but {why}."


def _raised(first: CostGroup) -> str:
    """Return what a line that raises an error does."""
    if first.costliest.category is Category.CONFIG:
        sure = first.costliest.confidence is Confidence.CERTAIN
        return f"this line raises an error{'' if sure else ' if it runs'}"
    name = neutral(first.entry.rpartition(":")[2])
    return f"a call{f' of {name}' if name else ''} raises an error there"


def _gain(first: CostGroup) -> str:
    """Return what is gained in one call if the breaks of a group are gone."""
    finding = first.costliest
    found = finding.consequence
    name = neutral(first.entry.rpartition(":")[2])
    of = f" of {name}" if name else ""
    then = "then" if len(first.lines) == 1 else f"once all {len(first.lines):,} lines are changed,"
    if found is None or found.outcome == "resumes":
        number = breaks(first)
        fewer = "one fewer break in every round of a loop" if number is None else counted(number, "fewer break")
        return f"{then} a call{of} has {fewer}"
    operators = eager_operators(finding)
    now = "runs" if operators == 1 else "run"
    much = f": about {counted(operators, 'operator')} per call{of} that {now} eagerly now" if operators else of
    return f"{then} `{neutral(found.frame)}` is compiled{much}"


def _how(first: CostGroup) -> str:
    """Return what to write instead, as a sentence; "" if that is not known."""
    finding = first.lines[0].finding
    if is_inside_library(finding):
        return " The break is inside a library: make this call outside of the compiled code, or change the library."
    if not finding.help:
        return ""
    advice = finding.help
    found = (each for entry in first.lines for each in (entry.finding, *entry.others) if each.category in BREAKS)
    if any(each.setting != finding.setting for each in found):
        # A setting that does not remove the other breaks brings nothing.
        advice = advice.replace(f", or set `torch._dynamo.config.{finding.setting}`", "")
    if len(first.lines) > 1:
        return f" Begin with {places(first.lines[:1])}: {neutral(advice)}."
    return f" {neutral(advice[0].upper() + advice[1:])}."


def _when(first: CostGroup) -> str:
    """Return the condition under which a group is reached; "" for every call."""
    entry = first.lines[0]
    if is_in_one_mode(entry):
        return f", {modes([entry])}"
    if rank(entry.reach) <= rank("default"):
        return ""
    condition = nearest_condition(entry)
    if not condition:
        return f", {group(entry)}"
    others = len(entry.finding.when) - 1
    if others < 1:
        return f", if {condition}"
    return f", if {condition} and {counted(others, 'other condition')} {'holds' if others == 1 else 'hold'}"
