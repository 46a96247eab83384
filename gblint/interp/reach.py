"""From summaries to reached breaks: which entry points reach each break, and the shortest way there."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gblint.findings import BreakEvent, ChainLink, EntryPoint, ReachedBreak, Region, Span
from gblint.interp.frames import Seen, Summary
from gblint.interp.machine import Machine

if TYPE_CHECKING:
    from gblint.interp.engine import Entry

Key = tuple[Span, str, str, Span]


class _Found:
    """One break while its entry points are gathered."""

    __slots__ = ("allowed", "chain", "entries", "region", "seen", "span")

    def __init__(self, seen: Seen, span: Span, chain: tuple[ChainLink, ...], region: Region, allowed: bool) -> None:
        self.seen = seen
        self.span = span
        self.chain = chain
        self.region = region
        self.allowed = allowed
        self.entries: dict[EntryPoint, None] = {}


def collect(m: Machine, roots: Sequence[tuple[Entry, Summary]]) -> list[ReachedBreak]:
    """Walks the calls of every root; a break is reported where the user's code last was on the way to it."""
    found: dict[Key, _Found] = {}
    for entry, root in roots:
        _walk(entry, root, found)
    return [
        ReachedBreak(_with_text(m, f.seen.event), f.span, f.chain, tuple(f.entries), f.region, f.allowed)
        for f in found.values()
    ]


def _is_own(summary: Summary) -> bool:
    return summary.module is not None and summary.module.origin != "library"


def _walk(entry: Entry, root: Summary, found: dict[Key, _Found]) -> None:
    """Breadth first, so that the first way found is a shortest one; library code is told apart by the user's call."""
    start = (root, None, ())
    queue: deque[tuple[Summary, Span | None, tuple[ChainLink, ...]]] = deque([start])
    visited: set[tuple[int, Span | None]] = {(id(root), None)}
    while queue:
        summary, outside, chain = queue.popleft()
        for seen in summary.events.values():
            _note(entry, seen, outside, chain, found)
        for span, callee in summary.calls.values():
            link = () if summary is root else (ChainLink(span.path, span.line, summary.function),)
            place = None if _is_own(callee) else outside if outside is not None or summary is root else span
            mark = (id(callee), place)
            if mark not in visited:
                visited.add(mark)
                queue.append((callee, place, chain + link))


def _note(
    entry: Entry, seen: Seen, outside: Span | None, chain: tuple[ChainLink, ...], found: dict[Key, _Found]
) -> None:
    event = seen.event
    span = outside or event.span
    region = entry.point.region
    if seen.error_on_break is not None:
        region = replace(region, error_on_graph_break=seen.error_on_break)
    allowed = seen.error_on_break is False
    place = (event.span, event.kind, event.subject, span)
    old = found.get(place)
    if old is None or (region.raises and not old.region.raises):
        full = (*chain, ChainLink(event.span.path, event.span.line, event.function))
        new = _Found(seen, span, full, region, allowed)
        if old is not None:
            new.entries = old.entries
        found[place] = old = new
    elif event.confidence.rank > old.seen.event.confidence.rank:
        old.seen = seen
    old.entries[entry.point] = None


def _with_text(m: Machine, event: BreakEvent) -> BreakEvent:
    """The event with the source text of its expression."""
    from pathlib import Path

    module = m.project.module_at(Path(event.span.path).absolute())
    if module is None:
        return event
    lines = module.lines
    span = event.span
    if not 0 < span.line <= len(lines):
        return event
    if span.end_line == span.line:
        raw = lines[span.line - 1].encode("utf-8")[span.column - 1 : span.end_column - 1]
        text = raw.decode("utf-8", "replace")
    else:
        text = lines[span.line - 1].strip()
    return replace(event, expression=text[:120])
