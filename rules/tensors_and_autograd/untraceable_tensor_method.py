"""A few methods of tensors cannot be traced: `random_`, `apply_`, `map_`, `to_mkldnn`, `is_inference`, ...

**Instead** `torch.randint` for `random_`, operators on the whole tensor for `apply_` and `map_`; convert layouts
outside the region.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class UntraceableTensorMethod(Rule):
    """GBL610."""

    code = "GBL610"
    name = "untraceable-tensor-method"
    summary = "a method of a tensor that Dynamo cannot trace"
    gb_ids = (
        "GB0107",
        "GB0055",
        "GB0087",
        "GB0045",
        "GB0110",
        "GB0208",
    )
    on = (On("tensor-method"),)
    message_template = "Dynamo cannot trace the method of `{expression}`"
    help_template = "call it outside the region, or use another operator"
    recipes = ("equivalents.asked_of_dtype",)
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y.random_()  # breaks: GB0107
    y = y + 1
    y.apply_(lambda value: value)  # breaks: GB0055
    return y + 1
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y = y.to_mkldnn().to_dense()  # breaks: GB0087
    return y * 2
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if y.is_inference():  # breaks: GB0045
        y = y.clone()
    y = y + 1
    y.uniform_(**{"from": 0.0, "to": 1.0})  # breaks: GB0110
    return y * 2
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.clone().uniform_(0, 1).normal_().bernoulli_(0.5)
    return y.type(torch.float64) + x.new_zeros(4) + x.cpu() + x.to("cpu") + x.type_as(y)
""",
        ),
        Example(
            """\
import torch


class Dice:
    def random_(self) -> int:
        return 4


def f(x: torch.Tensor) -> torch.Tensor:
    return x * Dice().random_()
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    if y.is_complex() or not y.is_floating_point():
        y = y.real
    return y.uniform_(0.0, 1.0)
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if x.is_signed():
        x = -x
    return x * 2
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if x.dtype.is_signed:
        x = -x
    return x * 2
""",
        ),
    )
