"""Comparison of a run with fixes with the run without: breaks that are gone, remain, are new or masked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gblint.confirm.jobs import Job, ObservedBreak, Result
from gblint.confirm.line_coverage import PathSet
from gblint.confirm.line_ranges import from_ranges
from gblint.confirm.statements import SourceFile
from gblint.fix.fixed_point import AppliedFix, FixKey, FixResult
from gblint.fix.line_map import LineMap
from gblint.runtime.files import read_text
from gblint.runtime.lazy_dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RemainingBreak:
    """A break of a run with fixes: its line in the fixed file; ``before`` is its statement in the original file."""

    path: str
    line: int
    title: str
    gb_ids: tuple[str, ...]
    before: tuple[str, int] = ("", 0)


@dataclass(slots=True)
class RunComparison:
    """The outcome of a comparison.

    * ``still``: breaks at the statement of a fix, by fix.
    * ``new``: breaks at lines that ran compiled without a break before.
    * ``uncovered``: breaks at lines that an earlier break kept from being compiled before.
    * ``masked``: fixes about which the run shows nothing, with the reason.
    * ``gone``: fixes whose statements now run compiled.
    """

    still: dict[FixKey, RemainingBreak] = field(default_factory=dict)
    new: list[RemainingBreak] = field(default_factory=list)
    uncovered: list[RemainingBreak] = field(default_factory=list)
    masked: dict[FixKey, str] = field(default_factory=dict)
    gone: set[FixKey] = field(default_factory=set)


class BaselineRun:
    """One entry point and the result of its run without fixes."""

    def __init__(self, job: Job, before: Result, fixed: FixResult) -> None:
        self._fixed, self._root = fixed, job.root
        self._watched = PathSet(job.watch)
        self._names = {str(each.path.resolve()): path for path, each in fixed.originals.items()}
        self._compiled = _lines(before.compiled, job.root)
        self._ran = _lines(before.ran, job.root)
        self._files: dict[str, SourceFile] = {}
        self._broken: dict[tuple[str, int], set[str]] = {}
        for path, line, each in self._places(before.breaks):
            self._broken.setdefault(self._statement(path, line), set()).update(each.gb_ids)

    def ran(self, path: str, line: int) -> bool:
        """Return whether the statement at a line of the original file ran at all."""
        real, lines = self._statement_lines(path, line)
        return bool(self._ran.get(real, set()) & lines) or self._statement(real, line) in self._broken

    def unbroken(self, path: str, line: int) -> bool:
        """Return whether the statement ran compiled and broke nothing, or did not run."""
        real, lines = self._statement_lines(path, line)
        if self._statement(real, line) in self._broken:
            return False
        return bool(self._compiled.get(real, set()) & lines) or not self.ran(path, line)

    def broke(self, path: str, line: int) -> bool:
        """Return whether the statement at a line of the original file broke without fixes."""
        return self._statement(self._statement_lines(path, line)[0], line) in self._broken

    def compare(self, job: Job, after: Result, applied: Sequence[AppliedFix]) -> RunComparison:
        """Compare with a run with the fixes ``applied``."""
        found = RunComparison()
        origins = {
            str(original.path.resolve()): self._fixed.line_maps.get(path) or LineMap.of(original.text)
            for path, original in self._fixed.originals.items()
        }
        sites: dict[tuple[str, int], list[AppliedFix]] = {}
        for each in applied:
            sites.setdefault(self.statement_of(each.key), []).append(each)
        for path, line, observed in self._places(after.breaks):
            before = origins[path].before(line) if path in origins else line
            place = self._statement(path, before)
            broken = RemainingBreak(path, line, observed.title, observed.gb_ids, place)
            if place in sites:
                found.still.update((key, broken) for key in self._ineffective(sites[place], place, observed))
            elif place in self._broken:
                pass
            elif (path in origins and line in origins[path].changed) or self._was_compiled(path, before):
                found.new.append(broken)
            else:
                found.uncovered.append(broken)
        compiled, ran = _lines(after.compiled, job.root), _lines(after.ran, job.root)
        masking = self._masking_reason(after)
        for place, there in sites.items():
            path, keys = place[0], [each.key for each in there if each.key not in found.still]
            lines = self._statement_lines(path, place[1])[1]
            now = {new for line in lines for new in origins[path].after(line)}
            if now & compiled.get(path, set()) or (not masking and place in self._broken):
                found.gone.update(keys)
            elif now & ran.get(path, set()) or place in self._broken:
                found.masked.update((key, masking or "the line is not compiled") for key in keys)
        return found

    def _ineffective(
        self, applied: Sequence[AppliedFix], place: tuple[str, int], observed: ObservedBreak
    ) -> list[FixKey]:
        """Return the fixes of one statement that did not remove a break: those for its id, else all.

        Returns none of them if the break was there before and is of another kind than theirs.
        """
        ids = set(observed.gb_ids)
        same = [each.key for each in applied if ids & set(each.finding.gb_ids)]
        if same:
            return same
        return [] if ids and ids <= self._broken.get(place, set()) else [each.key for each in applied]

    def _masking_reason(self, after: Result) -> str:
        """Return the reason why code is not compiled in the run with the fixes; empty if it is."""
        for each in after.breaks:
            if each.outcome != "resumes":
                path = os.path.relpath(os.path.join(self._root, each.place.path))
                return f"{each.title} ({path}:{each.place.line} with the fixes) keeps the line from being compiled"
        return next((f"the line is not compiled: {each.reason}" for each in after.skipped), "")

    def statement_of(self, key: FixKey) -> tuple[str, int]:
        """Return the statement of a fix in the original file."""
        return self._statement(str(self._fixed.originals[key.path].path.resolve()), key.line)

    def _was_compiled(self, path: str, line: int) -> bool:
        return bool(self._compiled.get(path, set()) & self._statement_lines(path, line)[1])

    def _statement_lines(self, path: str, line: int) -> tuple[str, set[int]]:
        """Return the full path of the file, and the lines of the statement."""
        if path in self._fixed.originals:
            path = str(self._fixed.originals[path].path.resolve())
        span = self._file(path).statement(line)
        return path, set(range(span.line, max(span.line, span.end_line) + 1))

    def _statement(self, path: str, line: int) -> tuple[str, int]:
        return path, self._file(path).statement(line).line

    def _file(self, path: str) -> SourceFile:
        if path not in self._files:
            name = self._names.get(path)
            if name is not None:
                text = self._fixed.originals[name].text
            else:
                try:
                    text = read_text(path, errors="replace")
                except OSError:
                    text = ""
            self._files[path] = SourceFile(text)
        return self._files[path]

    def _places(self, breaks: Iterable[ObservedBreak]) -> Iterator[tuple[str, int, ObservedBreak]]:
        """Yield the innermost position of each break in the user's own files."""
        for each in breaks:
            if not each.primary:
                continue
            for link in reversed(each.stack):
                path = os.path.realpath(os.path.join(self._root, link.path))
                if path in self._watched:
                    yield path, link.line, each
                    break


def _lines(spans: Mapping[str, Iterable[str]], root: str) -> dict[str, set[int]]:
    return {os.path.realpath(os.path.join(root, path)): from_ranges(each) for path, each in spans.items()}
