"""Codes in noqa comments of a project that silence no finding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from gblint.config.settings import Config
from gblint.diagnostics.finding import Finding
from gblint.filters.noqa import Comment, can_silence, comments, unused_codes
from gblint.filters.selection import Selection
from gblint.project.notebook import SUFFIX
from gblint.project.source_text import Source
from gblint.rules import codes_for
from gblint.runtime.lazy_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UnusedCodes:
    """A noqa comment in the file ``path``, and those of its codes that silence nothing."""

    path: Path
    comment: Comment
    codes: tuple[str, ...]


def unused_noqa(
    files: Iterable[Path], findings: Sequence[Finding], unread: Iterable[str], config: Config, source: Source
) -> Iterator[UnusedCodes]:
    """Yield the comments of ``files`` with codes that silence none of ``findings``, which no filter has changed.

    unread: the files with errors, of which nothing is known.  Notebooks are left out.
    """
    selection, _ = Selection.of(config)
    left_out = [code for code in codes_for("recompile") if not selection.wants(code)]
    by_path: defaultdict[str, list[tuple[str, int, int]]] = defaultdict(list)
    for finding in findings:
        span = finding.span
        by_path[str(Path(span.path).absolute())].append((finding.code, span.line, max(span.line, span.end_line)))
    skipped = {str(Path(path).absolute()) for path in unread}
    for path in sorted(files):
        full = str(path.absolute())
        if path.suffix == SUFFIX or full in skipped:
            continue
        text = source.text(full)
        if not can_silence(text):
            continue
        codes: dict[Comment, list[str]] = {}
        for comment, code in unused_codes(comments(text), by_path[full], left_out):
            codes.setdefault(comment, []).append(code)
        for comment, unused in codes.items():
            yield UnusedCodes(path, comment, tuple(unused))
