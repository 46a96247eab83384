"""Findings of breaks and recompiles captured in a running program, made like those of a log."""

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
    """Return the findings of captured breaks and recompiles, costliest first."""
    own = own_code(follow)
    return findings_of(_count(breaks, recompiles, own), LogPlaces([]), own)


def _count(
    breaks: Iterable[ObservedBreak], recompiles: Iterable[Recompile], is_own: Callable[[str], bool]
) -> LogCounters:
    """Count breaks and recompiles as if they were logged."""
    counters = LogCounters(is_own)
    for captured in breaks:
        entry = LogEntry(_logged_break(captured, is_own))
        for _ in range(captured.count):
            counters.add(entry)
    for recompile in recompiles:
        guard, place = guard_of(recompile.reason.partition("\n")[0])
        counters.add(LogEntry(LoggedRecompile(_frame(recompile.frame), guard, place)))
    counters.close()
    return counters


def _logged_break(captured: ObservedBreak, is_own: Callable[[str], bool]) -> LoggedBreak:
    """Return a captured break as a logged one."""
    # Frames above the user's code, such as a test runner's, are left out.
    above = list(itertools.dropwhile(lambda link: not is_own(link.path), captured.above))
    # A resume function is called by the original function, which is the same stack entry.
    first = captured.stack[:1] or (captured.frame,)
    while above and (above[-1].path, above[-1].function) == (first[0].path, first[0].function):
        above.pop()
    stack = tuple(_frame_with_code(link) for link in (*above, *captured.stack))
    return LoggedBreak(
        place=_frame_with_code(captured.place),
        stack=stack,
        title=captured.title,
        gb_ids=captured.gb_ids,
        text=tuple(captured.message.splitlines()),
        outcome="resumes" if captured.outcome == "raises" else captured.outcome,
        raises=captured.outcome == "raises",
        frame=captured.frame.function,
    )


def _frame(link: ChainLink) -> LogFrame:
    return LogFrame(link.path, link.line, link.function)


def _frame_with_code(link: ChainLink) -> LogFrame:
    """Return a log frame with the text of its line."""
    return LogFrame(link.path, link.line, link.function, linecache.getline(link.path, link.line).strip())
