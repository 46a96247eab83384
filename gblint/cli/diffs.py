"""Unified diffs of files, as the commands print them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from gblint.project.notebook import SUFFIX, as_written
from gblint.project.source_text import display_path, neutral


def unified(path: str, old: str, new: str, *, context: int = 3) -> Iterator[str]:
    """Yield the lines of the diff between two texts of a file; those of a notebook show its cells."""
    shown = display_path(path)
    if path.endswith(SUFFIX):
        old, new = "\n".join(as_written(old)), "\n".join(as_written(new))
    before, after = (text.splitlines(keepends=True) for text in (old, new))
    for line in difflib.unified_diff(before, after, shown, shown, n=context):
        yield neutral(line.rstrip("\r\n"))
        if not line.endswith(("\n", "\r")):
            yield "\\ No newline at end of file"
