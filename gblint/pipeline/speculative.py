"""Pieces of a scan that other processes begin with while this one looks for entry points.

That is done by one process, since what it finds in one file changes what it looks for in others.  Unless it finds any,
modules are assumed to be compiled: then the pieces of the scan are files, which hang on nothing that the search knows.
So they are begun at once; if there are entry points after all, that was in vain.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from gblint.entrypoints.search import EntrySearch
from gblint.pipeline.context import RunContext
from gblint.pipeline.scan import PIECES_FOR_PROCESS, SpeculativeRun, UnitRunner, UnitRunnerFactory, divide

# The search of fewer files takes no longer than to start a process.
FEWEST_FILES = 100


@contextlib.contextmanager
def begun(setting: RunContext, opening: UnitRunnerFactory, jobs: int) -> Iterator[SpeculativeRun | None]:
    """Has all but one of ``jobs`` processes begin; nobody goes on with what is not taken over within.

    None where it is not worth its while, or known that there will be entry points, or none whatsoever.
    """
    request, config = opening.request, opening.config
    few = len(setting.project.files) < FEWEST_FILES
    if jobs < 2 or few or request.requested(config) or config.assume_entries == "never":
        yield None
        return
    from gblint.parallel import pool

    if not pool.may_fork():
        yield None
        return
    setting.interpreter.compilation.compilers = frozenset(config.entry_decorators)
    search = EntrySearch(assumes=True)
    pieces = divide(setting, search, requested=False, everything=True)
    bench = UnitRunner(setting, search, opening)
    sizes = [bench.size_of(piece) for piece in pieces]
    count = max(min(jobs, len(pieces) // PIECES_FOR_PROCESS), 1)
    found = SpeculativeRun(pieces, pool.begin(pieces, sizes, count, bench))
    try:
        yield found
    finally:
        for early in found.running:
            early.give_up()
