"""Fixes as small diffs."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from gblint.diagnostics.fix import Edit, Fix
from gblint.project.source_text import Source, display_path

CONTEXT = 1


def diff(fix: Fix, source: Source) -> list[tuple[str, str]]:
    """Return the lines of a diff as pairs of a sign (``+``, ``-``, a blank; ``@`` for a heading) and a text."""
    lines: list[tuple[str, str]] = []
    paths = list(dict.fromkeys(edit.span.path for edit in fix.edits))
    for path in paths:
        if len(paths) > 1:
            lines.append(("@", display_path(path)))
        before = source.lines(path)
        after = _edited(before, [edit for edit in fix.edits if edit.span.path == path])
        lines += _changes(before, after)
    return lines


def _changes(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, str]]:
    for line in list(difflib.unified_diff(before, after, n=CONTEXT, lineterm=""))[2:]:
        if line.startswith("@@"):
            yield "@", f"line {line.split()[1].lstrip('-').partition(',')[0]}"
        else:
            yield line[:1], line[1:]


def _edited(lines: Sequence[str], edits: Sequence[Edit]) -> list[str]:
    """Return the lines after the edits; an edit that does not fit the file is skipped."""
    text = "\n".join(lines)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    for edit in sorted(edits, key=lambda each: each.span, reverse=True):
        span = edit.span
        if not 1 <= span.line <= span.end_line <= len(lines) + 1:
            continue
        first = starts[span.line - 1] + span.column - 1
        last = min(starts[span.end_line - 1] + span.end_column - 1, len(text))
        text = text[:first] + edit.content + text[last:]
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
