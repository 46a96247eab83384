"""The settings of ``torch._dynamo.config`` that remove many breaks, for the summary of a long report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from gblint.diagnostics.finding import Finding
from gblint.diagnostics.reach import rank
from gblint.project.source_text import Style
from gblint.report.folding import BREAKS, FoldedFinding
from gblint.report.listing import Listing
from gblint.report.no_entry_points import counted

FEWEST: Final = 3  # lines without breaks by one setting
HEADING: Final = (
    "Settings that remove the breaks of several lines (on `torch._dynamo.config`, before the first compiled call)"
)
_LOGGING: Final = "ignore_logging_functions"
_BUT: Final = {
    "capture_scalar_outputs = True": "code that branches on such a number still breaks",
    "capture_dynamic_output_shape_ops = True": "code that branches on such a size still breaks",
    _LOGGING: "compiled code then leaves these calls out",
}


def section(entries: Listing, style: Style) -> Iterator[str]:
    """Yield a heading and the settings; nothing if there are none."""
    found = list(settings(entries))
    if found:
        yield style.bold(f"{HEADING}:")
        yield from (f"  {each}" for each in found)


def settings(entries: Listing) -> Iterator[str]:
    """Yield the settings that remove all breaks of several lines, those that remove most of a default run first."""
    lines: dict[str, list[FoldedFinding]] = {}
    functions: Counter[str] = Counter()
    for entry in entries.lines:
        needed = {each.setting for each in _breaks(entry)}
        names = {_LOGGING if each.startswith(_LOGGING) else each for each in needed}
        if len(names) == 1 and "" not in names:
            name = names.pop()
            lines.setdefault(name, []).append(entry)
            if name == _LOGGING:
                functions.update(each.partition("(")[2].rstrip(")") for each in needed)
    many = {name: found for name, found in lines.items() if len(found) >= FEWEST}
    for name in sorted(many, key=lambda name: (-_usual(many[name]), -len(many[name]), name)):
        number, usual = len(many[name]), _usual(many[name])
        part = f", {usual:,} of them in a default run" if 0 < usual < number else ""
        listed = ", ".join(each for each, _ in functions.most_common())
        shown = f"{_LOGGING}.update([{listed}])" if name == _LOGGING else name
        yield f"`{shown}`: {counted(number, 'line')}{part}; {_BUT[name]}"


def _breaks(entry: FoldedFinding) -> list[Finding]:
    """Return the findings of a line that break the graph."""
    return [each for each in (entry.finding, *entry.others) if each.category in BREAKS]


def _usual(entries: list[FoldedFinding]) -> int:
    """Return the number of lines that a default run reaches."""
    return sum(rank(entry.reach) <= rank("default") for entry in entries)
