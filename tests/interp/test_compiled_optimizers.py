"""``opt.step = torch.compile(opt.step)`` of an optimizer of torch, whose wrapper in torch breaks the graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter
from gblint.interp.graphs.partition import ONE_GRAPH
from gblint.interp.tracer import Tracer
from gblint.knowledge.catalog import load
from gblint.project.project import Project

SOURCE = """
import torch
def create(params):
    opt = torch.optim.SGD(params, lr=0.1)
    opt.step = torch.compile(opt.step)
    return opt
"""


def test_the_step_is_an_entry_point_that_breaks(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(SOURCE)
    interp = new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {})
    search = find_entries(interp, assume="never")
    assert [entry.point.name for entry in search.entries] == ["torch.optim.Optimizer.step"]
    assert search.unresolved == []
    found = Tracer(interp).trace(search.entries[0])
    assert [(each.event.kind, each.event.span.line) for each in found.reached] == [("explicit-break", 5)]
    assert found.point.graphs == ONE_GRAPH


@pytest.mark.parametrize("fullgraph", [False, True])
@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad"])
def test_dynamo_breaks(kind: str, fullgraph: bool) -> None:
    torch = pytest.importorskip("torch")
    from torch._dynamo.utils import counters

    torch._dynamo.reset()
    counters.clear()
    parameter = torch.nn.Parameter(torch.ones(3))
    parameter.grad = torch.ones(3)
    opt = getattr(torch.optim, kind)([parameter], lr=0.1)
    step = torch.compile(opt.step, backend="eager", fullgraph=fullgraph)
    if fullgraph:
        with pytest.raises(torch._dynamo.exc.Unsupported):
            step()
    else:
        step()
        assert sum(counters["graph_break"].values()) == 1
