"""The runner of work units in one process."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path

from gblint.cache.store import Dependencies
from gblint.config.settings import Config
from gblint.diagnostics.report import FileError
from gblint.entrypoints.prefilter import has_forward
from gblint.entrypoints.search import EntrySearch, find_compiled
from gblint.filters.noqa import comments, no_such_code, unknown_codes
from gblint.interp import Entry, Interpreter, Tracer, TraceResult
from gblint.interp.state.budget import FileBudgets
from gblint.interp.state.trace_ir import UnknownPartCall
from gblint.interp.tracer import fresh_copy_of
from gblint.pipeline.context import LintRequest, RunContext, open_project
from gblint.pipeline.entry_search import assumed_entry_points, find_entry_points
from gblint.pipeline.work_units import (
    ENTRIES,
    FILES,
    MAX_UNIT_BYTES,
    UnitHook,
    UnitResult,
    WorkUnit,
    internal_error,
    is_divided,
    size_of_file,
)
from gblint.project import notebook
from gblint.project.dependencies import DependencyRecorder
from gblint.project.modules import Module
from gblint.project.source_text import place
from gblint.report.unresolved import IN_PART
from gblint.rules import all_codes
from gblint.runtime.lazy_dataclasses import dataclass

Step = Callable[[str], None]

# So many used interpreters are kept before they are taken apart; a short run never does so.
MAX_USED_INTERPRETERS = 6
# After so many evictions of syntax trees, garbage in reference cycles is collected, which costs as much as half a
# second of work.
EVICTIONS_PER_COLLECTION = 4


class UnitRunner:
    """Runs units one after another.

    Every unit gets a fresh interpreter, so that its result does not depend on the units before it.  Exception: the
    entry points found in the project are one unit, traced by the interpreter that found them.  With ``isolated`` false
    one interpreter runs all units.
    """

    def __init__(
        self, context: RunContext, search: EntrySearch, factory: UnitRunnerFactory, *, isolated: bool = True
    ) -> None:
        request, config = factory.request, factory.config
        self._context = context
        self.project = context.project
        self._isolated = isolated
        # Entry points of several units cannot share the interpreter of the search: each unit looks its own up again.
        self._finds_own_entries = bool(request.requested(config)) and is_divided(search.entries)
        self._search = search
        self._checks_all_files = request.checks_all_files(config)
        self._entry_filter = request.entry_filter
        self._hook = factory.hook
        self._files = [str(module.path) for module in context.project.user_modules()]
        self._tracer = Tracer(context.interpreter)
        # Whether the interpreter was renewed and has traced nothing since.
        self._is_renewed = False
        self._used_interpreters: list[Interpreter] = []
        self._last_use: dict[Module, int] = {}
        self._units_done = self._evictions = 0
        self._budgets = FileBudgets(self._tracer.interpreter.budget.most)

    def do(self, unit: WorkUnit, step: Step) -> UnitResult:
        """Run one unit; ``step`` is called with the name of each entry point and file before it is worked on."""
        result = UnitResult(self.name_of(unit))
        recorder = self._record_dependencies(unit)
        self._budgets = FileBudgets(self._tracer.interpreter.budget.most)
        for entry in self._entries(unit, result):
            step(entry.point.name)
            _add(self._trace(entry, result), result)
        if self._isolated and unit.files:
            self._renew_interpreter()
        for number in unit.files:
            module = self._module(number)
            step(module.display)
            if self._search.assumes:
                self._trace_assumed(module, result)
            self._check_file(module, result)
        result.record_dependencies(self.project, recorder)
        if self._hook is not None:
            self._hook(self._tracer.interpreter, result)
        if self._isolated:
            self._free_memory()
        return result

    def close(self) -> UnitResult:
        """Return the final result: warnings about other files that were read, and all dependencies."""
        result = UnitResult()
        if not self._checks_all_files:
            for module in self.project.user_modules():
                if module.is_parsed:
                    result.warnings += _text_warnings(module)
        result.dependencies = Dependencies(self.project.files_read(), self.project.folders_listed())
        return result

    # -- facts about units -----------------------------------------------------------------------------------------

    def size_of(self, unit: WorkUnit) -> int:
        """Return the bytes of the files of a unit."""
        return sum(size_of_file(self._files[number]) for number in unit.files)

    def weight_of(self, unit: WorkUnit) -> int:
        """Estimate the work in a unit, in characters of source that is traced."""
        if not unit.files:
            return MAX_UNIT_BYTES
        texts = [self._module(number).source for number in unit.files] if self._search.assumes else []
        return sum(len(text) for text in texts if has_forward(text))

    def name_of(self, unit: WorkUnit) -> str:
        """Return a name that identifies the unit across runs."""
        if unit.files:
            return f"{FILES}{unit.files.start}-{unit.files.stop}{' assumed' if self._search.assumes else ''}"
        if not self._finds_own_entries:
            return ENTRIES
        names = (entry.point.name for entry in self._search.entries[unit.entries.start : unit.entries.stop])
        return f"{ENTRIES} {unit.entries.start} {' '.join(names)}"

    def _module(self, number: int) -> Module:
        module = self.project.module_at(Path(self._files[number]))
        assert module is not None  # it is one of the user's files
        return module

    # -- entry points ----------------------------------------------------------------------------------------------

    def _record_dependencies(self, unit: WorkUnit) -> DependencyRecorder:
        """Start to record dependencies; a unit on the interpreter of the search continues the record of the search."""
        if self._search.reading is not None and not (unit.files or self._finds_own_entries):
            self.project.resume_unit(self._search.reading)
            return self._search.reading
        return self.project.begin_unit(reread_errors=self._isolated)

    def _entries(self, unit: WorkUnit, result: UnitResult) -> list[Entry]:
        found = self._search.entries[unit.entries.start : unit.entries.stop]
        if not (self._isolated and self._finds_own_entries and found):
            return found
        self._renew_interpreter()
        names = [entry.point.name for entry in found]
        search = find_compiled(self._tracer.interpreter, names, assume="never")
        result.problems += search.problems
        return search.entries

    def _trace(self, entry: Entry, result: UnitResult) -> TraceResult:
        try:
            return self._trace_within_budget(entry)
        except Exception:
            # The interpreter may be in an inconsistent state: try once more with a fresh one.
            self._tracer = self._new_tracer()
            try:
                return self._trace_within_budget(entry)
            except Exception as error:
                point = entry.point
                result.problems.append(internal_error(point.path, point.line, point.name, error))
                return TraceResult(point)

    def _trace_within_budget(self, entry: Entry) -> TraceResult:
        """Trace an entry point in the steps that those before it have left for its file."""
        path = entry.point.path
        traced = self._tracer.trace(entry, self._budgets.limit_for(path))
        self._budgets.spend(path, self._tracer.interpreter.budget.spent)
        return traced

    # -- files -----------------------------------------------------------------------------------------------------

    def _trace_assumed(self, module: Module, result: UnitResult) -> None:
        """Trace the assumed entry points of a module.

        A trace in which a call ran out of its budget depends on what the interpreter knew before.  Such an entry point
        is traced again by a fresh interpreter, and that interpreter is not used for anything else.
        """
        search = EntrySearch()
        entries = self._assumed(module, search)
        for number in range(len(entries)):
            was_renewed, self._is_renewed = self._is_renewed, False
            traced = self._trace(entries[number], result)
            if self._isolated and self._tracer.interpreter.budget.truncated_entry:
                if not was_renewed:
                    alone = self._on_fresh_interpreter(module, entries[number : number + 1])
                    traced = self._trace(alone[0], result)
                entries = self._on_fresh_interpreter(module, entries)
            _add(traced, result)
        result.problems += search.problems

    def _assumed(self, module: Module, search: EntrySearch) -> list[Entry]:
        return assumed_entry_points(self._tracer.interpreter, module, search, self._entry_filter)

    def _on_fresh_interpreter(self, module: Module, entries: list[Entry]) -> list[Entry]:
        """Switch to a fresh interpreter; returns the same entry points of ``module`` as values of that one."""
        self._renew_interpreter()
        by_point = {entry.point: entry for entry in self._assumed(module, EntrySearch())}
        return [by_point.get(entry.point, entry) for entry in entries]

    def _check_file(self, module: Module, result: UnitResult) -> None:
        """Check the noqa comments, the cells and the syntax of a file; syntax errors are recorded by the project."""
        result.warnings += _text_warnings(module)
        module.check()
        if self._isolated and not self._tracer.interpreter.caches.has_evaluated(module):
            module.release()

    # -- interpreters and memory -----------------------------------------------------------------------------------

    def _new_tracer(self) -> Tracer:
        return Tracer(fresh_copy_of(self._context.interpreter))

    def _renew_interpreter(self) -> None:
        """Switch to a fresh interpreter.  Taking the old ones apart does not pay off in a short run."""
        if self._tracer.interpreter is not self._context.interpreter:
            self._used_interpreters.append(self._tracer.interpreter)
        self._tracer, self._is_renewed = self._new_tracer(), True
        # A hook reads what an observer has recorded at the end of the unit.
        if len(self._used_interpreters) > MAX_USED_INTERPRETERS and self._hook is None:
            self._clear_used_interpreters()

    def _clear_used_interpreters(self) -> None:
        for interpreter in self._used_interpreters:
            interpreter.release()
        self._used_interpreters.clear()

    def _free_memory(self) -> None:
        """Evict the syntax trees used longest ago if there are too many; they are parsed again on demand."""
        self._units_done += 1
        for module in self._tracer.interpreter.caches.evaluated_modules():
            self._last_use[module] = self._units_done
        if len(self._used_interpreters) > MAX_USED_INTERPRETERS:
            self._clear_used_interpreters()
        if self.project.is_full():
            self._renew_interpreter()
            self._clear_used_interpreters()
            self.project.evict(self._last_use)
            self._evictions += 1
            if self._evictions % EVICTIONS_PER_COLLECTION == 0:
                gc.collect()  # automatic collection may be off


def _text_warnings(module: Module) -> Iterator[FileError]:
    """Yield the codes in noqa comments that no rule has, and the cells of a notebook that are left out."""
    text = module.source
    if "GBL" in text and "noqa" in text:
        codes = all_codes()
        for line, code in unknown_codes(comments(text), codes):
            yield FileError(str(module.path), line, f"noqa: {no_such_code(code, codes)}")
    for line, message in notebook.invalid_cells(text) if module.path.suffix == notebook.SUFFIX else ():
        yield FileError(str(module.path), line, f"this cell was not analysed: it is not valid Python ({message})")


def _add(traced: TraceResult, result: UnitResult) -> None:
    result.traces.append(traced)
    point, why = traced.point, traced.cut
    if not why and traced.unknown and point.kind == "requested":
        why = _about_part(traced.unknown[0])
    if why:
        result.warnings.append(FileError(point.path, point.line, f"`{point.name}` {IN_PART}: {why}"))


def _about_part(call: UnknownPartCall) -> str:
    """Return the reason why a requested entry point is not analysed completely: it calls an unknown part."""
    pin, where = f"{call.module}:{call.cls}.{call.name}", place(call.span.path, call.span.line)
    return f'`self.{call.name}` is not known; a pin for "{pin}" names its class ({where})'


@dataclass(frozen=True, slots=True)
class UnitRunnerFactory:
    """Creates a runner in a process that starts without any state.  It can be pickled."""

    request: LintRequest
    config: Config
    hook: UnitHook | None = None

    def __call__(self) -> UnitRunner:
        """Open the project, find the entry points, and return a runner."""
        observer = None if self.hook is None else self.hook.new_observer()
        context = open_project(self.request, self.config, observer)
        search = find_entry_points(context, self.request, self.config)
        return UnitRunner(context, search, self)
