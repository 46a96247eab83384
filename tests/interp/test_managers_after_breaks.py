"""A context manager that was made before a graph break is an input of the code after it, which Dynamo cannot enter."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import breaks

SOURCE = """\
import contextlib

import torch

class Counter:
    depth = 0

    def __enter__(self):
        self.depth += 1
        return self

    def __exit__(self, *error):
        self.depth -= 1

def f(x):
    x = x + 1
    {before}
    with {manager}:
        x = x + 2
    return x
"""
CASES = [
    ("counter = Counter(); torch._dynamo.graph_break()", "counter", True),
    ("torch._dynamo.graph_break(); counter = Counter()", "counter", False),
    ("torch._dynamo.graph_break()", "Counter()", False),
    ("counter = Counter()", "counter", False),
    ("quiet = torch.no_grad(); torch._dynamo.graph_break()", "quiet", False),
    ("nothing = contextlib.nullcontext(); torch._dynamo.graph_break()", "nothing", False),
]


@pytest.mark.parametrize(("before", "manager", "is_broken"), CASES)
def test_manager_that_is_entered_after_a_break(before: str, manager: str, is_broken: bool) -> None:
    source = SOURCE.format(before=before, manager=manager)
    assert ((18, "context-manager") in breaks(source, "f")) == is_broken


@pytest.mark.parametrize(("before", "manager", "is_broken"), CASES)
def test_dynamo_enters_managers_after_a_break(
    before: str, manager: str, is_broken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.syspath_prepend(tmp_path)
    number = CASES.index((before, manager, is_broken))
    (tmp_path / f"gblint_manager_{number}.py").write_text(SOURCE.format(before=before, manager=manager))
    module = __import__(f"gblint_manager_{number}")
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    with torch.enable_grad():  # ``quiet`` leaves gradients off: Dynamo 2.13 does not restore the mode
        torch.compile(module.f, backend="eager")(torch.ones(3))
    reasons = torch._dynamo.utils.counters["unimplemented"]
    assert any("Unsupported context manager" in reason for reason in reasons) == is_broken
