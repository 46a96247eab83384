"""The sentence on what happens in a run with all options at their defaults."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from gblint.diagnostics.break_event import Category, Confidence
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.reach import Reach, rank
from gblint.project.source_text import Style, neutral
from gblint.report.folding import BREAKS, FoldedFinding
from gblint.report.listing import Listing, is_in_one_mode, is_of_tests, modes
from gblint.report.reach import brief, nearest
from gblint.report.summary import NOUNS, SETTING_ERRORS, counted, listed

FEW: Final = 3  # lines and conditions that are named one by one
_MORE: Final = "More breaks"
_OTHERWISE: Final[dict[Reach, str]] = {
    "input": "for some inputs (sizes, values or objects)",
    "option": "only if an option is set",
    "error": "only after an error",
}


def sentence(entries: Listing, style: Style, *, complete: bool = True) -> str:
    """Return what a default run does, and what leads to the other lines; "" if nothing was found.

    complete: whether all that is compiled was analysed, and not only in part.
    """
    lines = entries.lines
    if not lines:
        return ""
    usual = [entry for entry in lines if _in_default_run(entry)]
    others = [entry for entry in lines if entry not in usual and _breaks(entry.finding, *entry.others)]
    hidden = [entry for entry in usual if all(map(_is_behind_another, _in_default_run(entry)))]
    usual = [entry for entry in usual if entry not in hidden]
    is_open = any(entry.reach == "input" for entry in others)
    left_out = f"not counted: {entries.left_out}" if entries.left_out else ""
    text, more = _usual(usual, is_open=is_open, complete=complete), _otherwise(others, usual)
    if more.startswith(_MORE):
        text, more = f"{text}. {more}", ""
    later = f"{counted(len(hidden), 'more line')} once an earlier break is removed" if hidden else ""
    text = "; ".join(filter(None, (text, later, more, left_out)))
    return f"{style.bold('Default run:')} {text}."


def left_out(silenced: int, accepted: int, beyond: int, *, is_selection: bool = False) -> str:
    """Return how many findings are not part of a report, and why, for :attr:`Listing.left_out`.

    ``is_selection``: options or the configuration select some of the findings.
    """
    counts = {"silenced": silenced, "in the baseline": accepted, "beyond --reach": beyond}
    others = ["findings that are not selected"] if is_selection else []
    return listed([*(f"{count:,} {why}" for why, count in counts.items() if count), *others])


def _in_default_run(entry: FoldedFinding) -> list[Finding]:
    """Return the findings of a line that a default run reaches."""
    return [each for each in (entry.finding, *entry.others) if rank(each.reach) <= rank("default")]


def _is_behind_another(finding: Finding) -> bool:
    """Return whether Dynamo comes to a place only once an earlier break is removed."""
    return finding.consequence is not None and finding.consequence.behind is not None


def _breaks(*findings: Finding) -> bool:
    """Return whether one of the findings is a graph break or an error while compiling."""
    return any(each.category in BREAKS for each in findings)


def _usual(lines: Sequence[FoldedFinding], *, is_open: bool, complete: bool) -> str:
    """Return what the lines do that a default run reaches.

    is_open: the passed sizes, values or objects decide whether a default run breaks on other lines.
    complete: see ``sentence``.
    """
    settings = [entry for entry in lines if _raises(entry) and not _breaks(*_in_default_run(entry))]
    raising = [entry for entry in lines if _raises(entry) and entry not in settings]
    breaking = [entry for entry in lines if not _raises(entry) and _breaks(*_in_default_run(entry))]
    parts = []
    if raising:
        parts.append(f"{'an error' if len(raising) == 1 else 'errors'} {_on_lines(raising)}")
    if breaking:
        parts.append(f"{'a graph break' if len(breaking) == 1 else 'graph breaks'} {_on_lines(breaking)}")
    none = "no graph breaks" if complete else "no graph breaks in what was analysed"
    text = " and ".join(parts) if parts or is_open else none
    error = counted(len(settings), *SETTING_ERRORS) if settings else ""
    return "; ".join(filter(None, (text + _every_call(raising, breaking), error, _hints(lines))))


def _raises(entry: FoldedFinding) -> bool:
    """Return whether a default run raises an error on a line."""
    return any(each.raises for each in _in_default_run(entry))


def _hints(lines: Sequence[FoldedFinding]) -> str:
    """Return the numbers of the other findings by category."""
    found = [each for entry in lines for each in _in_default_run(entry) if not (_breaks(each) or each.raises)]
    counts = Counter(each.category for each in found)
    return listed([counted(counts[each], *NOUNS[each]) for each in Category if counts[each]])


def _on_lines(lines: Sequence[FoldedFinding]) -> str:
    """Return the number of lines, how certain their findings are, and how many are in tests."""
    best = (max((each.confidence for each in _in_default_run(entry)), key=lambda c: c.rank) for entry in lines)
    counts = Counter(best)
    if len(counts) > 1:
        sure = ", ".join(f"{counts[each]:,} {each.value}" for each in Confidence if counts[each])
    else:
        sure = f"{'all ' if len(lines) > 1 else ''}{next(iter(counts)).value}"
    in_tests = sum(map(is_of_tests, lines))
    tests = f"; {'all' if in_tests == len(lines) else f'{in_tests:,}'} in tests" if in_tests and len(lines) > 1 else ""
    return f"on {counted(len(lines), 'line')} ({sure}{tests})"


def _every_call(raising: Sequence[FoldedFinding], breaking: Sequence[FoldedFinding]) -> str:
    """Return how many lines every call reaches, and how many only calls in one mode, training or evaluation."""
    lines = [*raising, *breaking]
    them = f"these {len(lines):,} lines" if raising and breaking else "them"
    in_mode = [entry for entry in lines if is_in_one_mode(entry)]
    every = sum(entry.reach == "always" for entry in lines) - len(in_mode)
    mode = modes(in_mode)
    several = len({name for entry in lines for each in _in_default_run(entry) for name in each.entries}) > 1
    call = "in every call of their entry point" if several else "in every call"
    if len(lines) in (every, len(in_mode)):
        return f", {mode if in_mode else call}" if lines else ""
    parts = [f"{every:,} of {them} {call}"] if every else []
    if in_mode:
        parts.append(f"{len(in_mode):,}{'' if every else f' of {them}'} {mode}")
    rest = len(lines) - every - len(in_mode)
    if parts and rest:
        parts.append(f"{rest:,} with the default options and arguments")
    return f", {listed(parts)}" if parts else ", for some of the objects or calls"


def _otherwise(others: Sequence[FoldedFinding], usual: Sequence[FoldedFinding]) -> str:
    """Return what leads to breaks on the lines that a default run does not reach, or may not reach."""
    named = list(_named(others))
    counts = Counter(entry.reach for entry in others)
    parts = [f"on {counts[each]:,} {text}" for each, text in _OTHERWISE.items() if counts[each]]
    if named:
        either = listed(named, "or")
        parts = [f"on {len(others):,} only if {either}"]
    if not parts:
        return ""
    on, number, text = parts[0].split(" ", 2)
    is_one = number == "1"
    lines = "line" if is_one else "lines"
    if any(_breaks(*_in_default_run(entry)) for entry in usual):
        what = _MORE
    elif counts["input"]:
        what = "a graph break" if is_one else "graph breaks"
    else:
        what = "breaks"
    return f"{what} {listed([f'{on} {number} {lines} {text}', *parts[1:]])}"


def _named(others: Sequence[FoldedFinding]) -> Iterator[str]:
    """Yield the conditions of a few lines; nothing if there are many, or if one has no known condition."""
    conditions = [nearest(entry.finding) for entry in others]
    counts = Counter(neutral(brief(each)) for each in conditions if each is not None)
    if None in conditions or (len(counts) > 1 and len(others) > FEW):
        return
    for text, count in counts.items():
        yield f"{text} ({counted(count, 'line')})" if len(counts) > 1 else text
