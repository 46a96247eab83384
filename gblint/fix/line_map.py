"""Which line of a file a line of its changed text comes from, and where a line went."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from gblint.fix.edits import Offsets, TextEdit
from gblint.runtime.lazy_dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LineMap:
    """The lines of a text, and those of the text that it was made of; both count from 1.

    ``lines`` has for each line the one that it comes from, or, if it is new, that it took the place of; ``changed`` are
    the lines that are not as they were.
    """

    lines: tuple[int, ...]
    changed: frozenset[int] = field(default_factory=frozenset)

    @classmethod
    def of(cls, text: str) -> LineMap:
        """Those of a text that nothing was changed in."""
        return cls(tuple(range(1, len(Offsets(text).lines) + 1)))

    def after_edits(self, old: str, parts: Iterable[TextEdit], new: str) -> LineMap:
        """Those of ``new``, which ``parts`` have made of ``old``."""
        before, now = Offsets(old), Offsets(new)
        # Where unchanged stretches and new ones begin in the new text, and which old offset that is.
        starts, olds, kept = [0], [0], [True]
        changed: set[int] = set()
        shift = 0
        for start, end, content in sorted(parts):
            at = start + shift
            starts += [at, at + len(content)]
            olds += [start, end]
            kept += [False, True]
            shift += len(content) - (end - start)
            changed.update(range(now.position(at)[0], now.position(at + max(len(content) - 1, 0))[0] + 1))
        lines = []
        for number, offset in enumerate(now.starts[:-1], 1):
            index = bisect_right(starts, offset) - 1
            old_offset = olds[index] + (offset - starts[index] if kept[index] else 0)
            line = before.position(old_offset)[0]
            lines.append(self.before(line))
            if line in self.changed and kept[index]:
                changed.add(number)
        return LineMap(tuple(lines), frozenset(changed))

    def before(self, line: int) -> int:
        """The line that a line comes from, or stands for."""
        return self.lines[line - 1] if 1 <= line <= len(self.lines) else line

    def after(self, line: int) -> list[int]:
        """The lines that a line went to; of one that is gone, those that took its place."""
        nearest = max((each for each in self.lines if each <= line), default=0)
        return [number for number, each in enumerate(self.lines, 1) if each == nearest]
