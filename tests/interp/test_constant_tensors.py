"""Tensors made of Python numbers stand for them where an operator wants one."""

from __future__ import annotations

from snippets import breaks


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


def test_a_constant_tensor_decides_nothing() -> None:
    source = """
        import torch
        def f(x: torch.Tensor):
            n = torch.tensor(4)
            if n > 1:
                x = x + 1
            return x.view(torch.ones((), dtype=torch.int), -1)
    """
    assert breaks(source, "f") == [(5, "data-dependent-branch"), (7, "tensor-to-python")]
