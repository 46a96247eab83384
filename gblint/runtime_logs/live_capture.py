"""What was captured in a running program, told as a log would tell it: the same tally, the same findings."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable, Iterable

from gblint.confirm.jobs import ObservedBreak, Recompile
from gblint.diagnostics.span import ChainLink
from gblint.runtime_logs.counters import LogCounters
from gblint.runtime_logs.findings import LoggedFinding, findings_of
from gblint.runtime_logs.places import LogPlaces, own_code
from gblint.runtime_logs.record_text import guard_of
from gblint.runtime_logs.records import LogEntry, LogFrame, LoggedBreak, LoggedRecompile


def findings_from_capture(
    breaks: Iterable[ObservedBreak], recompiles: Iterable[Recompile] = (), follow: Iterable[str] = ()
) -> list[LoggedFinding]:
    """The findings that breaks and recompiles make, costliest first."""
    own = own_code(follow)
    return findings_of(_tally(breaks, recompiles, own), LogPlaces([]), own)


def _tally(
    breaks: Iterable[ObservedBreak], recompiles: Iterable[Recompile], is_own: Callable[[str], bool]
) -> LogCounters:
    tally = LogCounters(is_own)
    for observed in breaks:
        told = LogEntry(_broken(observed, is_own))
        for _ in range(observed.count):
            tally.add(told)
    for recompile in recompiles:
        guard, place = guard_of(recompile.reason.partition("\n")[0])
        tally.add(LogEntry(LoggedRecompile(_frame(recompile.frame), guard, place)))
    tally.close()
    return tally


def _broken(observed: ObservedBreak, is_own: Callable[[str], bool]) -> LoggedBreak:
    # What runs the program, such as a test runner, is no part of the way to a break.
    above = list(itertools.dropwhile(lambda link: not is_own(link.path), observed.above))
    # A function that goes on after a break is called by its own beginning.
    first = observed.stack[:1] or (observed.frame,)
    while above and (above[-1].path, above[-1].function) == (first[0].path, first[0].function):
        above.pop()
    stack = tuple(_coded(link) for link in (*above, *observed.stack))
    return LoggedBreak(
        place=_coded(observed.place),
        stack=stack,
        title=observed.title,
        gb_ids=observed.gb_ids,
        text=tuple(observed.message.splitlines()),
        outcome="resumes" if observed.outcome == "raises" else observed.outcome,
        raises=observed.outcome == "raises",
        frame=observed.frame.function,
    )


def _frame(link: ChainLink) -> LogFrame:
    return LogFrame(link.path, link.line, link.function)


def _coded(link: ChainLink) -> LogFrame:
    return LogFrame(link.path, link.line, link.function, linecache.getline(link.path, link.line).strip())
