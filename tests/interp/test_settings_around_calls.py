"""Settings that hold where a compiled object is called, in another function than the one that sets them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter, trace
from gblint.knowledge.catalog import load
from gblint.project.project import Project

HEAD = """\
import contextlib
import torch
from torch._dynamo import config

def step(x):
    return x.sum().item()

def rows(x):
    return x.nonzero()

fast = torch.compile(step, backend="eager")
part = torch.compile(rows, backend="eager")

def call(x):
    return fast(x)

def patched(on=True):
    if on:
        return config.patch(capture_dynamic_output_shape_ops=True)
    return contextlib.nullcontext()
"""
# What calls the compiled functions, and which of them break.
CASES = {
    "around-a-helper": (["with config.patch(capture_scalar_outputs=True):", "    call(x)"], {"step": False}),
    "another-setting": (["with config.patch(trace_numpy=False):", "    call(x)"], {"step": True}),
    "none": (["call(x)"], {"step": True}),
    "switched-off-again": (
        [
            "with config.patch(capture_scalar_outputs=True):",
            "    with config.patch(capture_scalar_outputs=False):",
            "        call(x)",
        ],
        {"step": True},
    ),
    "made-by-a-helper": (["with patched():", "    part(x)"], {"rows": False}),
}


def _source(code: list[str]) -> str:
    return "\n".join([HEAD, "def main(x):", *(f"    {line}" for line in code), "", ""])


@pytest.mark.parametrize(("code", "expected"), CASES.values(), ids=CASES)
def test_breaks(tmp_path: Path, code: list[str], expected: dict[str, bool]) -> None:
    (tmp_path / "m.py").write_text(_source(code) + "main(torch.ones(3))\n")
    interp = new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {})
    broken = {each.event.function for each in trace(interp, find_entries(interp).entries)}
    assert {name: name in broken for name in expected} == expected


@pytest.mark.parametrize(("code", "expected"), CASES.values(), ids=CASES)
def test_dynamo_agrees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: list[str], expected: dict[str, bool]
) -> None:
    torch = pytest.importorskip("torch")
    (tmp_path / "settings_around_calls.py").write_text(_source(code))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "settings_around_calls", raising=False)
    torch._dynamo.reset()
    counters = torch._dynamo.utils.counters
    counters.clear()
    module = importlib.import_module("settings_around_calls")
    module.main(torch.ones(3))
    assert bool(counters["graph_break"]) is any(expected.values())
