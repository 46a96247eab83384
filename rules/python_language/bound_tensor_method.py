"""A method of a tensor used as a value (`x.relu` without the call): Dynamo has no object for it.

It can be stored, passed and called. As a key of a dict or a member of a set, in `isinstance`, `callable`, `hasattr` or
`str`, or compared with another, it breaks the graph. So does the call `x.add(f(y))` if `f` breaks the graph: Python has
looked up `x.add` before, and the code after the break is given the method as an object, which it cannot call.

**Instead** use the function (`torch.relu`), or the name of the method with `getattr(x, name)`. Compute an argument that
breaks the graph in a statement of its own.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class BoundTensorMethod(Rule):
    """GBL513."""

    code = "GBL513"
    name = "bound-tensor-method"
    summary = "a method of a tensor as a key, or asked for its type or attributes"
    gb_ids = ("GB0682", "GB0175", "GB0150", "GB6215", "GB0059", "GB0007")
    on = (On("operation", ("tensor-method", "tensor-method-on-stack")),)
    message_template = "Dynamo has no object for a method of a tensor, which `{expression}` asks for"
    help_template = "use the function, such as `torch.relu`, or the name of the method"
    wording = (
        (
            "tensor-method-on-stack",
            "an argument of `{expression}` breaks the graph after Python has looked up the method",
            "compute the argument in a statement before",
        ),
    )
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    costs = {y.relu: 1, y.tanh: 2}  # breaks: GB0682
    return y * len(costs)
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y.add(torch.ones(2 + isinstance(y.relu, int)))  # breaks: GB0175, GB0007
""",
            "(torch.randn(2),)",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    act = (x + 1).relu
    return act() * 2
""",
        ),
    )
