"""The search for entry points as a stage of a run, with the session and the filters of the request."""

from __future__ import annotations

from collections.abc import Callable

from gblint.config.settings import Config
from gblint.diagnostics.entry_point import EntryPoint
from gblint.entrypoints.search import EntrySearch, assumed_entries, find_compiled
from gblint.interp import Entry, Interpreter, Progress
from gblint.pipeline.context import LintRequest, RunContext
from gblint.project.modules import Module


def find_entry_points(
    context: RunContext, request: LintRequest, config: Config, progress: Progress | None = None
) -> EntrySearch:
    """Find the entry points, except those that are assumed, which the units of work find module by module."""
    if request.session is not None:
        return request.session.search
    recorder = context.project.begin_unit(reread_errors=False)
    search = find_compiled(
        context.interpreter,
        request.requested(config),
        assume=config.entry_points.assume_entries,
        compilers=config.entry_points.entry_decorators,
        progress=progress,
    )
    if request.keep_session and search.assumes:
        # A session holds the assumed entry points, too.
        for module in context.project.user_modules():
            search.entries += assumed_entries(context.interpreter, module, search)
        search.assumes = False
    search.entries = filtered(search.entries, request.entry_filter)
    search.reading = recorder
    return search


def assumed_entry_points(
    interpreter: Interpreter, module: Module, search: EntrySearch, wanted: Callable[[EntryPoint], bool] | None
) -> list[Entry]:
    """Find the assumed entry points of one module; problems are added to ``search``."""
    return filtered(assumed_entries(interpreter, module, search), wanted)


def without_search(context: RunContext, config: Config, *, assumes: bool) -> EntrySearch:
    """Return a search without entry points, in place of one whose result is known from an earlier run."""
    context.interpreter.compilation.compilers = frozenset(config.entry_points.entry_decorators)
    return EntrySearch(assumes=assumes)


def filtered(entries: list[Entry], wanted: Callable[[EntryPoint], bool] | None) -> list[Entry]:
    """Return the ``wanted`` entry points, all for None."""
    return entries if wanted is None else [entry for entry in entries if wanted(entry.point)]
