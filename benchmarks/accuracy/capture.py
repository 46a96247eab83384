"""Capture of one call: the lines that run eagerly, and the places where ``torch.compile`` breaks its graph."""

from __future__ import annotations

import contextlib
import functools
import inspect
import logging
import re
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import torch
import torch._dynamo
from torch._dynamo import convert_frame, symbolic_convert

# Ids that only report that Dynamo could not resume after an earlier break.
CONSEQUENCE = frozenset({"GB7000", "GB0066", "GB0091", "GB8335"})
# Ids of breaks that follow from an earlier one: in the frame of a comprehension, or of the rest of a ``try``.
FALLOUT = frozenset({"GB4347", "GB0088", "GB0099"})

SITE = Path(sysconfig.get_paths()["purelib"])

_LINK = re.compile(r"gb(\d{4})\.html")


class Package:
    """The files of an installed package."""

    def __init__(self, name: str) -> None:
        self.folder = f"{SITE / name}/"
        self.single = str(SITE / f"{name}.py")

    def relative(self, filename: str) -> str | None:
        """Return the path below site-packages of a file of the package; None for any other file."""
        if filename.startswith(self.folder) or filename == self.single:
            return filename[len(str(SITE)) + 1 :]
        return None


@dataclass
class Breaks:
    """The places in ``package`` where the graph broke, in the order in which Dynamo reported them."""

    package: Package
    found: dict[tuple[str, int], tuple[list[str], str]] = field(default_factory=dict)

    def record(self, error: BaseException, stack: Iterable[Any] | None) -> None:
        """Record a break at the innermost line of the package on ``stack``."""
        own = [(path, frame.lineno) for frame in stack or () if (path := self.package.relative(frame.filename))]
        text = str(error)
        ids = [f"GB{number}" for number in dict.fromkeys(_LINK.findall(text))]
        reported = [gb_id for gb_id in ids if gb_id not in CONSEQUENCE]
        if not own or (ids and not reported):
            return
        known, _ = self.found.setdefault(own[-1], ([], next(iter(text.strip().splitlines()), "")[:60]))
        known += [gb_id for gb_id in reported if gb_id not in known]

    def as_records(self) -> list[dict[str, object]]:
        """Return the breaks in the format of a record."""
        return [
            {"file": path, "line": line, "gb": sorted(ids), "primary": bool(set(ids) - FALLOUT), "why": why}
            for (path, line), (ids, why) in self.found.items()
        ]


@contextlib.contextmanager
def listening(breaks: Breaks) -> Iterator[None]:
    """Record every break that Dynamo reports."""
    translator = symbolic_convert.InstructionTranslatorBase
    original = translator.log_graph_break
    parameters = inspect.signature(original)

    @functools.wraps(original)
    def log_graph_break(*args: Any, **kwargs: Any) -> None:
        given = parameters.bind(*args, **kwargs).arguments
        exc = given.get("exc")
        if exc is None or not exc.logged:
            stack = given.get("user_stack") or getattr(exc, "real_stack", None)
            stack = stack or torch._guards.TracingContext.extract_stack()
            breaks.record(exc or RuntimeError(given.get("reason", "")), stack)
        original(*args, **kwargs)

    # Breaks that are raised outside the translator are only ever logged.
    handler = _Handler(breaks)
    logger = convert_frame.graph_break_log
    level, propagate = logger.level, logger.propagate
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    logger.addHandler(handler)
    translator.log_graph_break = log_graph_break  # type: ignore[method-assign]
    try:
        yield
    finally:
        translator.log_graph_break = original  # type: ignore[method-assign]
        logger.removeHandler(handler)
        logger.setLevel(level)
        logger.propagate = propagate


class _Handler(logging.Handler):
    def __init__(self, breaks: Breaks) -> None:
        super().__init__()
        self.breaks = breaks

    def emit(self, record: logging.LogRecord) -> None:
        """Record the break of the error in a log record."""
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            self.breaks.record(error, getattr(error, "real_stack", None))


def compiled(call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], breaks: Breaks) -> int:
    """Call ``call`` compiled with a backend that does nothing; return the number of graphs."""
    graphs = 0

    def backend(graph: Any, _: Any) -> Callable[..., Any]:
        nonlocal graphs
        graphs += 1
        return graph.forward  # type: ignore[no-any-return]

    torch._dynamo.reset()
    with listening(breaks):
        torch.compile(call, backend=backend)(*args, **kwargs)
    return graphs


def lines_of(package: Package, run: Callable[[], object]) -> dict[str, list[str]]:
    """The lines of the package that ``run`` executes, as ranges, by the path below site-packages."""
    seen: dict[CodeType, set[int]] = {}
    elsewhere: set[CodeType] = set()

    def local(frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            seen[frame.f_code].add(frame.f_lineno)
        return local

    def start(frame: FrameType, event: str, _: object) -> Any:
        code = frame.f_code
        if code in seen:
            return local
        if code in elsewhere:
            return None
        if package.relative(code.co_filename):
            seen[code] = set()
            return local
        elsewhere.add(code)
        return None

    sys.settrace(start)
    try:
        run()
    finally:
        sys.settrace(None)
    by_file: dict[str, set[int]] = {}
    for code, numbers in seen.items():
        by_file.setdefault(package.relative(code.co_filename) or "", set()).update(numbers)
    return {path: _ranges(numbers) for path, numbers in sorted(by_file.items()) if numbers}


def _ranges(numbers: Iterable[int]) -> list[str]:
    spans: list[list[int]] = []
    for number in sorted(numbers):
        if spans and spans[-1][1] == number - 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return [str(first) if first == last else f"{first}-{last}" for first, last in spans]
