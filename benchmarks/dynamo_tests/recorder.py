"""A plugin for pytest that records which lines of a file of tests Dynamo traces, and where it breaks.

It runs in an environment with torch and without gblint: ``pytest -p recorder test_misc.py``, with the file to write in
``RECORDER_OUT``.  The tests may belong to another release of torch than the installed one.
"""

from __future__ import annotations

import collections
import functools
import importlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import torch._dynamo
from torch._dynamo import convert_frame, exc
from torch._dynamo.symbolic_convert import InstructionTranslatorBase

MOST_NAMES = 40
_MISSING = re.compile(r"cannot import name '(\w+)' from '([\w.]+)'")


class Recorder:
    """The record of one file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = os.path.realpath(path)
        self.traced: set[int] = set()
        self.breaks: dict[int, set[str]] = collections.defaultdict(set)
        self.errors: dict[int, set[str]] = collections.defaultdict(set)

    def note(self, store: dict[int, set[str]], error: BaseException, stack: Iterable[Any] | None) -> None:
        """Note an error at the innermost line of the tests on a stack, if that line is in the file."""
        folder = os.path.dirname(self.file)
        own = [f for f in stack or () if os.path.realpath(f.filename).startswith(folder)]
        if own and os.path.realpath(own[-1].filename) == self.file:
            store[own[-1].lineno].add(getattr(error, "gb_type", None) or type(error).__name__)

    def listen(self) -> None:
        """Record what Dynamo does from now on, until the process ends."""
        translator = InstructionTranslatorBase
        starts_line, log_graph_break = translator.starts_line, translator.log_graph_break
        compile_frame = convert_frame._compile

        def each_line(tracer: Any, line: int) -> None:
            if tracer.f_code.co_filename == str(self.path) or tracer.f_code.co_filename == self.file:
                self.traced.add(line)
            starts_line(tracer, line)

        def each_break(tracer: Any, *args: Any, **kwargs: Any) -> Any:
            error = kwargs.get("exc") or args[-1]
            stack = getattr(error, "real_stack", None) or torch._guards.TracingContext.extract_stack()
            self.note(self.breaks, error, stack)
            return log_graph_break(tracer, *args, **kwargs)

        @functools.wraps(compile_frame)
        def each_frame(*args: Any, **kwargs: Any) -> Any:
            try:
                return compile_frame(*args, **kwargs)
            except exc.Unsupported as error:
                self.note(self.breaks, error, getattr(error, "real_stack", None))
                raise
            except Exception as error:
                self.note(self.errors, error, getattr(error, "real_stack", None) or _traced_lines(error))
                raise

        translator.starts_line = each_line  # type: ignore[method-assign]
        translator.log_graph_break = each_break  # type: ignore[method-assign]
        convert_frame._compile = each_frame

    def write(self, out: Path) -> None:
        """Write the record."""
        record = {
            "torch": torch.__version__.partition("+")[0],
            "traced": _ranges(sorted(self.traced)),
            "breaks": {str(line): sorted(kinds) for line, kinds in sorted(self.breaks.items())},
            "errors": {str(line): sorted(kinds) for line, kinds in sorted(self.errors.items())},
        }
        out.write_text(json.dumps(record, indent=0) + "\n", encoding="utf-8")


def _traced_lines(error: BaseException) -> list[Any]:
    """Return the lines that Dynamo was tracing when an error was raised in its own code, outermost first."""
    found = []
    traceback = error.__traceback__
    while traceback is not None:
        tracer = traceback.tb_frame.f_locals.get("self")
        if isinstance(tracer, InstructionTranslatorBase):
            found.append(tracer.frame_summary())
        traceback = traceback.tb_next
    return found


def _ranges(lines: Sequence[int]) -> str:
    """Return sorted line numbers as text: ``1-3 7``."""
    spans: list[tuple[int, int]] = []
    for line in lines:
        if spans and spans[-1][1] == line - 1:
            spans[-1] = (spans[-1][0], line)
        else:
            spans.append((line, line))
    return " ".join(str(first) if first == last else f"{first}-{last}" for first, last in spans)


class _Absent(type):
    """The metaclass of classes that replace missing names; such a class is false, like a flag that is off."""

    def __bool__(cls) -> bool:
        return False


def supply_missing_names(module: str) -> None:
    """Add names that this torch no longer has to the modules from which a file imports them.

    A name in capitals, such as HAS_CUDA, becomes a class that is false; any other one a decorator that does nothing.
    """
    for _ in range(MOST_NAMES):
        try:
            importlib.import_module(module)
        except ImportError as error:
            missing = _MISSING.search(str(error))
            if missing is None:
                break
            name, home = missing.groups()
            stand_in: object = _Absent(name, (Exception,), {}) if name[:1].isupper() else _unchanged
            setattr(sys.modules[home], name, stand_in)
            sys.modules.pop(module, None)
        else:
            break
    sys.modules.pop(module, None)


def _unchanged(function: Any = None, *args: Any, **kwargs: Any) -> Any:
    """Decorate nothing, with or without arguments."""
    decorator: Callable[[Any], Any] = lambda decorated: decorated  # noqa: E731
    return function if callable(function) else decorator


def pytest_configure(config: Any) -> None:
    """Start recording the only file that is given to pytest."""
    path = Path(os.environ["RECORDER_TESTS"])
    sys.path[:0] = [str(path.parent), str(path.parent.parent)]
    supply_missing_names(path.stem)
    config.recorder = Recorder(path)
    config.recorder.listen()


def pytest_unconfigure(config: Any) -> None:
    """Write the record."""
    config.recorder.write(Path(os.environ["RECORDER_OUT"]))
