"""Tensors made from Python numbers can replace the numbers in arguments of operators."""

from __future__ import annotations

from tests.interp.snippets import breaks


def test_a_constant_tensor_as_size_and_index() -> None:
    source = """
        import torch
        def f(x: torch.Tensor):
            n = torch.div(x.size(0), 2, rounding_mode="trunc")
            x = x.view(n - 1, -1) + x.new_zeros((n + 1, 2))
            one = torch.tensor(1)
            return x[one]
    """
    assert breaks(source, "f") == []


def test_constant_tensor_does_not_decide_a_condition() -> None:
    source = """
        import torch
        def f(x: torch.Tensor):
            n = torch.tensor(4)
            if n > 1:
                x = x + 1
            return x.view(torch.ones((), dtype=torch.int), -1)
    """
    assert breaks(source, "f") == [(5, "data-dependent-branch"), (7, "tensor-to-python")]


def test_numpy_functions_of_numbers_are_constant_too() -> None:
    source = """
        import numpy as np
        import torch
        def f(x: torch.Tensor):
            r = np.log(2.0)
            x = x.view(np.lcm(2, 4), -1) + torch.empty(1).uniform_(-r, r)
            if x.shape[0] % np.lcm(2, 4) != 0:
                x = x + 1
            return x
    """
    assert breaks(source, "f") == [(7, "data-dependent-branch")]


def test_method_that_tensors_lack_excludes_a_tensor() -> None:
    source = """
        import torch
        def f(x: torch.Tensor, cache):
            if cache.get_length() > 0:
                x = x + 1
            return x
    """
    assert breaks(source, "f") == []
