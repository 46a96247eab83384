"""Calls of decorated functions in the project tell what their parameters are."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks, confidences

CALLS = {
    "at the top": "d(torch.ones(3), torch.tensor(3), 4)",
    "by keyword": "d(torch.ones(3), max_pad=4, length=torch.tensor(3))",
    "under a main guard": "if __name__ == '__main__':\n    d(torch.ones(3), torch.tensor(3), 4)",
    "in a test": "def test_d():\n    assert d(torch.ones(3), torch.tensor(3), 4) is not None",
    "in one of two calls": "d(torch.ones(3), 3, 4)\nd(torch.ones(3), torch.tensor(3), 4)",
}
FUNCTION = """
import torch

@torch.compile
def d(x, length, max_pad):
    if length <= max_pad:
        return x + 1
    return x

"""


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_tensor_is_passed(call: str) -> None:
    assert breaks(FUNCTION + call) == [(6, "data-dependent-branch")]


def test_an_integer_is_passed() -> None:
    assert breaks(FUNCTION + "d(torch.ones(3), 3, 4)") == []


def test_an_annotation_gives_way() -> None:
    source = FUNCTION.replace("length,", "length: int,") + "d(torch.ones(3), torch.tensor(3), 4)"
    assert breaks(source) == [(6, "data-dependent-branch")]


def test_a_flag_that_a_call_passes_is_one_of_two() -> None:
    source = """
        import torch
        @torch.compile
        def f(x, verbose=False):
            if verbose:
                print(x)
            return x
        f(torch.ones(3), verbose=False)
    """
    assert list(confidences(source)) == [6]


def test_methods() -> None:
    source = """
        import torch
        class Net(torch.nn.Module):
            @torch.compile
            def forward(self, x, length):
                if length > x.shape[0]:
                    x = x + 1
                return x
            @staticmethod
            @torch.compile
            def scaled(x, factor):
                return x * factor if factor > 1 else x
        Net()(torch.ones(3), torch.tensor(2))
        Net.scaled(torch.ones(3), torch.tensor(2))
    """
    assert [line for line, _ in breaks(source)] == [6, 12]


def test_two_marks_are_told_though_the_function_is_called() -> None:
    source = """
        import torch
        @torch.compile
        def g(x):
            return x.sum().item()
        g(torch.ones(3))
    """
    assert breaks(source) == [(5, "tensor-to-python")]
