"""Compiled classes, and classes that are entry points: the calls of their instances are compiled."""

from __future__ import annotations

from pathlib import Path

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter
from gblint.interp.tracer import run_entry
from gblint.knowledge.catalog import load
from gblint.project.project import Project
from tests.interp.snippets import breaks
from tests.oracle import dynamo

CALLABLE = """\
import torch


@torch.compile
class Total:
    def __call__(self, x):
        return x.sum().item()


@torch.compiler.disable
def total(x):
    return Total()(x)


def f(x):
    return total(x)
"""
UNKNOWN_BASE = """\
from missing import Base


class Part(Base):
    def forward(self, x):
        return x.sum().item()


class Plan(Base):
    def run(self, x):
        return x.sum().item()
"""


def test_class_with_call_as_dynamo_judges() -> None:
    (verdict,) = dynamo.verdicts([(CALLABLE, "(torch.ones(3),)")])
    assert verdict.breaks == {7: ("GB0124",)}
    assert breaks(CALLABLE) == [(7, "tensor-to-python")]
    assert breaks(CALLABLE, "Total") == [(7, "tensor-to-python")]


def test_base_without_source_may_be_a_module() -> None:
    assert breaks(UNKNOWN_BASE, "Part") == [(6, "tensor-to-python")]


def test_class_that_cannot_be_called_is_not_analysed(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(UNKNOWN_BASE)
    interp = new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {})
    (entry,) = find_entries(interp, ["m:Plan"]).entries
    assert run_entry(interp, entry, 10_000).cut.startswith("`Plan` is no module")
