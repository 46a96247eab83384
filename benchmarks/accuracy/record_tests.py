"""A pytest plugin: it records where ``torch.compile`` breaks the graph in the modules that a test suite calls.

    PYTHONPATH=benchmarks/accuracy python -m pytest -p record_tests --record-package timm --record-out timm.jsonl TESTS

Each outermost call of a module of the package is made twice more, in child processes: eagerly under line coverage, and
compiled.  The test then goes on as if nothing had happened.  Of each class and mode the first two calls are recorded.

Run it with the interpreter of an environment that has torch, the package and what its tests need.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import pytest
import torch
from capture import Breaks, Package, compiled, lines_of
from record import in_child, versions_of

CALLS_OF_A_CLASS = 2  # that are recorded, in each mode
SECONDS = 60.0  # for each of the two runs of a call

Call = tuple[torch.nn.Module, tuple[Any, ...], dict[str, Any]]


class Recorder:
    """Records calls of the modules of one package, as long as ``seconds`` have not passed."""

    def __init__(self, package: str, out: Path, seconds: float) -> None:
        self.package = Package(package)
        self._out, self._until = out, time.monotonic() + seconds
        self._original = torch.nn.Module.__call__
        self._is_inside = False
        self._counts: dict[tuple[type, str], int] = {}

    def start(self) -> None:
        """Record from now on."""
        original = self._original

        def call(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
            if self._is_inside:
                return original(module, *args, **kwargs)
            self._is_inside = True
            try:
                if self._wants(module):
                    self._record((module, args, kwargs))
                return original(module, *args, **kwargs)
            finally:
                self._is_inside = False

        torch.nn.Module.__call__ = call  # type: ignore[method-assign]

    def stop(self) -> None:
        """Record no more."""
        torch.nn.Module.__call__ = self._original  # type: ignore[method-assign]

    @property
    def is_over(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() > self._until

    def _wants(self, module: torch.nn.Module) -> bool:
        cls = type(module)
        if self.is_over or torch.jit.is_tracing() or torch.compiler.is_compiling() or not self._is_importable(cls):
            return False
        key = (cls, _mode(module))
        self._counts[key] = self._counts.get(key, 0) + 1
        return self._counts[key] <= CALLS_OF_A_CLASS

    def _is_importable(self, cls: type) -> bool:
        """Return whether a class of the package can be named as an entry point."""
        found: Any = sys.modules.get(cls.__module__)
        if found is None or self.package.relative(getattr(found, "__file__", None) or "") is None:
            return False
        for name in cls.__qualname__.split("."):
            found = getattr(found, name, None)
        return found is cls

    def _record(self, call: Call) -> None:
        cls, mode = type(call[0]), _mode(call[0])
        entry = f"{cls.__module__}:{cls.__qualname__}"
        made = in_child(entry, mode, lambda: self._lines(call), SECONDS)
        if "lines" in made:
            made |= in_child(entry, mode, lambda: self._breaks(call), SECONDS)
        made = {"entry": entry, "mode": mode, "versions": versions_of(entry)} | made
        with self._out.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(made) + "\n")

    def _lines(self, call: Call) -> dict[str, Any]:
        self.stop()
        module, args, kwargs = call
        try:
            return {"status": "compile-error", "lines": lines_of(self.package, lambda: module(*args, **kwargs))}
        except Exception as error:
            return {"status": "eager-error", "error": _text(error)}

    def _breaks(self, call: Call) -> dict[str, Any]:
        self.stop()
        module, args, kwargs = call
        breaks = Breaks(self.package)
        try:
            graphs = compiled(module, args, kwargs, breaks)
        except Exception as error:
            return {"status": "compile-error", "error": _text(error), "breaks": breaks.as_records()}
        return {"status": "ok", "graphs": graphs, "breaks": breaks.as_records()}


def _mode(module: torch.nn.Module) -> str:
    return "train" if module.training else "eval"


def _text(error: Exception) -> str:
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {str(error)[:300]} ({Path(place.filename).name}:{place.lineno})"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("record where torch.compile breaks")
    group.addoption("--record-package", help="the package whose modules are recorded")
    group.addoption("--record-out", type=Path, help="the file that the records are added to")
    group.addoption("--record-seconds", type=float, default=600.0, help="the tests end after this time")


def pytest_configure(config: pytest.Config) -> None:
    """Start to record."""
    package, out = config.getoption("--record-package"), config.getoption("--record-out")
    if not package or out is None:
        raise pytest.UsageError("--record-package and --record-out are needed")
    torch.set_num_threads(1)
    recorder = Recorder(package, out, config.getoption("--record-seconds"))
    config.pluginmanager.register(_Session(recorder))
    recorder.start()


class _Session:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def pytest_runtest_setup(self) -> None:
        """End the run if the time is over."""
        if self._recorder.is_over:
            pytest.exit("the time for records is over", 0)

    def pytest_unconfigure(self) -> None:
        """Stop to record."""
        self._recorder.stop()
