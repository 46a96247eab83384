"""The entries of a report for people, by importance, and those that it only counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Finding, Severity
from gblint.diagnostics.reach import rank
from gblint.project.source_text import display_path, neutral
from gblint.project.test_files import is_test_path
from gblint.report import folding
from gblint.report.folding import FoldedFinding
from gblint.report.no_entry_points import counted
from gblint.report.reach import nearest, phrase
from gblint.runtime.lazy_dataclasses import dataclass

FEW: Final = 5  # entries that are listed even if only an option leads to them
CONDITIONS: Final = 3  # conditions that are named
HINTS: Final = (Category.RECOMPILE, Category.CONFIG)  # if they raise no error
_TRAINING: Final = ("self.training", "training", "is_training")
_MODES: Final = {True: "only in training", False: "only in evaluation"}
HEADS: Final = {
    "always": "in every call",
    "default": "with the defaults",
    "input": "for some inputs",
    "option": "if an option is set",
    "error": "after an error",
}


@dataclass(frozen=True, slots=True)
class Listing:
    """The entries of a report.

    ``shown``: the entries that are listed, the most important first. ``conditional``: the entries that are only
    counted, since nothing leads to them unless an option is set or an error occurs. ``left_out``: how many findings are
    not part of the report, and why, as text. ``show_all``: each finding is an entry, and lists are not cut.
    """

    shown: tuple[FoldedFinding, ...]
    conditional: tuple[FoldedFinding, ...] = ()
    left_out: str = ""
    show_all: bool = False

    @property
    def lines(self) -> tuple[FoldedFinding, ...]:
        """All lines with findings, the most important first."""
        entries = (*self.shown, *self.conditional)
        return tuple(by_importance(folding.fold(entry.finding for entry in entries))) if self.show_all else entries

    @property
    def folded(self) -> int:
        """The number of findings that share the entry of another one."""
        return sum(len(entry.others) for entry in (*self.shown, *self.conditional))


def listing(
    findings: Iterable[Finding], *, show_all: bool = False, every_reach: bool = False, left_out: str = ""
) -> Listing:
    """Return the entries of a report: one for each line with findings.

    show_all: one entry a finding, and all are listed.
    every_reach: all entries are listed, also those that only an option or an error leads to.
    left_out: how many findings are not in ``findings``, and why.
    """
    entries = by_importance(folding.fold(findings, show_all=show_all))
    conditional = tuple(entry for entry in entries if _is_conditional(entry))
    if show_all or every_reach or len(conditional) <= FEW or len(conditional) == len(entries):
        return Listing(tuple(entries), left_out=left_out, show_all=show_all)
    return Listing(tuple(entry for entry in entries if not _is_conditional(entry)), conditional, left_out)


def by_importance(entries: Iterable[FoldedFinding]) -> list[FoldedFinding]:
    """Return the entries by importance.

    First the entries that raise an error, then those that every call reaches, those that every call in training or in
    evaluation reaches, and those that the defaults reach; among equals the most expensive is first. Hints follow the
    breaks, and findings in tests, or that only tests reach, follow all others.
    """
    return sorted(entries, key=_importance)


def group(entry: FoldedFinding) -> str:
    """Return the heading for an entry and the entries beside it that are as important: when the break happens."""
    all_of = (entry.finding, *entry.others)
    if is_of_tests(entry):
        return "in tests"
    if any(each.severity is Severity.ERROR for each in all_of):
        return "raises an error"
    return "hints" if is_hint(entry) else HEADS[entry.reach]


def is_hint(entry: FoldedFinding) -> bool:
    """Return whether the findings of a line neither break the graph nor change results nor raise an error."""
    all_of = (entry.finding, *entry.others)
    return all(each.category in HINTS and each.severity is not Severity.ERROR for each in all_of)


def size(entries: Iterable[FoldedFinding]) -> str:
    """Return the number of lines of a group; lines with hints only and lines of one mode are counted separately."""
    lines = folding.fold(each for entry in entries for each in (entry.finding, *entry.others))
    breaking = [entry for entry in lines if not is_hint(entry)]
    hints = len(lines) - len(breaking)
    if not breaking:
        number = sum(1 + len(entry.others) for entry in lines)
        return counted(hints, "line") if number == hints else f"{number:,} on {counted(hints, 'line')}"
    in_mode = [entry for entry in breaking if is_in_one_mode(entry)]
    others = len(breaking) - len(in_mode)
    parts = [counted(others or len(breaking), "line")]
    if in_mode:
        parts.append(f"and {len(in_mode):,} more {modes(in_mode)}" if others else modes(in_mode))
    if hints:
        parts.append(f"and {counted(hints, 'line')} with hints only")
    return ", ".join(parts)


def is_in_one_mode(entry: FoldedFinding) -> bool:
    """Return whether every call in one mode, training or evaluation, reaches a line, and no other call does."""
    always = [each for each in (entry.finding, *entry.others) if each.reach == "always"]
    return bool(always) and all(each.when for each in always)


def modes(entries: Iterable[FoldedFinding]) -> str:
    """Return the mode in which the conditions of these lines hold: training, evaluation, or either of them."""
    conditions = [each.when for entry in entries for each in (entry.finding, *entry.others) if each.reach == "always"]
    held = [{each.holds for each in when if each.text in _TRAINING} for when in conditions]
    found = set().union(*held)
    return _MODES[found.pop()] if len(found) == 1 and all(held) else "only in training or only in evaluation"


def conditional_note(entries: Listing) -> Iterator[str]:
    """Yield the line about the entries that are only counted, with the most frequent conditions."""
    if not entries.conditional:
        return
    counts = Counter(filter(None, map(nearest_condition, entries.conditional)))
    named = [f"{text} ({count:,})" for text, count in counts.most_common(CONDITIONS)]
    left = len(counts) - len(named)
    most = f", most often if {', '.join(named)}" if named else ""
    more = f" and {left:,} other conditions" if left > 1 else ""
    lines = len(entries.conditional)
    noun = "line is" if lines == 1 else "lines are"
    only = " or after an error" if any(entry.reach == "error" for entry in entries.conditional) else ""
    yield f"{lines:,} more {noun} reached only if an option is set{only}{most}{more}; --reach=all lists them."


def _is_conditional(entry: FoldedFinding) -> bool:
    return entry.reach in ("option", "error")


def is_of_tests(entry: FoldedFinding) -> bool:
    """Return whether an entry is in tests, or only entry points in tests reach it."""
    return all(map(_is_of_test, (entry.finding, *entry.others)))


def _is_of_test(finding: Finding) -> bool:
    """Return whether a finding is in a test, or only entry points in tests reach it."""
    if is_test_path(display_path(finding.span.path)):
        return True
    return bool(finding.entries) and all(is_test_path(name.partition(":")[0]) for name in finding.entries)


def _importance(entry: FoldedFinding) -> tuple[bool, bool, bool, int, bool, int, int, int, str, int, int]:
    all_of = (entry.finding, *entry.others)
    first = entry.finding
    return (
        is_of_tests(entry),
        is_hint(entry),
        all(each.severity is not Severity.ERROR for each in all_of),
        rank(entry.reach),
        is_in_one_mode(entry),
        -first.severity.rank,
        -entry.cost,
        -max(each.confidence.rank for each in all_of),
        first.span.path,
        first.span.line,
        first.span.column,
    )


def reached_only(entry: FoldedFinding) -> str:
    """Return when a line is reached, as "only ..."; "" for every call."""
    if is_of_tests(entry):
        return "only in tests"
    if is_in_one_mode(entry):
        return modes([entry])
    if entry.reach == "always":
        return ""
    condition = nearest_condition(entry) if rank(entry.reach) > rank("default") else ""
    return f"only if {condition}" if condition else f"only {HEADS[entry.reach]}"


def nearest_condition(entry: FoldedFinding) -> str:
    """Return the nearest condition that keeps a default run from an entry; "" if none is known."""
    condition = nearest(entry.finding)
    return "" if condition is None else neutral(phrase(condition))
