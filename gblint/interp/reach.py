"""From summaries to reached breaks: which entry points reach each break, and the shortest way there."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gblint.findings import BreakEvent, Category, ChainLink, Consequence, EntryPoint, ReachedBreak, Region, Span
from gblint.interp.consequences import ONE, Planner
from gblint.interp.frames import Seen, Summary
from gblint.interp.impact import Impact, Trail
from gblint.interp.machine import Machine
from gblint.interp.picture import call_tree
from gblint.project.modules import Module

if TYPE_CHECKING:
    from gblint.interp.engine import Entry

Key = tuple[Span, str, str, Span]


class _Found:
    """One break while its entry points are gathered."""

    __slots__ = ("chain", "consequence", "cost", "entries", "region", "seen", "span")

    def __init__(self, seen: Seen, span: Span, chain: tuple[ChainLink, ...], region: Region) -> None:
        self.seen = seen
        self.span = span
        self.chain = chain
        self.region = region
        self.entries: dict[EntryPoint, None] = {}
        self.consequence: Consequence | None = None
        self.cost = 0


def collect(m: Machine, roots: Sequence[tuple[Entry, Summary]]) -> list[ReachedBreak]:
    """Walks the calls of every root; a break is reported where the user's code last was on the way to it."""
    found: dict[Key, _Found] = {}
    planner = Planner()
    for entry, root in roots:
        impact = Impact(planner, root, entry.point.name)
        m.reach[entry.point] = _walk(entry, root, impact, found)
        impact.close()
        if m.trees is not None:
            tree = call_tree(planner, root) if impact.runs else None
            if tree is not None:
                m.trees[entry.point] = tree
        if impact.graphs is not None:
            m.graphs[entry.point] = ONE if entry.point.region.raises else impact.graphs
    return [
        ReachedBreak(
            _with_text(m, f.seen.event),
            in_characters(m, f.span),
            f.chain,
            tuple(f.entries),
            f.region,
            None if f.region.raises or f.seen.event.category is not Category.GRAPH_BREAK else f.consequence,
            f.cost,
        )
        for f in found.values()
    ]


def _is_own(summary: Summary) -> bool:
    return summary.module is not None and summary.module.origin != "library"


def _walk(entry: Entry, root: Summary, impact: Impact, found: dict[Key, _Found]) -> frozenset[str]:
    """Breadth first, so that the first way found is a shortest one; library code is told apart by the user's call.

    Gives the paths of the project's files that it came through.
    """
    modules: set[Module] = set()
    queue: deque[tuple[Summary, Span | None, tuple[ChainLink, ...], Trail]] = deque([(root, None, (), Trail())])
    visited: set[tuple[int, Span | None]] = {(id(root), None)}
    while queue:
        summary, outside, chain, trail = queue.popleft()
        modules |= summary.quiet
        if summary.module is not None:
            modules.add(summary.module)
        for key, seen in summary.events.items():
            noted = _note(entry, seen, outside, chain, found)
            impact.add(trail, summary, key, noted)
        for span, callee in summary.calls.values():
            link = () if summary is root else (ChainLink(span.path, span.line, summary.function),)
            place = None if _is_own(callee) else outside if outside is not None or summary is root else span
            mark = (id(callee), place)
            if mark not in visited:
                visited.add(mark)
                queue.append((callee, place, chain + link, impact.through(trail, summary, span.line, callee)))
    return frozenset(str(module.path) for module in modules if module.origin != "library")


def _note(
    entry: Entry, seen: Seen, outside: Span | None, chain: tuple[ChainLink, ...], found: dict[Key, _Found]
) -> _Found:
    event = seen.event
    span = outside or event.span
    region = entry.point.region
    if seen.error_on_break is not None:
        region = replace(region, error_on_graph_break=seen.error_on_break)
        region = region if region.fullgraph else replace(region, said=seen.said)
    place = (event.span, event.kind, event.subject, span)
    old = found.get(place)
    if old is None or _rank(region) > _rank(old.region):
        full = (*chain, ChainLink(event.span.path, event.span.line, event.function))
        new = _Found(seen, span, full, region)
        if old is not None:
            new.entries, new.consequence, new.cost = old.entries, old.consequence, old.cost
        found[place] = old = new
    elif event.confidence.rank > old.seen.event.confidence.rank:
        old.seen = seen
    old.entries[entry.point] = None
    return old


def _rank(region: Region) -> int:
    """How bad a break is in a region."""
    return 2 if region.raises else 0 if region.allows else 1


def _lines(m: Machine, path: str) -> list[str]:
    module = m.project.module_at(Path(path).absolute())
    return [] if module is None else module.lines


def in_characters(m: Machine, span: Span) -> Span:
    """``span``, whose columns count bytes of UTF-8 as those of ``ast`` do, with columns that count characters."""
    lines = _lines(m, span.path)

    def column(line: int, offset: int) -> int:
        if not 0 < line <= len(lines) or lines[line - 1].isascii():
            return offset
        return len(lines[line - 1].encode("utf-8")[: offset - 1].decode("utf-8", "replace")) + 1

    return replace(span, column=column(span.line, span.column), end_column=column(span.end_line, span.end_column))


def _with_text(m: Machine, event: BreakEvent) -> BreakEvent:
    """The event with the source text of its expression."""
    span = in_characters(m, event.span)
    lines = _lines(m, span.path)
    if not 0 < span.line <= len(lines):
        return replace(event, span=span)
    line = lines[span.line - 1]
    text = line[span.column - 1 : span.end_column - 1] if span.end_line == span.line else line.strip()
    return replace(event, span=span, expression=text[:120])
