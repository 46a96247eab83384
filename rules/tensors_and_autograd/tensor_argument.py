"""An operator receives a Python object that a graph cannot hold, or that the operator does not accept.

Examples: a set and a tensor as operands (`y + {1, 2}`, `y.sum({0})`), a string or a float where an operator expects an
integer (`y.sum(dim="rows")`; named dimensions no longer exist), an object with an operator method of its own
(`laplacian @ y`: Dynamo puts the operator in the graph before it looks for `__matmul__`), `@` and `~` of objects alone
(`pose @ pose`: Dynamo traces the methods of all other operators), a list or a symbolic size in `elementwise_dtypes`,
and a function that `torch.func.vjp` has returned *outside* the region: the autograd graph that it needs is not part of
the region. Sets, strings and fractions raise a `TypeError` in eager PyTorch too, so they matter
only if the code catches it.

**Instead** pass tensors, numbers and tuples; call the method of an object by its name; test the type with `isinstance`
rather than catching the error; call `torch.func.vjp` in the region, where it is traced together with the function that
it returns.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import OUTSIDE, On, Rule


class TensorArgument(Rule):
    """GBL647."""

    code = "GBL647"
    name = "tensor-argument"
    summary = "an operator called with an argument that a graph cannot hold"
    gb_ids = ("GB7489", "GB0055", "GB0213", "GB0112", "GB5195", "GB7299", "GB0059")
    on = (On("tensor-argument"),)
    message_template = "`{expression}` passes an argument that the operator does not accept"
    help_template = "pass tensors, numbers and tuples of them"
    wording = (
        ("set", "`{expression}` passes a set to an operator", "pass a tuple"),
        (
            "integer",
            "`{expression}` passes a value that is not an integer where the operator expects one",
            "refer to dimensions by number",
        ),
        ("class", "`{expression}` names a class that is not a tensor type", "pass a `torch.dtype`"),
        (
            "object",
            "`{expression}` has a tensor and an object with an operator method of its own as operands",
            "call the method by its name, as in `operator.apply(x)`",
        ),
        (
            "objects",
            "`{expression}` applies an operator that Dynamo traces for tensors and numbers only",
            "call the method by its name, as in `pose.compose(other)`",
        ),
        (
            "pullback",
            "`{expression}` needs an autograd graph from outside the region",
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
