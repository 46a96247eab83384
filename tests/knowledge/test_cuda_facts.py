"""A check agrees with what Dynamo did with CUDA's functions on a GPU."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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
