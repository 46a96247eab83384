"""Higher-order operators take tensors, integers, and functions; anything else raises an error.

`torch.cond`, `while_loop`, `scan`, `associative_scan` and `map` can only run inside a graph. If their arguments have
other types, Dynamo does not fall back to Python: it raises `UncapturedHigherOrderOpError`, with or without
`fullgraph=True`. The operands of `torch.cond` have to be a list or a tuple of tensors and numbers, its predicate a
`bool` or a tensor with one element. A function called by `torch.compiler.nested_compile_region` has to be a plain
function. The public functions call the operators under `torch.ops.higher_order`, which check less and require more.

**Instead**

- pass `(x,)` rather than `x`; let the functions close over modules and configuration rather than taking them;
- reduce the predicate to one tensor: `torch.stack(flags).all()`;
- call `torch.cond`, `torch._higher_order_ops.while_loop` and so on, not the operators in `torch.ops.higher_order`.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class HigherOrderArguments(Rule):
    """GBL620."""

    code = "GBL620"
    name = "higher-order-arguments"
    summary = "a higher-order operator called with arguments that it does not accept"
    gb_ids = (
        "GB0017",
        "GB0042",
        "GB0302",
        "GB0303",
        "GB0306",
        "GB0309",
        "GB0310",
        "GB0311",
        "GB0312",
        "GB0325",
        "GB0327",
        "GB0335",
        "GB0336",
        "GB0337",
        "GB0341",
        "GB0342",
        "GB0345",
        "GB6017",
    )
    on = (
        On(
            "higher-order",
            ("predicate", "operands", "function", "arguments", "operator"),
        ),
    )
    message_template = "`{expression}` does not accept these arguments"
    help_template = "pass tensors and integers in a tuple, and functions where it expects functions"
    wording = (
        (
            "predicate",
            "the predicate of `{expression}` is neither a `bool` nor a tensor",
            "reduce it to one tensor: `torch.stack(flags).all()`",
        ),
        (
            "operands",
            "`{expression}` expects its operands in a flat tuple of tensors and numbers",
            "write `(x,)`, and let the functions close over anything else",
        ),
        ("function", "`{expression}` needs a plain function here", "wrap it in a function or a lambda"),
        (
            "operator",
            "Dynamo does not know how to trace a direct call of this operator",
            "call the public function that wraps it",
        ),
    )
    escape_hatches = ()
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, x)  # breaks: GB0311
""",
            raises=True,
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,))
""",
        ),
    )
