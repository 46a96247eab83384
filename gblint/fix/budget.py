"""The budget of the work on the fixes of a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gblint.diagnostics.finding import Finding
from gblint.diagnostics.report import FileError

MAX_FIX_WORK = 60_000_000
"""Characters that the recipes for the findings of a file read in all rounds of fixes together, in a unit of work.

A recipe reads the function around the finding.  In ``diffusers.models`` the most is 5,300,000, for a file of 33,000
characters.
"""
RECIPES_FOR_REWRITE = 10
"""The text after a rewrite takes as long as so many recipes."""
TREE_WORK = 20
"""To read a file with libcst counts as so many recipes that read all of it."""
MAX_FIX_CHARACTERS = 1_000_000
"""A file of more characters gets no fixes: libcst takes up to 17 µs to read one."""


_TOO_LONG = "not worked out: that takes too long"


class FixBudget:
    """The work on the fixes of each file; ``left_out`` are the findings whose fixes were not worked out.

    ``spent`` is the work of the rounds before, by file.
    """

    def __init__(self, spent: Mapping[str, int] | None = None) -> None:
        self._before = spent or {}
        self._spent: dict[str, int] = {}
        self.left_out: list[Finding] = []

    def allows(self, finding: Finding) -> bool:
        """Return whether the fixes of a finding are worked out; note it if not."""
        if self.work_on(finding.span.path) < MAX_FIX_WORK:
            return True
        self.left_out.append(finding)
        return False

    def work_on(self, path: str) -> int:
        """Return the work on a file, with that of the rounds before."""
        return self._before.get(path, 0) + self._spent.get(path, 0)

    @property
    def spent(self) -> dict[str, int]:
        """The work of this round, by file."""
        return dict(self._spent)

    def spend(self, path: str, work: int) -> None:
        """Count work on a file."""
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
