"""An operator is given a Python object that no graph can hold, or that it does not take.

Examples: a set and a tensor as operands (`y + {1, 2}`, `y.sum({0})`), a string or a float where an operator takes an
integer (`y.sum(dim="rows")`; named dimensions are gone), a list or a symbolic size in `elementwise_dtypes`, and a
function that `torch.func.vjp` has returned *outside* the region: the autograd graph that it needs is not part of the
region. Most of these raise a `TypeError` in eager PyTorch too, and matter where code catches that.

**Instead** give tensors, numbers and tuples; test the type with `isinstance` rather than catching the error; call
`torch.func.vjp` in the region, where it is traced along with what it returns.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import OUTSIDE, On, Rule


class TensorArgument(Rule):
    """GBL647."""

    code = "GBL647"
    name = "tensor-argument"
    summary = "an operator is given what no graph can hold"
    gb_ids = ("GB7489", "GB0213", "GB0112", "GB5195", "GB7299")
    on = (On("tensor-argument"),)
    message_template = "`{expression}` gives an operator what it cannot take"
    help_template = "give tensors, numbers and tuples of them"
    wording = (
        ("set", "`{expression}` gives an operator a set", "give a tuple"),
        ("integer", "`{expression}` gives an operator no integer where it takes one", "name dimensions by number"),
        (
            "pullback",
            "`{expression}` needs a graph of autograd from outside the region",
            "call `torch.func.vjp` inside",
        ),
    )
    escape_hatches = OUTSIDE
    BREAKS = (
        Example(
            """\
import torch


def total(x: torch.Tensor) -> torch.Tensor:
    try:
        return x.sum({0})  # breaks: GB7489
    except TypeError:
        return x.sum(0)


def f(x: torch.Tensor) -> torch.Tensor:
    return total(x + 1) * 2
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    axes = {0}
    y = x.sum(tuple(axes)) if 0 in axes else x
    return y + sum({1, 2})
""",
        ),
    )
