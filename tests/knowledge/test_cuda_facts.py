"""A check agrees with what Dynamo did with CUDA's functions on a GPU."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.interp.snippets import breaks, run_whole
from tests.knowledge import measure_cuda

RECORDED = json.loads(measure_cuda.FILE.read_text(encoding="utf-8"))
OUTCOMES: dict[str, dict[str, str]] = RECORDED["outcomes"]

# Expressions that a check is silent about although Dynamo refuses them.
MISSED = {
    # A device as a context manager is known by ``torch.device(...)`` only.
    ("E.device", "with"),
    ("G.device", "with"),
    ("GE.device", "with"),
    ("GEN.device", "with"),
    ("S.device", "with"),
    ("torch.Event('cuda').device", "with"),
    ("torch.accelerator.current_accelerator()", "with"),
    ("torch.cuda.Stream().device", "with"),
    ("torch.cuda.current_stream().device", "with"),
    # Errors of 2.11 with an event or a stream that the region did not make.
    ("E.record()", "call"),
    ("torch.cuda.Stream().record_event(E)", "call"),
    ("torch.cuda.current_stream().record_event(E)", "call"),
    ("torch.cuda.current_stream().priority_range()", "call"),
    # 2.11 does not trace what moves or converts a module; 2.13 does.
    ("LIN.cpu()", "call"),
    ("LIN.cuda()", "call"),
    ("LIN.to('cuda')", "call"),
    # Attributes that torch computes.
    ("torch.backends.cuda.cufft_plan_cache.max_size", "call"),
    ("torch.backends.cuda.cufft_plan_cache.size", "call"),
    ("torch.backends.cuda.cufft_plan_cache[0]", "call"),
    ("torch.backends.cuda.matmul.fp32_precision", "call"),
    # The states of all devices; and a device that is a tensor.
    ("torch.cuda.get_rng_state_all()", "call"),
    ("torch.cuda.random.get_rng_state_all()", "call"),
    ("torch.cuda.set_rng_state_all([R])", "call"),
    ("torch.cuda.random.set_rng_state_all([R])", "call"),
    ("torch.cuda.device(x)", "call"),
    ("torch.cuda.device(x)", "with"),
    ("JIT(x)", "call"),
    ("torch.cuda.BoolTensor()", "call"),
    ("torch.nn.parallel.scatter(x, [0])", "call"),
}


def test_a_check_agrees_with_the_gpu(gblint: Callable[..., Any], project: Callable[..., Path]) -> None:
    text, functions = measure_cuda.source(OUTCOMES)
    project({"cuda_expressions.py": text, "entries.txt": "".join(f"cuda_expressions:{name}\n" for name in functions)})
    version = RECORDED["torch"].rpartition(".")[0]
    options = ("--entries-file", "entries.txt", "--ignore", "GBL7,GBL8,GBL9", "--output-format", "json", "--exit-zero")
    report = json.loads(gblint("check", ".", "--torch-version", version, *options).out)
    reported = {functions[name.partition(":")[2]] for finding in report["findings"] for name in finding["entries"]}
    refused = {(key, kind) for key, kinds in OUTCOMES.items() for kind, outcome in kinds.items() if outcome != "ok"}
    assert reported - refused == set()
    assert refused - reported == MISSED


def test_dynamo_does_on_this_gpu_what_is_recorded() -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available() or not torch.__version__.startswith(RECORDED["torch"]):
        pytest.skip(f"needs CUDA and torch {RECORDED['torch']}")
    assert measure_cuda.measure(OUTCOMES) == OUTCOMES


WITHOUT_A_GPU = """
import torch

def f(x):
    y = x + 1
    {expression}
    return y * 2
"""
# Expressions that run without a GPU, and whether Dynamo refuses them.
EVERYWHERE = {
    "torch.amp.GradScaler('cpu')": True,
    "torch.cuda.amp.GradScaler(enabled=False)": True,
    "torch.amp.custom_fwd(device_type='cpu')": True,
    "torch.cuda.is_tf32_supported()": True,
    "torch.cuda.profiler.profile()": True,
    "torch.cuda.nvtx.range('a')": True,
    "torch.get_device_module('cuda').device_count()": True,
    "x.__dlpack__()": True,
    "x.__dlpack_device__()": True,
    "torch.cuda.seed()": False,
    "torch.cuda.seed_all()": False,
    "torch.cuda.empty_cache()": False,
    "torch.cuda.cudaStatus()": False,
}


@pytest.mark.parametrize(("expression", "is_refused"), EVERYWHERE.items())
def test_a_check_agrees_without_a_gpu(expression: str, is_refused: bool) -> None:
    found = breaks(WITHOUT_A_GPU.format(expression=expression) + "torch.compile(f)(torch.ones(3))\n")
    assert [line for line, _ in found] == ([6] if is_refused else [])


@pytest.mark.parametrize(("expression", "is_refused"), EVERYWHERE.items())
def test_dynamo_agrees_without_a_gpu(
    expression: str, is_refused: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    source = WITHOUT_A_GPU.format(expression=expression)
    if is_refused:
        with pytest.raises(Exception, match=r"line 6, in f"):
            run_whole(tmp_path, monkeypatch, source, "f")
    else:
        run_whole(tmp_path, monkeypatch, source, "f")


@pytest.mark.parametrize("method", ["__dlpack__", "__dlpack_device__"])
def test_dynamo_raises_outside_of_full_graphs(method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    (tmp_path / "gblint_dlpack.py").write_text(WITHOUT_A_GPU.format(expression=f"x.{method}()"))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "gblint_dlpack", raising=False)
    function = importlib.import_module("gblint_dlpack").f
    with pytest.raises(Exception, match=r"line 6, in f"):
        torch.compile(function, backend="eager")(torch.ones(3))
