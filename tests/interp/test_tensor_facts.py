"""Facts about tensors from conditions and calls."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from tests.interp.snippets import breaks, run_whole


@pytest.mark.parametrize("rank", ["x.ndim", "x.dim()", "len(x.shape)", "len(x.size())"])
def test_a_check_of_the_rank_is_remembered(rank: str) -> None:
    source = f"""
        import torch
        def f(x: torch.Tensor, table: torch.Tensor):
            if {rank} != 1:
                raise ValueError("a vector is wanted")
            order = x.argsort()
            return table[order[0]]
    """
    assert breaks(source, "f") == [(7, "tensor-to-python")]


def test_an_intermediate_may_stop_requiring_a_gradient() -> None:
    source = """
        import torch
        def f(x: torch.Tensor):
            noise = torch.randn_like(x)
            noise.requires_grad_(False)
            return x + noise
    """
    assert breaks(source, "f") == []


def test_slice_of_a_tensor_is_a_number() -> None:
    source = """
        import torch
        def f(x: torch.Tensor):
            where = torch.argmax(x)
            window = slice(where, where + 2)
            return x
    """
    assert breaks(source, "f") == [(5, "tensor-to-python")]


def test_optional_function_of_torch() -> None:
    source = """
        import torch
        compiling = getattr(torch.compiler, "is_compiling", None) or getattr(torch, "nothing_like_it", None)
        def f(x: torch.Tensor):
            if not compiling():
                return x.item()
            return x
    """
    assert breaks(source, "f") == []


def test_loss_class_with_an_underscore_is_a_module() -> None:
    source = """
        import torch
        from torch.nn.modules.loss import _Loss
        class Dice(_Loss):
            def forward(self, x: torch.Tensor):
                return x.item()
    """
    assert breaks(source, "Dice") == [(6, "tensor-to-python")]


def test_a_tensor_may_be_the_value_of_addcdiv_in_place() -> None:
    source = """
        import torch
        def f(x: torch.Tensor, a: torch.Tensor, b: torch.Tensor):
            y = x * 2
            return y.addcdiv_(a, b, value=-a.sum())
    """
    assert breaks(source, "f") == []


def test_reshape_gives_the_rank_of_its_shape() -> None:
    source = """
        import torch
        def f(x: torch.Tensor, index: torch.Tensor):
            rows = torch.reshape(torch.permute(index, (1, 0, 2)), (2, -1))
            return x[:, rows[0], rows[1]]
    """
    assert breaks(source, "f") == []


def test_streams_of_cuda_stay_in_the_graph() -> None:
    source = """
        import torch
        def f(x: torch.Tensor):
            stream = torch.cuda.Stream()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                y = x + 1
            torch.cuda.current_stream().wait_stream(stream)
            return y
    """
    assert breaks(source, "f") == []


def test_a_name_of_a_process_group_is_an_argument_of_a_nonstrict_function() -> None:
    source = """
        import torch
        import torch.distributed as dist
        @torch._dynamo.nonstrict_trace
        def scaled(x, name, sizes):
            return x * sizes[0]
        def f(x: torch.Tensor):
            return scaled(x, dist.group.WORLD.group_name, [1, 2])
    """
    assert breaks(source, "f") == []


LOSSES = """
import torch
import torch.nn.functional as F
from torch import nn
def f(x):
    target, kind = torch.zeros(3), "none"
    losses = F.mse_loss(x, target, reduction="none")
    losses = losses + F.l1_loss(x, target, None, None, "none") + F.smooth_l1_loss(x, target, reduction=kind)
    losses = losses + F.kl_div(x, target, reduce=False) + nn.BCEWithLogitsLoss(reduction="none")(x, target)
    losses[x > 0.5] = 1
    return losses.sum(0)
"""


def test_losses_that_are_not_reduced_are_no_numbers() -> None:
    assert breaks(LOSSES, "f") == []


def test_dynamo_masks_losses_that_are_not_reduced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_whole(tmp_path, monkeypatch, LOSSES, "f")


RANDOM_NUMBER = """
import numpy as np
def f(x):
    share = np.random.{call}
    for i in range(3):
        if share < 0.1 * i:
            x = x + 1
    return x
"""


@pytest.mark.parametrize("call", ["uniform()", "uniform(0, 1)", "rand()", "normal(size=None)", "randint(3)"])
def test_after_its_break_a_random_number_of_numpy_is_a_number(call: str) -> None:
    assert [line for line, _ in breaks(RANDOM_NUMBER.format(call=call), "f")] == [4]


def test_dynamo_breaks_once_for_a_random_number_of_numpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    (tmp_path / "random_number.py").write_text(RANDOM_NUMBER.format(call="uniform()"))
    monkeypatch.syspath_prepend(tmp_path)
    function = importlib.import_module("random_number").f
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    torch.compile(function, backend="eager")(torch.ones(3))
    assert sum(torch._dynamo.utils.counters["graph_break"].values()) == 1
