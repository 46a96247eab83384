"""From summaries to reached breaks: the breaks that an entry point reaches, each with a shortest call chain."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from gblint.diagnostics.break_event import BreakEvent, Category, Consequence, ReachedBreak
from gblint.diagnostics.call_tree import CallTreeNode
from gblint.diagnostics.entry_point import EntryPoint, Region
from gblint.diagnostics.span import ChainLink, Span
from gblint.interp.graphs.break_cost import Impact, Trail
from gblint.interp.graphs.call_tree import call_tree
from gblint.interp.graphs.partition import ONE_GRAPH
from gblint.interp.graphs.partitioner import Partitioner
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.trace_ir import EventInMode, FunctionSummary, NoEffect
from gblint.project.modules import Module
from gblint.runtime.lazy_dataclasses import dataclass, replace

if TYPE_CHECKING:
    from gblint.interp.state.entry import Entry

Key = tuple[Span, str, str, Span]


class _Found:
    """One break, over all calls that reach it."""

    __slots__ = ("chain", "consequence", "cost", "region", "seen", "span")

    def __init__(self, seen: EventInMode, span: Span, chain: tuple[ChainLink, ...], region: Region) -> None:
        self.seen = seen
        self.span = span
        self.chain = chain
        self.region = region
        self.consequence: Consequence | None = None
        self.cost = 0


_OPENED, _CLOSED = re.compile(r"([(\[{]) +"), re.compile(r",? +([)\]}])")


@dataclass(frozen=True, slots=True)
class TraceResult:
    """The trace of one entry point: its breaks, and the constructs without effect in its region.

    point: the entry point, with its number of graphs.
    files: the files of the project whose functions it runs, or that compile or call it.
    tree: the call tree, if it was requested.
    cut: why the trace is incomplete; empty if it is complete.
    """

    point: EntryPoint
    reached: tuple[ReachedBreak, ...] = ()
    notes: tuple[NoEffect, ...] = ()
    files: frozenset[str] = frozenset()
    tree: CallTreeNode | None = None
    cut: str = ""


def collect(interp: Interpreter, entry: Entry, root: FunctionSummary, partitioner: Partitioner) -> TraceResult:
    """Walk the calls of a root; a break is reported at the last line of the user's code on the way to it."""
    found: dict[Key, _Found] = {}
    notes: dict[NoEffect, None] = {}
    impact = Impact(partitioner, root, entry.point.name)
    files = _walk(entry, root, impact, found, notes) | entry.seen_in
    impact.close()
    tree = call_tree(partitioner, root) if interp.builds_call_tree and impact.runs else None
    graphs = ONE_GRAPH if impact.graphs is not None and entry.point.region.raises else impact.graphs
    texts = _Texts(interp)
    reached = tuple(
        ReachedBreak(
            texts.with_text(f.seen.event),
            texts.in_characters(f.span),
            f.chain,
            (entry.point,),
            f.region,
            None if f.region.raises or f.seen.event.category is not Category.GRAPH_BREAK else f.consequence,
            f.cost,
        )
        for f in found.values()
    )
    return TraceResult(
        replace(entry.point, graphs=graphs), reached, tuple(notes), files, tree, interp.budget.truncated_because
    )


def merge(each: Iterable[TraceResult]) -> list[ReachedBreak]:
    """Merge the breaks of several entry points; each break keeps its worst consequence."""
    merged: dict[Key, ReachedBreak] = {}
    entries: dict[Key, dict[EntryPoint, None]] = {}
    for traced in each:
        for new in traced.reached:
            event = new.event
            place = (event.span, event.kind, event.subject, new.span)
            entries.setdefault(place, {}).update(dict.fromkeys(new.entries))
            old = merged.get(place)
            merged[place] = new if old is None else _both(old, new)
    return [
        found if len(found.entries) == len(entries[place]) else replace(found, entries=tuple(entries[place]))
        for place, found in merged.items()
    ]


def _both(old: ReachedBreak, new: ReachedBreak) -> ReachedBreak:
    """Merge a break that two entry points reach: the worse of both, as one of them reaches it."""
    worse = new if _rank(new.region) > _rank(old.region) else old
    surer = new if worse is old and new.event.confidence.rank > old.event.confidence.rank else worse
    dearer = new if new.cost > old.cost else old
    return ReachedBreak(
        surer.event,
        worse.span,
        worse.chain,
        old.entries,
        worse.region,
        None if worse.region.raises else dearer.consequence,
        dearer.cost,
    )


def _is_own(summary: FunctionSummary) -> bool:
    return summary.module is not None and summary.module.origin != "library"


def _walk(
    entry: Entry, root: FunctionSummary, impact: Impact, found: dict[Key, _Found], notes: dict[NoEffect, None]
) -> frozenset[str]:
    """Walk the calls breadth first, so that the first chain is a shortest one; library breaks differ by the user's
    call.

    Return the paths of the project's files on the way.
    """
    modules: set[Module] = set()
    queue: deque[tuple[FunctionSummary, Span | None, tuple[ChainLink, ...], Trail]] = deque([(root, None, (), Trail())])
    visited: set[tuple[int, Span | None]] = {(id(root), None)}
    while queue:
        summary, outside, chain, trail = queue.popleft()
        notes.update(summary.notes)
        modules |= summary.quiet
        if summary.module is not None:
            modules.add(summary.module)
        for key, seen in summary.events.items():
            noted = _note(entry, seen, outside, chain, found)
            impact.add(trail, summary, key, noted)
        for span, callee in impact.in_order(summary):
            link = () if summary is root else (ChainLink(span.path, span.line, summary.function),)
            place = None if _is_own(callee) else outside if outside is not None or summary is root else span
            mark = (id(callee), place)
            if mark not in visited:
                visited.add(mark)
                queue.append((callee, place, chain + link, impact.through(trail, summary, span.line, callee)))
    return frozenset(str(module.path) for module in modules if module.origin != "library")


def _note(
    entry: Entry, seen: EventInMode, outside: Span | None, chain: tuple[ChainLink, ...], found: dict[Key, _Found]
) -> _Found:
    event = seen.event
    span = outside or event.span
    region = entry.point.region
    if seen.error_on_break is not None:
        region = replace(region, error_on_graph_break=seen.error_on_break)
        region = region if region.fullgraph else replace(region, option_source=seen.said)
    place = (event.span, event.kind, event.subject, span)
    old = found.get(place)
    if old is None or _rank(region) > _rank(old.region):
        full = (*chain, ChainLink(event.span.path, event.span.line, event.function))
        new = _Found(seen, span, full, region)
        if old is not None:
            new.consequence, new.cost = old.consequence, old.cost
        found[place] = old = new
    elif event.confidence.rank > old.seen.event.confidence.rank:
        old.seen = seen
    return old


def _rank(region: Region) -> int:
    """Return how severe a break is in a region."""
    return 2 if region.raises else 0 if region.allows else 1


class _Texts:
    """The lines of the files with breaks, each file read once."""

    def __init__(self, interp: Interpreter) -> None:
        self._project = interp.project
        self._lines: dict[str, list[str]] = {}

    def lines(self, path: str) -> list[str]:
        """Return the lines of a file; none if it does not exist."""
        known = self._lines.get(path)
        if known is None:
            module = self._project.module_at(Path(path))
            known = self._lines[path] = [] if module is None else module.lines
        return known

    def in_characters(self, span: Span) -> Span:
        """Convert the columns of ``span`` from UTF-8 bytes, as in ``ast``, to characters."""
        lines = self.lines(span.path)
        column = _column(lines, span.line, span.column)
        end = _column(lines, span.end_line, span.end_column)
        if column == span.column and end == span.end_column:
            return span
        return replace(span, column=column, end_column=end)

    def with_text(self, event: BreakEvent) -> BreakEvent:
        """Return the event with the source text of its expression."""
        span = self.in_characters(event.span)
        lines = self.lines(span.path)
        if not 0 < span.line <= len(lines):
            return replace(event, span=span)
        line = lines[span.line - 1]
        text = line[span.column - 1 : span.end_column - 1] if span.end_line == span.line else line.strip()
        if span.end_line > span.line and text.endswith(("(", "[", "{", ",")):
            # The first line of a call over several lines is not enough.
            inner = [each.strip() for each in lines[span.line : span.end_line - 1]]
            last = lines[span.end_line - 1][: span.end_column - 1] if span.end_line <= len(lines) else ""
            joined = " ".join((line[span.column - 1 :].strip(), *inner, last.strip()))
            text = _OPENED.sub(r"\1", _CLOSED.sub(r"\1", joined))
        return replace(event, span=span, expression=text[:120])


def _column(lines: list[str], line: int, offset: int) -> int:
    if not 0 < line <= len(lines) or lines[line - 1].isascii():
        return offset
    return len(lines[line - 1].encode("utf-8")[: offset - 1].decode("utf-8", "replace")) + 1
