"""Kernels of Triton, whose own code Dynamo does not trace."""

from __future__ import annotations

from pathlib import Path

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter, trace
from gblint.knowledge.catalog import load
from gblint.project.environment import Environment
from gblint.project.project import Project

TRITON = """\
class Kernel:
    def __init__(self, fn):
        self.fn = fn
    def __getitem__(self, grid):
        return self.run
    def run(self, *args):
        print("compile")

def jit(fn):
    return Kernel(fn)

def cdiv(a, b):
    print(a)
    return -(-a // b)
"""
MAIN = """\
import torch
import triton

@triton.jit
def kernel(x, out, n):
    print(n)

@torch.compile
def f(x):
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 128),)](x, out, x.numel())
    if triton.cdiv(x.numel(), 128) > 3:
        out = out + 1
    kernel[[1]](x, out, x.numel())
    return out
"""


def test_the_code_of_triton_and_of_the_kernel_is_not_traced(tmp_path: Path) -> None:
    for name, text in {"site/triton/__init__.py": TRITON, "project/main.py": MAIN}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    environment = Environment(None, (3, 12), (tmp_path / "site",))
    project = Project([tmp_path / "project"], root=tmp_path / "project", environment=environment)
    m = new_interpreter(project, load("2.13"), {})
    found = [(each.event.span.line, each.event.kind) for each in trace(m, find_entries(m, []).entries)]
    assert found == [(14, "triton-kernel")]
