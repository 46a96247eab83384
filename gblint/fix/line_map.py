"""Line maps: where the lines of a changed text come from, and where original lines went."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from gblint.fix.edits import Offsets, TextEdit
from gblint.runtime.lazy_dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LineMap:
    """The mapping from the lines of a text to those of the original text; both count from 1.

    ``lines`` holds for each line its original line; for a new line the one that it replaced. ``changed`` are the
    lines that differ from their original.
    """

    lines: tuple[int, ...]
    changed: frozenset[int] = field(default_factory=frozenset)

    @classmethod
    def of(cls, text: str) -> LineMap:
        """Return the map of an unchanged text."""
        return cls(tuple(range(1, len(Offsets(text).lines) + 1)))

    def after_edits(self, old: str, edits: Iterable[TextEdit], new: str) -> LineMap:
        """Return the map of ``new``, the result of ``edits`` on ``old``."""
        before, now = Offsets(old), Offsets(new)
        # The starts of unchanged and new stretches in the new text, and their offsets in the old text.
        starts, olds, is_kept = [0], [0], [True]
        changed: set[int] = set()
        shift = 0
        for start, end, content in sorted(edits):
            at = start + shift
            starts += [at, at + len(content)]
            olds += [start, end]
            is_kept += [False, True]
            shift += len(content) - (end - start)
            changed.update(range(now.position(at)[0], now.position(at + max(len(content) - 1, 0))[0] + 1))
        lines = []
        for number, offset in enumerate(now.starts[:-1], 1):
            index = bisect_right(starts, offset) - 1
            old_offset = olds[index] + (offset - starts[index] if is_kept[index] else 0)
            line = before.position(old_offset)[0]
            lines.append(self.before(line))
            if line in self.changed and is_kept[index]:
                changed.add(number)
        return LineMap(tuple(lines), frozenset(changed))

    def before(self, line: int) -> int:
        """Return the original line of a line."""
        return self.lines[line - 1] if 1 <= line <= len(self.lines) else line

    def after(self, line: int) -> list[int]:
        """Return the lines that an original line became; for a deleted line those that replaced it."""
        nearest = max((each for each in self.lines if each <= line), default=0)
        return [number for number, each in enumerate(self.lines, 1) if each == nearest]
