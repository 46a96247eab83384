"""Functions that enter the graph untraced (`nonstrict_trace`) must take and return values that a graph can hold.

Dynamo does not trace them. It flattens their arguments into tensors and numbers, so that a user-defined class has to be
registered with `torch.utils._pytree`: `register_dataclass` or `register_pytree_node` for one that holds tensors,
`register_constant` for configuration. A constant must be created outside of the region, and the context that a
`pytree_flatten` returns must be a constant. They cannot return `None`, strings or objects. The function itself must be
defined outside of the region. The arguments of a function under `assume_constant_result` must be known while Dynamo
traces, so it does not accept a list of tensors.

They run on tensors without data while Dynamo traces: code that needs a value of a tensor (`.item()`, a branch on a
tensor, a mask) breaks at the call, and the function is then compiled separately. Under `allow_in_graph` they may return
only tensors.

**Instead**

- pass the tensors of the object instead of the object;
- register the class with `torch.utils._pytree`;
- create modules and configuration outside of the region.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class UnseenFunction(Rule):
    """GBL424."""

    code = "GBL424"
    name = "unseen-function"
    summary = "a function that enters the graph untraced, with values that a graph cannot hold"
    gb_ids = (
        "GB0033",
        "GB0078",
        "GB0208",
        "GB0236",
        "GB0238",
        "GB0239",
        "GB0251",
        "GB2520",
        "GB6210",
    )
    on = (On("unseen-function"),)
    message_template = "`{expression}` passes a value that a graph cannot hold to an untraced function"
    help_template = "pass and return tensors and numbers, in tuples and dicts"
    wording = (
        (
            "made-here",
            "`nonstrict_trace` needs a function that is defined outside of the region",
            "define it at module level",
        ),
        (
            "constant-argument",
            "`{expression}` is marked `assume_constant_result`, but receives tensors",
            "pass the values that the result depends on: a length, a shape",
        ),
        (
            "data",
            "`{expression}` needs the data of a tensor, which does not exist while the graph is made",
            "make it a custom operator or a leaf function",
        ),
        ("no-tensor", "`{expression}` does not return a tensor, as `allow_in_graph` requires", "return a tensor"),
        ("module", "`{expression}` receives a module that was created in the region", "create the module outside"),
        (
            "result",
            "`{expression}` returns something that is neither a tensor nor a number",
            "return tensors and numbers, in tuples and dicts",
        ),
        (
            "argument",
            "`{expression}` receives an object that Dynamo cannot flatten into tensors",
            "pass its tensors, or register its class with `torch.utils._pytree`",
        ),
    )
    escape_hatches = ()
    BREAKS = (
        Example(
            """\
import torch


@torch.compiler.allow_in_graph
def rows(x: torch.Tensor) -> int:
    return x.shape[0]


def f(x: torch.Tensor) -> torch.Tensor:
    return x * rows(x)  # breaks: GB0208
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


@torch._dynamo.nonstrict_trace
def shown(x: torch.Tensor) -> torch.Tensor:
    print(x.shape)
    return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return shown(x) + 1
""",
        ),
    )
