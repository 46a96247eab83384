"""`.tolist()` turns a tensor into Python numbers, and the graph ends there.

It is `.item()` for every element. Dynamo traces with fake tensors, which hold no numbers, so it stops, runs the call,
and goes on in a new graph. With `torch._dynamo.config.capture_scalar_outputs = True` the list of an integer tensor
stays in the graph as unbacked scalars; the list of a floating-point tensor never does.

**Instead** unbind the tensor (`for row in x.unbind()`), index it with a tensor, or pass split sizes and shapes in as
Python numbers from outside the compiled region.
"""

from __future__ import annotations

from gblint.rules.base import Example, On, Rule


class TensorTolist(Rule):
    """GBL102."""

    code = "GBL102"
    name = "tensor-tolist"
    summary = "`.tolist()` of a tensor"
    gb_ids = ("GB0033", "GB0109")
    on = (On("tensor-to-python", ("tolist",)),)
    said = "`{expression}` turns a tensor into a list of Python numbers"
    advice = "keep the values a tensor (`.unbind()` gives a tuple of tensors), or make the list outside the region"
    BREAKS = (
        Example(
            """\
import torch


def f(lengths: torch.Tensor) -> list[int]:
    return (lengths + 1).tolist()  # breaks: GB0033
""",
            "(torch.tensor([1, 2, 3]),)",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    weights = x.softmax(0).tolist()  # breaks: GB0109
    return x * weights[0]
"""
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor, sizes: torch.Tensor) -> tuple[torch.Tensor, ...]:
    y = x + 1
    return torch.split(y, sizes.tolist())  # breaks: GB0033
""",
            "(torch.randn(4), torch.tensor([1, 3]))",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    first, *rest = x.unbind()
    return first + sum(rest)
"""
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x.reshape(list(x.shape)[::-1])
""",
            "(torch.randn(2, 3),)",
        ),
        Example(
            """\
import torch

torch._dynamo.config.capture_scalar_outputs = True


def f(x: torch.Tensor, sizes: torch.Tensor) -> torch.Tensor:
    numbers = sizes.tolist()
    return x * numbers[0]
""",
            "(torch.randn(4), torch.tensor([1, 3]))",
        ),
    )
