"""The work of a scan in pieces that do not depend on each other: some files, or some entry points."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from gblint.cache.store import Dependencies
from gblint.config.settings import Config
from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.fix import Fix
from gblint.diagnostics.report import FileError
from gblint.diagnostics.span import Span
from gblint.entrypoints.prefilter import has_forward
from gblint.entrypoints.search import EntrySearch, assumed_entries, find_compiled
from gblint.filters.noqa import comments, no_such_code, unknown_codes
from gblint.interp import Entry, Interpreter, Observer, Progress, Tracer, TraceResult
from gblint.interp.tracer import another
from gblint.pipeline.context import LintRequest, RunContext, prepare
from gblint.project.dependencies import DependencyRecorder
from gblint.project.modules import Module
from gblint.project.project import Project
from gblint.rules import all_rules
from gblint.runtime.lazy_dataclasses import dataclass, field

if TYPE_CHECKING:
    from gblint.parallel.pool import SpeculativeWorker

Step = Callable[[str], None]

# So many interpreters are left as they are in memory.
MOST_LEFT = 6
# The files are divided after each so many of them, and where a piece is large enough.  A file that is changed, even one
# that grows, changes none but those around it; and pieces do not depend on how they are shared.
FILES_IN_PIECE = 4
LARGEST = 400_000
ENTRIES_IN_PIECE = 16
# What the names of pieces begin with; those that are traced where they were found have no other name.
FILES, ENTRIES = "files ", "entries"
# A process is worth its while if it has so many pieces to do; or one, where it can be copied and there is so much
# source for each process.
PIECES_FOR_PROCESS = 2
SOURCE_FOR_COPY = 50_000
# What refers to itself is looked for when so many syntax trees have been made that some were put away so often: looking
# takes as long as half a second's work.
FULL_BEFORE_COLLECTION = 4


@dataclass(frozen=True, slots=True)
class WorkUnit:
    """Some files, by their number in the project, and some entry points, by theirs in the search."""

    files: range = range(0)
    entries: range = range(0)

    @property
    def size(self) -> int:
        """The number of steps in it."""
        return len(self.files) + len(self.entries)


@dataclass(frozen=True, slots=True)
class FixVote:
    """The fixes that one piece of work knows for a finding, which is told by its code, its place and its message.

    ``text`` stands for that of the file.
    """

    code: str
    span: Span
    message: str
    fixes: tuple[Fix, ...]
    text: str


@dataclass(frozen=True, slots=True)
class ExecutedLines:
    """The lines of a file that a piece of work ran, each stretch of them by its first and its last."""

    path: str
    lines: tuple[int, ...]

    def is_in(self, first: int, last: int) -> bool:
        """Whether any of them is between two lines."""
        return any(low <= last and first <= high for low, high in zip(self.lines[::2], self.lines[1::2]))


@dataclass(slots=True)
class UnitResult:
    """What came of a piece: the traces, what is wrong with files, what is only told to people, and votes on fixes
    with what they hang on.

    It is the same as long as the files that were ``read`` are, and no other file of the user's has, or gets, one of
    the ``words``.
    """

    name: str = ""
    read: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    traces: list[TraceResult] = field(default_factory=list)
    problems: list[FileError] = field(default_factory=list)
    warnings: list[FileError] = field(default_factory=list)
    errors: list[FileError] = field(default_factory=list)
    votes: list[FixVote] = field(default_factory=list)
    ran: list[ExecutedLines] = field(default_factory=list)
    evidence: Dependencies | None = None


@dataclass(frozen=True, slots=True)
class SpeculativeRun:
    """Processes that do some of ``pieces`` already; a scan of the same pieces takes them over."""

    pieces: list[WorkUnit]
    running: list[SpeculativeWorker]


class UnitHook(Protocol):
    """What is done after each piece, with what the interpreter still knows, and put into its part.

    It can be said to another process.  ``key`` stands for all that makes a difference to what it does.
    """

    @property
    def key(self) -> str:
        """Something that is another for whatever would do something else."""

    def new_observer(self) -> Observer | None:
        """Return the observer that the interpreters of a process get."""

    def __call__(self, m: Interpreter, part: UnitResult) -> None:
        """Do it."""


def divide(setting: RunContext, search: EntrySearch, *, requested: bool, everything: bool) -> list[WorkUnit]:
    """The pieces of a scan: neighbours stay together, since they mostly call the same functions.

    They do not depend on the number of processes.
    """
    count = len(search.entries)
    few = ENTRIES_IN_PIECE if requested else max(count, 1)
    pieces = [WorkUnit(entries=range(start, min(start + few, count))) for start in range(0, count, few)]
    return pieces + [WorkUnit(files=files) for files in _by_number(setting)] if everything else pieces


def _by_number(setting: RunContext) -> Iterator[range]:
    modules = list(setting.project.user_modules())
    start = gathered = 0
    for number, module in enumerate(modules):
        gathered += _size(str(module.path))
        ends = (number + 1) % FILES_IN_PIECE == 0
        if ends or gathered >= LARGEST or number == len(modules) - 1:
            yield range(start, number + 1)
            start, gathered = number + 1, 0


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


class UnitRunner:
    """Where pieces are worked on, one after another.

    What comes of a piece does not depend on those before it: each has an interpreter of its own, but for what the
    project's own code compiles, which hangs on the one that looked for it and is a single piece.  Without ``afresh``
    there is one interpreter for all.
    """

    def __init__(
        self, setting: RunContext, search: EntrySearch, opening: UnitRunnerFactory, *, afresh: bool = True
    ) -> None:
        request, config = opening.request, opening.config
        self._setting = setting
        self.project = setting.project
        self._afresh = afresh
        self._looks_up = bool(request.requested(config)) and len(search.entries) > ENTRIES_IN_PIECE
        self._search = search
        self._everything = request.wants_everything(config)
        self._only = request.only
        self._after = opening.after
        self._files = [str(module.path) for module in setting.project.user_modules()]
        self._tracer = Tracer(setting.interpreter)
        self._left: list[Interpreter] = []
        self._used: dict[Module, int] = {}
        self._done = self._times_full = 0

    def do(self, piece: WorkUnit, step: Step) -> UnitResult:
        """Do one piece; ``step`` is told what comes next."""
        part = UnitResult(self.name_of(piece))
        reading = self._begin(piece)
        for entry in self._entries(piece):
            step(entry.point.name)
            _keep(self._trace(entry, part), part)
        if self._afresh and piece.files:
            self._renew()
        for number in piece.files:
            module = self._module(number)
            step(module.display)
            if self._search.assumes:
                self._trace_assumed(module, part)
            self._look_through(module, part)
        note(part, self.project, reading)
        if self._after is not None:
            self._after(self._tracer.interpreter, part)
        if self._afresh:
            self._put_away()
        return part

    def size_of(self, piece: WorkUnit) -> int:
        """How much source is in the files of a piece."""
        return sum(_size(self._files[number]) for number in piece.files)

    def weight_of(self, piece: WorkUnit) -> int:
        """About how much there is to trace in a piece."""
        if not piece.files:
            return LARGEST
        texts = [self._module(number).source for number in piece.files] if self._search.assumes else []
        return sum(len(text) for text in texts if has_forward(text))

    def name_of(self, piece: WorkUnit) -> str:
        """What the piece is."""
        if piece.files:
            return f"{FILES}{piece.files.start}-{piece.files.stop}{' assumed' if self._search.assumes else ''}"
        if not self._looks_up:
            return ENTRIES
        names = (entry.point.name for entry in self._search.entries[piece.entries.start : piece.entries.stop])
        return f"{ENTRIES} {piece.entries.start} {' '.join(names)}"

    def _begin(self, piece: WorkUnit) -> DependencyRecorder:
        """Note what the piece comes by; one that uses the interpreter of the search goes on with what that did."""
        if self._search.reading is not None and not (piece.files or self._looks_up):
            self.project.resume_unit(self._search.reading)
            return self._search.reading
        return self.project.begin_unit(reread_errors=self._afresh)

    def _module(self, number: int) -> Module:
        module = self.project.module_at(Path(self._files[number]))
        assert module is not None  # it is one of the user's files
        return module

    def _put_away(self) -> None:
        """Forgets files that were not used of late, where many are in memory; they are read again on demand."""
        self._done += 1
        for module in self._tracer.interpreter.caches.evaluated_modules():
            self._used[module] = self._done
        if len(self._left) > MOST_LEFT:
            self._forget()
        if self.project.is_full():
            self._renew()
            self._forget()
            self.project.evict(self._used)
            self._times_full += 1
            if self._times_full % FULL_BEFORE_COLLECTION == 0:
                # Whoever runs this may have turned off the search for what refers to itself; by now there is much.
                gc.collect()

    def _entries(self, piece: WorkUnit) -> list[Entry]:
        found = self._search.entries[piece.entries.start : piece.entries.stop]
        if not (self._afresh and self._looks_up and found):
            return found
        self._renew()
        return find_compiled(self._tracer.interpreter, [entry.point.name for entry in found], assume="never").entries

    def _renew(self) -> None:
        """Goes on with another interpreter; what the first ones leave is not worth taking apart in a short run."""
        if self._tracer.interpreter is not self._setting.interpreter:
            self._left.append(self._tracer.interpreter)
        self._tracer = self._fresh()
        # What was recorded in a piece is asked for at its end.
        if len(self._left) > MOST_LEFT and self._after is None:
            self._forget()

    def _forget(self) -> None:
        for left in self._left:
            left.release()
        self._left.clear()

    def _fresh(self) -> Tracer:
        return Tracer(another(self._setting.interpreter))

    def close(self) -> UnitResult:
        """What is to say at the end, of the files that were read along the way."""
        part = UnitResult()
        project = self._setting.project
        if not self._everything:
            for module in project.user_modules():
                if module.is_parsed:
                    part.warnings += self._warnings(module)
        part.evidence = Dependencies(project.files_read(), project.folders_listed())
        return part

    def _trace_assumed(self, module: Module, part: UnitResult) -> None:
        """Trace what is assumed to be compiled in a module.

        Where an errand was hurried, more or less came of it by what the interpreter had seen before.  Then it is done
        by one that has seen nothing, and nobody goes on with that.
        """
        search = EntrySearch()
        entries = self._assumed(module, search)
        for number in range(len(entries)):
            traced = self._trace(entries[number], part)
            if self._afresh and self._tracer.interpreter.budget.cut_entry:
                alone = self._as_new(module, entries[number : number + 1])
                traced = self._trace(alone[0], part)
                entries = self._as_new(module, entries)
            _keep(traced, part)
        part.problems += search.problems

    def _assumed(self, module: Module, search: EntrySearch) -> list[Entry]:
        return chosen(assumed_entries(self._tracer.interpreter, module, search), self._only)

    def _as_new(self, module: Module, entries: list[Entry]) -> list[Entry]:
        """Goes on with another interpreter; returns the entry points of ``module`` as they are there."""
        self._renew()
        known = {entry.point: entry for entry in self._assumed(module, EntrySearch())}
        return [known.get(entry.point, entry) for entry in entries]

    def _trace(self, entry: Entry, part: UnitResult) -> TraceResult:
        try:
            traced = self._tracer.trace(entry)
        except Exception:
            # The interpreter may be left in any state.
            self._tracer = self._fresh()
            try:
                traced = self._tracer.trace(entry)
            except Exception as error:
                traced = TraceResult(entry.point)
                part.problems.append(internal_error(entry.point.path, entry.point.line, entry.point.name, error))
        return traced

    def _look_through(self, module: Module, part: UnitResult) -> None:
        """See what is wrong with a file that no trace needed; that goes to the project's errors."""
        part.warnings += self._warnings(module)
        module.check()
        if self._afresh and not self._tracer.interpreter.caches.has_evaluated(module):
            module.release()

    def _warnings(self, module: Module) -> Iterator[FileError]:
        """The noqa comments that silence nothing."""
        text = module.source
        if "GBL" in text and "noqa" in text:
            codes = [rule.code for rule in all_rules()]
            for line, code in unknown_codes(comments(text), codes):
                yield FileError(str(module.path), line, f"noqa: {no_such_code(code, codes)}")


def _keep(traced: TraceResult, part: UnitResult) -> None:
    part.traces.append(traced)
    if traced.cut:
        point = traced.point
        said = f"`{point.name}` is not followed to its end: {traced.cut}"
        part.warnings.append(FileError(point.path, point.line, said))


@dataclass(frozen=True, slots=True)
class UnitRunnerFactory:
    """Makes a bench of its own in a process that begins with nothing."""

    request: LintRequest
    config: Config
    after: UnitHook | None = None

    def __call__(self) -> UnitRunner:
        setting = prepare(self.request, self.config, self.after.new_observer() if self.after is not None else None)
        search = look_for_entries(setting, self.request, self.config)
        return UnitRunner(setting, search, self)


def look_for_entries(
    setting: RunContext, request: LintRequest, config: Config, progress: Progress | None = None
) -> EntrySearch:
    """The entry points, but for those that are only assumed."""
    if request.again is not None:
        return request.again.search
    reading = setting.project.begin_unit(reread_errors=False)
    search = find_compiled(
        setting.interpreter,
        request.requested(config),
        assume=config.assume_entries,
        compilers=config.entry_decorators,
        progress=progress,
    )
    if request.keep and search.assumes:
        # Those that are assumed are a part of what is kept.
        for module in setting.project.user_modules():
            search.entries += assumed_entries(setting.interpreter, module, search)
        search.assumes = False
    search.entries = chosen(search.entries, request.only)
    search.reading = reading
    return search


def note(part: UnitResult, project: Project, reading: DependencyRecorder) -> None:
    """Put into ``part`` what its work came by, and what was found to be wrong there."""
    part.read = tuple(sorted(str(module.path) for module in reading.modules))
    part.words = tuple(sorted(reading.words))
    shown = {module.display for module in reading.modules}
    part.errors = [error for error in project.errors if error.path in shown]


def chosen(entries: list[Entry], only: Callable[[EntryPoint], bool] | None) -> list[Entry]:
    """Those of some entry points that are wanted."""
    return entries if only is None else [entry for entry in entries if only(entry.point)]


class Scan:
    """All pieces of a run, and what came of them, in the order of the entry points and the files.

    ``known`` are parts that need not be done, by the names of their pieces.  What has to be done again is done by whole
    pieces, as in a run that knows nothing: how files are grouped may show in what is found.
    """

    def __init__(
        self,
        setting: RunContext,
        search: EntrySearch,
        opening: UnitRunnerFactory,
        *,
        afresh: bool,
        known: Mapping[str, UnitResult] | None = None,
    ) -> None:
        self._files = [module.display for module in setting.project.user_modules()]
        request, config = opening.request, opening.config
        everything = request.wants_everything(config)
        pieces = divide(setting, search, requested=bool(request.requested(config)), everything=everything)
        self._bench = UnitRunner(setting, search, opening, afresh=afresh)
        self._known = known or {}
        self._order = [self._bench.name_of(piece) for piece in pieces]
        self._pieces = [piece for piece, name in zip(pieces, self._order) if name not in self._known]
        self._opening = opening
        self._lost = False
        self._search = search
        self.parts: list[UnitResult] = []
        self.warnings: list[FileError] = []
        self.errors: set[FileError] = set()
        self.evidence: Dependencies | None = None

    def run(self, jobs: int, progress: Progress | None, early: SpeculativeRun | None = None) -> Scan:
        """Do them in up to ``jobs`` processes, some of which may have begun."""
        jobs = min(jobs, max(len(self._pieces) // PIECES_FOR_PROCESS, self._copies(jobs)))
        done = dict(self._known)
        for part in self._here(progress) if jobs < 2 else self._apart(jobs, progress, early):
            if part.evidence is None:
                done[part.name] = part
                continue
            self.evidence = part.evidence if self.evidence is None else self.evidence.also(part.evidence)
            self.warnings += part.warnings
        self.parts = [done[name] for name in self._order if name in done]
        for part in self.parts:
            self.warnings += part.warnings
            self.errors.update(part.problems, part.errors)
        if self._lost:
            self.evidence = None
        self.warnings = sorted(set(self.warnings), key=lambda each: (each.path, each.line, each.message))
        return self

    def _copies(self, jobs: int) -> int:
        """How many copies of this process are worth their while with a piece or more each."""
        if not jobs >= 2 or not 2 <= len(self._pieces) < PIECES_FOR_PROCESS * jobs:
            return 1
        from gblint.parallel import pool

        size = sum(self._bench.size_of(piece) for piece in self._pieces) if pool.may_fork() else 0
        return min(len(self._pieces), size // SOURCE_FOR_COPY)

    def _here(self, progress: Progress | None) -> Iterator[UnitResult]:
        total = sum(piece.size for piece in self._pieces)
        done = 0

        def step(label: str) -> None:
            nonlocal done
            if progress is not None:
                progress(done, total, label)
            done += 1

        for piece in self._pieces:
            yield self._bench.do(piece, step)
        yield self._bench.close()

    def _apart(self, jobs: int, progress: Progress | None, early: SpeculativeRun | None) -> Iterator[UnitResult]:
        from gblint.parallel import pool

        total = sum(piece.size for piece in self._pieces)
        done = 0

        def told(number: int) -> None:
            nonlocal done
            done += self._pieces[number].size
            if progress is not None:
                progress(done, total, self._name(self._pieces[number]))

        project = self._bench.project
        weights = [self._bench.weight_of(piece) for piece in self._pieces]
        begun = [] if early is None or early.pieces != self._pieces else early.running
        # What is needed to say what was found is loaded while it is looked for.
        here, elsewhere = self._bench, self._opening
        result = pool.run(self._pieces, weights, jobs, here, elsewhere, told, begun, meanwhile=all_rules)
        self.evidence = Dependencies(project.files_read(), project.folders_listed())
        self._lost = bool(result.killed or result.lost)
        for reason in result.killed:
            self.errors.add(FileError("gblint", 0, f"a process {reason}; what it was doing was begun anew"))
        for number, reason in result.lost.items():
            piece = self._pieces[number]
            what = "file" if piece.files else "entry point"
            what = f"1 {what} from here on is" if piece.size == 1 else f"{piece.size} {what}s from here on are"
            self.errors.add(FileError(self._name(piece), 0, f"{what} not checked: {reason}"))
        yield from (result.parts[number] for number in sorted(result.parts))
        yield from result.closing

    def _name(self, piece: WorkUnit) -> str:
        if piece.files:
            return self._files[piece.files[0]]
        return self._search.entries[piece.entries[0]].point.name


def internal_error(path: str, line: int, doing: str, error: Exception) -> FileError:
    """What is said of a fault of ours: it costs one entry point, not the run."""
    detail = " ".join(str(error).split())[:200]
    said = type(error).__name__ + (f": {detail}" if detail else "")
    return FileError(path, line, f"internal error while tracing {doing}: {said}")
