"""A few methods of tensors cannot be traced: `random_`, `apply_`, `map_`, `to_mkldnn`, `is_inference`, ...

Neither can the deprecated form of `add_`, `addcmul_` and `addcdiv_` with a number before the tensors.

**Instead** `torch.randint` for `random_`, operators on the whole tensor for `apply_` and `map_`; pass the number by
name (`x.add_(y, alpha=0.1)`); convert layouts outside the region.
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
        "GB0117",
    )
    on = (On("tensor-method"),)
    message_template = "Dynamo cannot trace this tensor method: `{expression}`"
    help_template = "call it outside the region, or use another operator"
    wording = tuple(
        (
            name,
            "Dynamo takes only tensors as positional arguments of this method: `{expression}`",
            "pass the number by name, as `alpha` of `add_` or `value` of `addcmul_` and `addcdiv_`",
        )
        for name in ("add_", "addcmul_", "addcdiv_")
    )
    recipes = ("equivalents.read_dtype", "in_place_factors.pass_by_name")
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
    y.mul_(0.9).add_(0.1, x)  # breaks: GB0117
    y.addcmul_(1 - 0.9, x, x)  # breaks: GB0117
    return y.addcdiv_(-0.1, x, x.abs() + 1)  # breaks: GB0117
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.clone().uniform_(0, 1).normal_().bernoulli_(0.5)
    y.add_(x, alpha=0.1).sub_(0.1, x).addcmul_(x, x, value=0.1)
    return y.type(torch.float64) + x.new_zeros(4) + x.cpu() + x.to("cpu") + x.type_as(y)
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
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.zeros_like(x)
    y.mul_(0.9).add_(0.1, x)
    return y.addcdiv_(-0.1, x, x.abs() + 1)
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.zeros_like(x)
    y.mul_(0.9).add_(x, alpha=0.1)
    return y.addcdiv_(x, x.abs() + 1, value=-0.1)
""",
            safe=False,
            choice="pass-by-name",
        ),
    )
