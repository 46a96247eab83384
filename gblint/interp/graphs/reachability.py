"""From summaries to reached breaks: the breaks that an entry point reaches, each with an easiest call chain."""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Iterable
from pathlib import Path

from gblint.diagnostics.break_event import BreakEvent, Category, Confidence, Consequence, ReachedBreak, of_both
from gblint.diagnostics.call_tree import CallTreeNode
from gblint.diagnostics.entry_point import EntryPoint, Region
from gblint.diagnostics.reach import REACHES, ReachCondition, rank
from gblint.diagnostics.span import ChainLink, Span
from gblint.interp.graphs.break_cost import Impact, Trail
from gblint.interp.graphs.call_tree import call_tree
from gblint.interp.graphs.partition import ONE_GRAPH
from gblint.interp.graphs.partitioner import Partitioner
from gblint.interp.models.python.uncaught import KIND as UNCAUGHT
from gblint.interp.state.entry import Entry, SingleCall
from gblint.interp.state.events import span_of
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.path_conditions import (
    DEFAULT,
    ERROR,
    INPUT,
    NO_MODES,
    OPTION,
    Condition,
    Modes,
    PathCondition,
    easier,
    level_of,
    with_modes,
)
from gblint.interp.state.trace_ir import EventInMode, FunctionSummary, NoEffect, UnknownPartCall, UnseenCall
from gblint.project.modules import Module
from gblint.project.required_imports import is_required
from gblint.runtime.lazy_dataclasses import dataclass, replace

# Breaks in a library behind so many undecided conditions of its code are only possible.
MANY_UNKNOWN = 2
# Breaks so many calls deep are only possible, if so many conditions on the way need an argument, an option or an error.
MANY_CALLS = 9
MANY_CONDITIONS = 2
Key = tuple[Span, str, str, Span]
_Visit = tuple[FunctionSummary, "Span | None", tuple[ChainLink, ...], Trail, PathCondition, Modes, bool, bool]
# The sets of training modes with which the walk enters a function, before it enters it regardless of them.
MAX_MODES = 4


class _Found:
    """One break, over all calls that reach it."""

    __slots__ = ("behind", "chain", "consequence", "cost", "event", "path", "region", "span")

    def __init__(
        self,
        event: BreakEvent,
        span: Span,
        chain: tuple[ChainLink, ...],
        region: Region,
        path: PathCondition,
        behind: ChainLink | None,
    ) -> None:
        self.event = event
        self.span = span
        self.chain = chain
        self.region = region
        self.path = path
        self.consequence: Consequence | None = None
        self.cost = 0
        self.behind = behind


_LONGEST_CONDITION = 120
_OPENED, _CLOSED = re.compile(r"([(\[{]) +"), re.compile(r",? +([)\]}])")


@dataclass(frozen=True, slots=True)
class TraceResult:
    """The trace of one entry point: its breaks, and the constructs without effect in its region.

    point: the entry point, with its number of graphs.
    files: the files of the project whose functions it runs, or that compile or call it.
    tree: the call tree, if it was requested.
    cut: why the trace is incomplete; empty if it is complete.
    unseen: the calls of packages that are not installed, in the user's code, of what the project needs; those in
        installed libraries are mostly of what is optional there.
    unknown: the calls of parts of modules of which nothing is known, on every path or on that of the defaults.
    """

    point: EntryPoint
    reached: tuple[ReachedBreak, ...] = ()
    notes: tuple[NoEffect, ...] = ()
    files: frozenset[str] = frozenset()
    tree: CallTreeNode | None = None
    cut: str = ""
    unseen: tuple[UnseenCall, ...] = ()
    unknown: tuple[UnknownPartCall, ...] = ()


def collect(interp: Interpreter, entry: Entry, root: FunctionSummary, partitioner: Partitioner) -> TraceResult:
    """Walk the calls of a root; a break is reported at the last line of the user's code on the way to it."""
    found: dict[Key, _Found] = {}
    notes = _Notes()
    impact = Impact(partitioner, root, entry.point.name)
    cuts: list[str] = []
    files = _walk(entry, root, impact, found, notes, cuts) | entry.seen_in
    impact.close()
    tree = call_tree(partitioner, root) if interp.builds_call_tree and impact.runs else None
    graphs = ONE_GRAPH if impact.graphs is not None and entry.point.region.raises else impact.graphs
    required = {call.package: is_required(interp.project, call.package) for call in notes.unseen}
    missing = tuple(call for call in notes.unseen if required[call.package])
    if (missing or notes.unknown) and graphs is not None and not entry.point.region.raises:
        graphs = replace(graphs, high=None)  # what is not known may break the graph
    texts = _Texts(interp)
    reached = tuple(
        ReachedBreak(
            texts.with_text(_unsure_beyond_defaults(f)),
            texts.in_characters(f.span),
            f.chain,
            (entry.point,),
            f.region,
            None if f.region.raises or f.event.category is not Category.GRAPH_BREAK else f.consequence,
            f.cost,
            REACHES[level_of(f.path)],
            texts.of_path(f.path),
        )
        for f in found.values()
    )
    cut = interp.budget.truncated_because or "".join(cuts[:1])
    point = replace(entry.point, graphs=graphs)
    return TraceResult(point, reached, tuple(notes.no_effects), files, tree, cut, missing, tuple(notes.unknown))


def _unsure_beyond_defaults(found: _Found) -> BreakEvent:
    """Return the event of a break, which is only likely if the source does not show that its place is reached."""
    event = found.event
    if event.confidence is Confidence.CERTAIN and level_of(found.path) > DEFAULT:
        return replace(event, confidence=Confidence.LIKELY)
    return event


def merge(each: Iterable[TraceResult]) -> list[ReachedBreak]:
    """Merge the breaks of several entry points."""
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
        found
        if len(entries[place]) == 1
        else replace(found, entries=(*{**dict.fromkeys(found.entries), **entries[place]},))
        for place, found in merged.items()
    ]


def in_call(interp: Interpreter, traced: TraceResult, call: SingleCall) -> TraceResult:
    """Return the trace of one of several calls: each break is reached in this call only."""
    condition = _Texts(interp).of_call(call)
    input_rank = rank(REACHES[INPUT])
    return replace(
        traced,
        reached=tuple(
            replace(
                found,
                reach=found.reach if rank(found.reach) > input_rank else REACHES[INPUT],
                when=(condition, *found.when),
            )
            for found in traced.reached
        ),
    )


def _both(old: ReachedBreak, new: ReachedBreak) -> ReachedBreak:
    """Merge a break that two entry points reach.

    The chain, the conditions and the consequence are those of one of them: the one that reaches it most easily, of two
    equal ones the one where it raises or costs most.
    """
    first = min(old, new, key=lambda each: (rank(each.reach), -_rank(each.region), -each.cost))
    other = new if first is old else old
    worse = new if _rank(new.region) > _rank(old.region) else old
    surer = new if new.event.confidence.rank > worse.event.confidence.rank else worse
    return replace(
        first,
        event=surer.event,
        region=worse.region,
        consequence=None if worse.region.raises else of_both(first.consequence, other.consequence),
    )


def _is_own(summary: FunctionSummary) -> bool:
    return summary.module is not None and summary.module.origin != "library"


def _walk(
    entry: Entry,
    root: FunctionSummary,
    impact: Impact,
    found: dict[Key, _Found],
    notes: _Notes,
    cuts: list[str],
) -> frozenset[str]:
    """Walk the calls, the easiest to reach first.  A library break is recorded once for each call of the user.

    Return the paths of the project's files on the way.
    """
    modules: set[Module] = set()
    queues: tuple[deque[_Visit], ...] = tuple([deque() for _ in range(ERROR + 1)])
    queues[0].append((root, None, (), Trail(), (), NO_MODES, True, False))
    visited = _Visited()
    while any(queues):
        summary, outside, chain, trail, path, modes, always, by_python = next(filter(None, queues)).popleft()
        if visited.has((id(summary), outside, by_python), modes):
            continue
        modes = visited.add((id(summary), outside, by_python), modes)
        notes.keep(summary, ERROR if outside is not None else level_of(path))
        if summary.cut:
            cuts.append(summary.cut)
        modules |= summary.silent_modules
        if summary.module is not None:
            modules.add(summary.module)
        for key, seen in summary.events.items():
            if seen.event.kind == UNCAUGHT and (path or not always):
                continue  # an exception that something on the way may catch
            if with_modes(modes, seen.path) is None:
                continue
            behind = impact.break_before(summary, key, by_python=by_python)
            noted = _note(entry, seen, outside, chain, found, (*path, *seen.path), _is_own(summary), behind)
            impact.add(trail, summary, key, noted)
        if by_python and summary.break_by_python is not None:
            _note(entry, summary.break_by_python, outside, chain, found, path, _is_own(summary))
        for span, callee in impact.in_order(summary):
            link = () if summary is root else (ChainLink(span.path, span.line, summary.function),)
            place = None if _is_own(callee) else outside if outside is not None or summary is root else span
            called = _is_called_by_python(impact, summary, span.line, callee, by_python=by_python)
            conditions = summary.call_paths[(span.line, id(callee))]
            farther, modes_there = path + conditions, with_modes(modes, conditions)
            if modes_there is None:
                continue
            if not visited.has((id(callee), place, called), modes_there):
                trail_there = impact.through(trail, summary, span.line, callee)
                goes_on = always and (summary is root or (span.line, id(callee)) in summary.unguarded)
                queues[level_of(farther)].append(
                    (callee, place, chain + link, trail_there, farther, modes_there, goes_on, called)
                )
            if callee.break_by_python is None or called or callee.breaks:
                continue
            to_break = impact.partitioner.inline_outcomes.path_to_break(callee)
            if to_break is not None:
                _note_made_by_python(entry, callee, place, chain + link, found, farther + to_break)
    return frozenset(str(module.path) for module in modules if module.origin != "library")


def _is_called_by_python(
    impact: Impact, summary: FunctionSummary, line: int, callee: FunctionSummary, *, by_python: bool
) -> bool:
    """Return whether code that runs eagerly calls ``callee``.

    by_python: eager code calls the caller, ``summary``.
    """
    if callee.break_by_python is None:
        return impact.break_before(summary, (line, id(callee)), by_python=by_python) is not None
    is_made_by_python = summary.break_by_python is not None and (by_python or summary.breaks)
    return is_made_by_python or impact.is_eager(summary, line, callee)


class _Notes:
    """The notes of the functions that the walk has entered, each kind in order."""

    def __init__(self) -> None:
        self.no_effects: dict[NoEffect, None] = {}
        self.unseen: dict[UnseenCall, None] = {}
        self.unknown: dict[UnknownPartCall, None] = {}

    def keep(self, summary: FunctionSummary, level: int) -> None:
        """Keep the notes of a function that is reached at ``level``; calls only if they are expected to run."""
        for note in summary.notes:
            if isinstance(note, NoEffect):
                self.no_effects[note] = None
            elif isinstance(note, UnseenCall) and level != ERROR:
                self.unseen[note] = None
            elif isinstance(note, UnknownPartCall) and level <= DEFAULT:
                self.unknown[note] = None


class _Visited:
    """The functions that the walk has entered, and the training modes with which it did."""

    def __init__(self) -> None:
        self._modes: dict[tuple[int, Span | None, bool], list[Modes]] = {}

    def has(self, key: tuple[int, Span | None, bool], modes: Modes) -> bool:
        """Return whether a visit with these modes adds nothing: one with some of them has taken place."""
        return any(each <= modes for each in self._modes.get(key, ()))

    def add(self, key: tuple[int, Span | None, bool], modes: Modes) -> Modes:
        """Note a visit; return the modes to assume in it, which are none after many visits."""
        known = self._modes.setdefault(key, [])
        if len(known) >= MAX_MODES:
            modes = NO_MODES
        known.append(modes)
        return modes


def _note(
    entry: Entry,
    seen: EventInMode,
    outside: Span | None,
    chain: tuple[ChainLink, ...],
    found: dict[Key, _Found],
    path: PathCondition,
    is_own: bool,
    behind: ChainLink | None = None,
) -> _Found:
    event = _on_path(seen.event, path, len(chain) + 1, is_own)
    if behind is not None and event.confidence is Confidence.CERTAIN:
        event = replace(event, confidence=Confidence.LIKELY)
    span = outside or event.span
    region = entry.point.region
    if seen.error_on_break is not None:
        region = replace(region, error_on_graph_break=seen.error_on_break)
        region = region if region.fullgraph else replace(region, option_source=seen.option_source)
    place = (event.span, event.kind, event.subject, span)
    old = found.get(place)
    full = (*chain, ChainLink(event.span.path, event.span.line, event.function))
    if old is None or _rank(region) > _rank(old.region):
        new = _Found(event, span, full, region, path, behind)
        if old is not None:
            new.consequence, new.cost = old.consequence, old.cost
            new.behind = behind and old.behind
            new.path = easier(old.path, path)
        found[place] = old = new
    else:
        old.behind = behind and old.behind
        if event.confidence.rank > old.event.confidence.rank:
            old.event = event
        if level_of(path) < level_of(old.path):
            old.path, old.chain = path, full
    return old


def _note_made_by_python(
    entry: Entry,
    init: FunctionSummary,
    outside: Span | None,
    chain: tuple[ChainLink, ...],
    found: dict[Key, _Found],
    path: PathCondition,
) -> None:
    """Note the breaks at ``super().__init__()`` of a module that Python makes again, since its ``init`` breaks."""
    seen = {id(init)}
    stack = [(init, outside, chain, path)]
    while stack:
        summary, place, links, farther = stack.pop()
        if summary.break_by_python is not None:
            _note(entry, summary.break_by_python, place, links, found, farther, _is_own(summary))
        for span, inner in summary.calls.values():
            if inner.break_by_python is None or id(inner) in seen:
                continue
            seen.add(id(inner))
            link = ChainLink(span.path, span.line, summary.function)
            there = place if place is not None else None if _is_own(inner) else span
            stack.append((inner, there, (*links, link), farther + summary.call_paths[(span.line, id(inner))]))


def _on_path(event: BreakEvent, path: PathCondition, depth: int, is_own: bool) -> BreakEvent:
    """Return the event with its confidence on a path: what needs an option, or an error, is not certain.

    An option of a library has its default unless the project sets it.  Each condition in the code of a library that is
    not decided is a fact about its objects that the interpreter does not know.

    depth: the number of functions from the entry point to the break.  In packages whose findings were judged, 2 of 28
    held from ``MANY_CALLS`` and ``MANY_CONDITIONS`` on, and 384 of the other 564 (benchmarks/wild).
    """
    if not path:
        return event
    confidence = event.confidence
    unknown = 0 if is_own else sum(each.level >= DEFAULT and each.module.origin == "library" for each in path)
    is_far = depth >= MANY_CALLS and sum(each.level >= INPUT for each in path) >= MANY_CONDITIONS
    if is_far or unknown >= MANY_UNKNOWN or (unknown and level_of(path) >= OPTION):
        confidence = Confidence.POSSIBLE
    elif confidence is Confidence.CERTAIN and (unknown or level_of(path) >= OPTION):
        confidence = Confidence.LIKELY
    return event if confidence is event.confidence else replace(event, confidence=confidence)


def _rank(region: Region) -> int:
    """Return how severe a break is in a region."""
    return 2 if region.raises else 0 if region.allows else 1


class _Texts:
    """The lines of the files with breaks, each file read once."""

    def __init__(self, interp: Interpreter) -> None:
        self._project = interp.project
        self._lines: dict[str, list[str]] = {}
        # Breaks behind one another share most of their conditions.
        self._conditions: dict[Condition, ReachCondition] = {}

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

    def of_path(self, path: PathCondition) -> tuple[ReachCondition, ...]:
        """Return the conditions of a path with their source text, each once."""
        return tuple(dict.fromkeys(self._condition(each) for each in path))

    def of_call(self, call: SingleCall) -> ReachCondition:
        """Return the condition that this call is made."""
        span = span_of(call.module, call.node)
        return ReachCondition(f"call {self._source(span)}", span.path, span.line, True, REACHES[INPUT])

    def _condition(self, each: Condition) -> ReachCondition:
        known = self._conditions.get(each)
        if known is None:
            known = self._conditions[each] = self._described(each)
        return known

    def _described(self, each: Condition) -> ReachCondition:
        node = each.node
        span = span_of(each.module, node)
        if isinstance(node, ast.ExceptHandler):
            caught = "" if node.type is None else " " + self._source(span_of(each.module, node.type))
            text = f"except{caught}"
        else:
            text = self._source(span)
            text = f"case {text}" if isinstance(node, ast.pattern) else text
        text = f"{text} is {each.chosen}" if each.chosen else text
        return ReachCondition(text, span.path, span.line, each.holds, REACHES[each.level])

    def _source(self, span: Span) -> str:
        """Return the source of an expression in one line of limited length."""
        lines = self.lines(span.path)
        inside = [line.encode("utf-8") for line in lines[span.line - 1 : span.end_line]]
        if not inside:
            return ""
        inside[-1] = inside[-1][: span.end_column - 1]
        inside[0] = inside[0][span.column - 1 :]
        text = " ".join(" ".join(line.decode("utf-8", "replace") for line in inside).split())
        text = _OPENED.sub(r"\1", _CLOSED.sub(r"\1", text))
        return text if len(text) <= _LONGEST_CONDITION else text[: _LONGEST_CONDITION - 3] + "..."

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
