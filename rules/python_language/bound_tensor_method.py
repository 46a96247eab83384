"""A method of a tensor used as a value (`x.relu` without the call): Dynamo cannot represent it as an object.

It can be stored, passed and called. The graph breaks if the method is a key of a dict or a member of a set, an argument
of `isinstance`, `callable`, `hasattr` or `str`, or if it is compared with another method. The call `x.add(f(y))` breaks
the graph too if `f` does: Python looks up `x.add` first, and the code after the break would need the method as an
object.

**Instead** use the function (`torch.relu`), or the name of the method with `getattr(x, name)`. If an argument breaks
the graph, compute it in a separate statement.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class BoundTensorMethod(Rule):
    """GBL513."""

    code = "GBL513"
    name = "bound-tensor-method"
    summary = "a method of a tensor used as a key, or a test of its type or attributes"
    gb_ids = ("GB0682", "GB0175", "GB0150", "GB6215", "GB0059", "GB0007")
    on = (On("operation", ("tensor-method", "tensor-method-on-stack")),)
    message_template = "`{expression}` needs a method of a tensor as an object, which Dynamo cannot represent"
    help_template = "use the function, such as `torch.relu`, or the name of the method"
    wording = (
        (
            "tensor-method-on-stack",
            "an argument of `{expression}` breaks the graph after Python has looked up the method",
            "compute the argument in a separate statement first",
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
