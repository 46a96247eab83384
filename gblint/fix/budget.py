"""The budget of the work on the fixes of a file."""

from __future__ import annotations

from collections.abc import Iterable

from gblint.diagnostics.finding import Finding
from gblint.diagnostics.report import FileError

MAX_FIX_WORK = 60_000_000
"""Characters that the recipes for the findings of a file read, in a unit of work.

A recipe reads the function around the finding.  In ``diffusers.models`` the most is 5,300,000, for a file of 33,000
characters.
"""
RECIPES_FOR_REWRITE = 10
"""The text after a rewrite takes as long as so many recipes."""
MAX_FIX_CHARACTERS = 1_000_000
"""A file of more characters gets no fixes: libcst takes up to 17 µs to read one."""


_TOO_LONG = "not worked out: that takes too long"


class FixBudget:
    """The work on the fixes of each file; ``left_out`` are the findings whose fixes were not worked out."""

    def __init__(self) -> None:
        self._spent: dict[str, int] = {}
        self.left_out: list[Finding] = []

    def allows(self, finding: Finding) -> bool:
        """Return whether the fixes of a finding are worked out; note it if not."""
        if self._spent.get(finding.span.path, 0) < MAX_FIX_WORK:
            return True
        self.left_out.append(finding)
        return False

    def spend(self, path: str, work: int) -> None:
        """Count the work on one finding of a file."""
        self._spent[path] = self._spent.get(path, 0) + work


def warnings_about(left_out: Iterable[Finding]) -> list[FileError]:
    """Return a warning for each file with findings whose fixes were not worked out."""
    lines: dict[str, list[int]] = {}
    for finding in left_out:
        lines.setdefault(finding.span.path, []).append(finding.span.line)
    return [FileError(path, min(those), _message(len(those))) for path, those in sorted(lines.items())]


def _message(count: int) -> str:
    what = "the fixes of a finding were" if count == 1 else f"the fixes of {count:,} findings in this file were"
    return f"{what} {_TOO_LONG}"


def about_fixes(warnings: Iterable[FileError]) -> list[FileError]:
    """Return those of the warnings of a run that are about fixes."""
    return [each for each in warnings if each.message.endswith(_TOO_LONG)]
