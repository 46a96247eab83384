"""A fake interpreter for tests of the command: every ``.item()`` is a break, every ``torch.compile`` an entry point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from gblint.diagnostics.break_event import BreakEvent, Confidence, ReachedBreak
from gblint.diagnostics.entry_point import EntryPoint, Region
from gblint.diagnostics.report import FileError
from gblint.diagnostics.span import ChainLink, Span
from gblint.interp import TraceResult


@dataclass
class Engine:
    """A fake engine: the calls that it received, and the errors that it is told to make."""

    requested: tuple[str, ...] = ()
    pins: dict[str, tuple[str, ...]] = field(default_factory=dict)
    assume: str = "auto"
    traced: list[str] = field(default_factory=list)
    fails_on: str = ""

    def find_compiled(
        self,
        machine: Any,
        requested: Sequence[str],
        *,
        assume: str,
        compilers: Sequence[str] = (),
        progress: Any = None,
    ) -> SimpleNamespace:
        self.requested, self.assume, self.pins = tuple(requested), assume, dict(machine.pins)
        entries, problems = [], [FileError(name, 0, f"no entry point {name!r}") for name in requested if "nope" in name]
        for module in machine.project.user_modules():
            _ = module.tree
            for number, line in enumerate(module.lines, 1):
                if "torch.compile" in line:
                    region = Region(fullgraph="fullgraph" in line)
                    point = EntryPoint(f"{module.name}:f", str(module.path), number, "decorator", region)
                    entries.append(SimpleNamespace(point=point, module=module))
        return SimpleNamespace(entries=entries, problems=problems, unresolved=[], assumes=False)

    def trace(self, machine: Any) -> SimpleNamespace:
        return SimpleNamespace(interpreter=machine, trace=self._trace)

    def _trace(self, entry: Any, limit: int) -> TraceResult:
        if self.fails_on and self.fails_on in entry.point.name:
            raise RecursionError("too deep")
        found = []
        self.traced.append(entry.point.name)
        path = str(entry.module.path)
        for number, line in enumerate(entry.module.lines, 1):
            if ".item()" in line:
                sure = Confidence.POSSIBLE if "maybe" in line else Confidence.CERTAIN
                span = Span(path, number, line.index("x.") + 1, number, len(line) + 1)
                event = BreakEvent("tensor-to-python", "item", span, "f", ("GB0124",), sure, expression="x.item()")
                chain = (ChainLink(path, number, "f"),)
                found.append(ReachedBreak(event, span, chain, (entry.point,), entry.point.region))
        return TraceResult(entry.point, tuple(found))


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    """Replace the engine of the command by the fake one."""
    straw = Engine()
    monkeypatch.setattr("gblint.pipeline.entry_search.find_compiled", straw.find_compiled)
    monkeypatch.setattr("gblint.pipeline.unit_runner.Tracer", straw.trace)
    return straw
