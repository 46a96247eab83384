"""Edits of texts: computed from two texts, converted to offsets, combined and applied.

Texts keep the newlines of the file. Lines and columns count from 1, columns in characters.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from gblint.diagnostics.fix import Edit
from gblint.diagnostics.span import Span
from gblint.runtime.lazy_dataclasses import dataclass

TextEdit = tuple[int, int, str]  # start offset, end offset, new text

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


class Offsets:
    """Converts positions in a text to offsets and back."""

    def __init__(self, text: str) -> None:
        self.lines = split_lines(text)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position; a position behind the end of the text is its end."""
        if line > len(self.lines):
            return self.starts[-1]
        return self.starts[line - 1] + column - 1

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column of an offset."""
        line = max(bisect_right(self.starts, offset, 0, max(len(self.lines), 1)), 1)
        return line, offset - self.starts[line - 1] + 1

    def of_bytes(self, line: int, column: int) -> int:
        """Return the offset of a position whose column counts UTF-8 bytes from 0, as in ``ast``."""
        if line > len(self.lines):
            return self.starts[-1]
        text = self.lines[line - 1]
        if not text.isascii():
            column = len(text.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore"))
        return self.starts[line - 1] + column


def split_lines(text: str) -> list[str]:
    """Return the lines of ``text`` with their ends; only line ends of Python count."""
    return _LINE.findall(text)


def edits_between(path: str, old: str, new: str) -> tuple[Edit, ...]:
    """Return the edits that turn ``old`` into ``new``: one for each group of changed lines, without common ends."""
    offsets = Offsets(old)
    before, after = offsets.lines, split_lines(new)
    # Most lines of a file are unchanged; comparing all lines of a large file is slow.
    head, tail = common_ends(before, after)
    before, after = before[head : len(before) - tail], after[head : len(after) - tail]
    edits = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            start = offsets.starts[head + i1]
            edits.append(edit_of(path, offsets, start, "".join(before[i1:i2]), "".join(after[j1:j2])))
    return in_one_way(edits, offsets)


def in_one_way(edits: Sequence[Edit], offsets: Offsets) -> tuple[Edit, ...]:
    """Return the edits with new lines inserted as far down as gives the same text.

    An empty line above new lines may as well be the one below them.  Two fixes that insert the same import then do so
    at the same place, whatever else they change.
    """
    found = []
    for edit, following in zip_longest(edits, edits[1:]):
        line, end = edit.span.line, following.span.line if following else len(offsets.lines) + 1
        lines = split_lines(edit.content)
        is_insertion = edit.span == Span(edit.span.path, line, 1, line, 1) and edit.content.endswith(("\n", "\r"))
        while is_insertion and line < end and offsets.lines[line - 1] == lines[0]:
            lines.append(lines.pop(0))
            line += 1
        found.append(Edit(Span(edit.span.path, line, 1, line, 1), "".join(lines)) if line > edit.span.line else edit)
    return tuple(found)


def edit_of(path: str, offsets: Offsets, start: int, old: str, new: str) -> Edit:
    """Return the edit of one group of lines, without their common start and end."""
    head, tail = common_ends(old, new)
    first, last = offsets.position(start + head), offsets.position(start + len(old) - tail)
    return Edit(Span(path, *first, *last), new[head : len(new) - tail])


def common_ends(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return the length of the common start, and of the common end of the rest."""
    limit = min(len(old), len(new))
    head = next((i for i in range(limit) if old[i] != new[i]), limit)
    tail = next((i for i in range(limit - head) if old[-1 - i] != new[-1 - i]), limit - head)
    return head, tail


@dataclass(frozen=True, slots=True)
class Patch:
    """The edits of one fix in one file, as offsets."""

    edits: tuple[TextEdit, ...]

    @classmethod
    def of(cls, edits: Iterable[Edit], offsets: Offsets) -> Patch:
        """Convert ``edits`` of one file."""
        return cls(
            tuple(
                (
                    offsets.offset(edit.span.line, edit.span.column),
                    offsets.offset(edit.span.end_line, edit.span.end_column),
                    edit.content,
                )
                for edit in edits
            )
        )


def apply_patches(text: str, patches: Sequence[Patch]) -> tuple[str, list[int]]:
    """Apply as many of ``patches`` as do not overlap; return the new text and the indexes of the applied ones."""
    parts, used = compatible_edits(patches)
    return apply_edits(text, parts), used


def compatible_edits(patches: Sequence[Patch]) -> tuple[list[TextEdit], list[int]]:
    """Return the sorted edits of as many patches as do not overlap, and the indexes of these patches.

    An earlier patch wins over a later one. An edit that two patches share, such as an import, is made once.
    """
    chosen: dict[tuple[int, int], str] = {}
    used = []
    for number, patch in enumerate(patches):
        if all(_is_compatible(part, chosen) for part in patch.edits):
            chosen.update({(start, end): content for start, end, content in patch.edits})
            used.append(number)
    return [(start, end, content) for (start, end), content in sorted(chosen.items())], used


def apply_edits(text: str, parts: Iterable[TextEdit]) -> str:
    """Return ``text`` after these sorted edits."""
    out, position = [], 0
    for start, end, content in parts:
        out += [text[position:start], content]
        position = end
    return "".join([*out, text[position:]])


def _is_compatible(part: tuple[int, int, str], chosen: dict[tuple[int, int], str]) -> bool:
    start, end, content = part
    if (start, end) in chosen:
        return chosen[start, end] == content
    return all(end < first or start > last for first, last in chosen)
