"""The pytest plugin: a test fails if its compiled code breaks the graph; the failure has the line, rule and advice.

    from gblint.pytest_plugin import no_graph_breaks

    def test_net():
        with no_graph_breaks():
            compiled(x)

The context manager works outside of tests, too.  This module imports only pytest: it is loaded in every run of pytest.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import warnings
from collections.abc import Generator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from gblint.confirm.capture import DynamoCapture as Captured
    from gblint.confirm.jobs import ObservedBreak, Recompile
    from gblint.runtime_logs.findings import LoggedFinding

_MARK = "graph_breaks"
_SHOWN = 10


class GraphBreaksFound(AssertionError):
    """There were more graph breaks or recompilations than allowed."""


class NothingCompiled(UserWarning):
    """Nothing was compiled, so that the absence of graph breaks shows nothing."""


class Watch:
    """Context manager that records the graph breaks and recompilations of Dynamo.

    ``max_graph_breaks`` and ``max_recompiles`` are the limits, None for no limit.  ``reset`` clears the cache of Dynamo
    first: code that was compiled before shows no breaks.
    """

    def __init__(
        self, max_graph_breaks: int | None = 0, max_recompiles: int | None = None, *, reset: bool = True
    ) -> None:
        for name, limit in (("max_graph_breaks", max_graph_breaks), ("max_recompiles", max_recompiles)):
            if limit is not None and (not isinstance(limit, int) or limit < 0):
                raise ValueError(f"{name} is a number from 0 on or None, not {limit!r}")
        self._max_breaks, self._max_recompiles, self._reset = max_graph_breaks, max_recompiles, reset
        self._stack = contextlib.ExitStack()
        self._seen: Captured | None = None

    def __enter__(self) -> Watch:
        from gblint.confirm.capture import capture

        if self._reset and "torch._dynamo" in sys.modules:
            sys.modules["torch._dynamo"].reset()
        self._stack.enter_context(_without_trace_records())
        self._seen = self._stack.enter_context(capture())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        __tracebackhide__ = True
        self._stack.close()
        # An exception in the body is reported rather than the breaks before it.
        if kind is None:
            found = self.complaint()
            if found:
                raise GraphBreaksFound(found)

    @property
    def breaks(self) -> list[ObservedBreak]:
        """The graph breaks so far, one for each place, without those that only follow from another break."""
        found = self._captured.breaks
        own = [each for each in found if each.primary] or found
        # A resume function meets a break of its frame again, with a shorter stack.
        return list({(each.place, each.gb_ids): each for each in reversed(own)}.values())[::-1]

    @property
    def recompiles(self) -> list[Recompile]:
        """The recompilations so far."""
        return list(self._captured.recompiles)

    @property
    def graphs(self) -> int:
        """The number of graphs that were compiled so far."""
        return len(self._captured.graphs)

    @property
    def _asked(self) -> bool:
        return self._max_breaks is not None or self._max_recompiles is not None

    @property
    def _captured(self) -> Captured:
        if self._seen is None:
            raise RuntimeError("nothing was recorded yet: use the object in a with statement")
        return self._seen

    def complaint(self) -> str:
        """Return the message about exceeded limits; empty if none is."""
        breaks, recompiles = self.breaks, self.recompiles
        lines: list[str] = []
        if self._max_breaks is not None and len(breaks) > self._max_breaks:
            lines += _message(_counted(len(breaks), "graph break"), self._max_breaks, _judged(breaks, []))
        if self._max_recompiles is not None and len(recompiles) > self._max_recompiles:
            lines += _message(_counted(len(recompiles), "recompilation"), self._max_recompiles, _judged([], recompiles))
        if self._reset and self._asked and not breaks and not self._captured.frames:
            warnings.warn("nothing was compiled here, so no graph could break", NothingCompiled, stacklevel=3)
        return "\n".join(lines)


@contextlib.contextmanager
def _without_trace_records() -> Generator[None, None, None]:
    """Keep the records of torch's structured trace out of the reports of pytest: they have no text.

    Handlers that write the trace for TORCH_TRACE remain.  Torch's warning about `.item()` is left out too, since the
    report has the break with the same advice.
    """
    logger = logging.getLogger("torch.__trace")  # ``trace_log`` in torch/_logging/_internal.py

    def forget_handlers(_: logging.LogRecord) -> bool:
        # pytest 9 captures loggers that do not propagate, too, and adds its handlers anew for each phase of a test.
        for handler in [each for each in logger.handlers if type(each).__module__.startswith("_pytest.")]:
            logger.removeHandler(handler)
        return True

    def is_other(record: logging.LogRecord) -> bool:
        return "Graph break from" not in str(record.msg)

    filters = [(logger, forget_handlers), (logging.getLogger("torch._dynamo.variables.tensor"), is_other)]
    for each, keep in filters:
        each.addFilter(keep)
    try:
        yield
    finally:
        for each, keep in filters:
            each.removeFilter(keep)


def no_graph_breaks(
    max_graph_breaks: int | None = 0, max_recompiles: int | None = None, *, reset: bool = True
) -> Watch:
    """Return a context manager that raises GraphBreaksFound at its end if there were more graph breaks.

    Breaks at the same place count once.  See ``Watch`` for the arguments.
    """
    return Watch(max_graph_breaks, max_recompiles, reset=reset)


@pytest.fixture(name="no_graph_breaks")
def _no_graph_breaks() -> Any:
    """The context manager ``no_graph_breaks``, without an import."""
    return no_graph_breaks


@pytest.fixture(name="graph_breaks")
def _graph_breaks() -> Generator[Watch, None, None]:
    """Record the test without limits: ``graph_breaks.breaks``, ``.recompiles``, ``.graphs``."""
    with Watch(None, reset=True) as watch:
        yield watch


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers",
        f"{_MARK}(max=0, max_recompiles=None): fail the test if its compiled code breaks the graph in more places",
    )


# An old-style wrapper, for any version of pytest: the plugin is loaded wherever gblint is installed.
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, None]:
    """Check the tests that have the marker."""
    mark = item.get_closest_marker(_MARK)
    if mark is None:
        yield
        return
    with contextlib.ExitStack() as stack:
        watch, complaint = None, ""
        try:
            watch = graph_breaks(*mark.args, **mark.kwargs)
        except (TypeError, ValueError) as error:
            complaint = f"the mark: {error}"
        if watch is not None:
            watch.__enter__()
            stack.callback(watch._stack.close)
        outcome = yield
        if watch is not None and outcome.excinfo is None:
            complaint = watch.complaint()
        if complaint:
            outcome.force_exception(pytest.fail.Exception(complaint, pytrace=False))


def graph_breaks(max: int | None = 0, max_recompiles: int | None = None) -> Watch:
    """Return the watcher for the arguments of the marker."""
    return Watch(max, max_recompiles)


def _judged(breaks: Sequence[ObservedBreak], recompiles: Sequence[Recompile]) -> list[LoggedFinding]:
    from gblint.runtime_logs.live_capture import findings_from_capture

    return findings_from_capture(breaks, recompiles)


def _message(counted: str, allowed: int, found: Sequence[LoggedFinding]) -> list[str]:
    from gblint.project.source_text import display_path
    from gblint.report.explain_answers import url
    from gblint.report.finding_notes import links

    lines = [f"{counted} where {allowed or 'none'} {'are' if allowed > 1 else 'is'} allowed:"]
    for seen in found[:_SHOWN]:
        item = seen.finding
        rule = " ".join(dict.fromkeys(filter(None, (item.code, item.rule, *item.gb_ids[:1]))))
        lines.append(f"{display_path(item.span.path)}:{item.span.line}: {rule}: {item.message}")
        lines += [
            f"    {'chain: ' if number == 0 else '       '}{link}" for number, link in enumerate(links(item.chain))
        ]
        lines += [f"    {'help: ' if number == 0 else '      '}{advice}" for number, advice in enumerate(seen.advice)]
        lines += [f"    see: {url(gb_id)}" for gb_id in item.gb_ids[:1]]
    if len(found) > _SHOWN:
        lines.append(f"... and {len(found) - _SHOWN} more")
    return lines


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
