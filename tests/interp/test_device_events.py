"""Events and memory statistics of CUDA and XPU, for which a CPU build of torch has only dummies."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks


@pytest.mark.parametrize("device", ["cuda", "xpu"])
def test_events_are_put_into_the_graph(device: str) -> None:
    source = f"""
    import torch

    def f(x: torch.Tensor):
        start = torch.{device}.Event(enable_timing=True)
        start.record()
        return x + 1, start
    """
    assert breaks(source, "f") == []


@pytest.mark.parametrize("device", ["cuda", "xpu"])
def test_time_between_events_breaks(device: str) -> None:
    source = f"""
    import torch

    def f(x: torch.Tensor):
        start = torch.{device}.Event(enable_timing=True)
        start.record()
        stop = torch.{device}.Event(enable_timing=True)
        return x + start.elapsed_time(stop)
    """
    assert breaks(source, "f") == [(8, "device-call")]


@pytest.mark.parametrize("device", ["cuda", "xpu"])
def test_a_call_that_returns_none_is_put_into_the_graph_and_one_that_returns_a_number_breaks(device: str) -> None:
    source = f"""
    import torch

    def f(x: torch.Tensor):
        torch.{device}.empty_cache()
        torch.{device}.reset_peak_memory_stats()
        return x + torch.{device}.memory_allocated()
    """
    assert breaks(source, "f") == [(7, "call")]


@pytest.mark.parametrize("device", ["cuda", "xpu"])
def test_streams_may_wait_for_each_other(device: str) -> None:
    source = f"""
    import torch

    def f(x: torch.Tensor):
        stream = torch.{device}.Stream()
        stream.wait_stream(torch.{device}.current_stream())
        return x + 1
    """
    assert breaks(source, "f") == []
