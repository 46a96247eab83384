"""Graphs that torch traces itself and the program compiles: no code of the module behind them runs then."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter
from gblint.knowledge.catalog import load
from gblint.project.project import Project

HEAD = """
import torch
from torch.fx.experimental.proxy_tensor import make_fx

class Net(torch.nn.Module):
    def forward(self, x):
        print("traced")
        return x + 1

net = Net()
x = torch.ones(3)
"""
GRAPHS = (
    "torch.fx.symbolic_trace(net)",
    'make_fx(net, tracing_mode="symbolic")(x)',
    "torch.export.export(net, (x,)).module()",
)


@pytest.mark.parametrize("graph", GRAPHS)
def test_graph_is_what_is_compiled(tmp_path: Path, graph: str) -> None:
    (tmp_path / "m.py").write_text(f"{HEAD}compiled = torch.compile({graph})\ncompiled(x)\n")
    search = find_entries(new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {}), assume="never")
    assert [each.point.name for each in search.entries] == ["torch.fx.GraphModule"]
    assert not search.unresolved


@pytest.mark.parametrize("taken", ["[0]", ".graph_module"])
def test_graph_that_dynamo_exports(tmp_path: Path, taken: str) -> None:
    (tmp_path / "m.py").write_text(f"{HEAD}torch.compile(torch._dynamo.export(net)(x){taken})\n")
    search = find_entries(new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {}), assume="never")
    assert [each.point.name for each in search.entries] == ["m:Net", "torch.fx.GraphModule"]
    assert not search.unresolved


@pytest.mark.parametrize("graph", GRAPHS)
def test_dynamo_compiles_the_graph(graph: str) -> None:
    torch = pytest.importorskip("torch")
    scope: dict[str, object] = {}
    exec(f"{HEAD}graph = {graph}\n", scope)
    torch._dynamo.reset()
    torch.compile(scope["graph"], backend="eager", fullgraph=True)(torch.ones(3))
