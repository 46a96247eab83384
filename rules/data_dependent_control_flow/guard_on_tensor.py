"""A sanity check on the values of a tensor breaks the graph even when it never fires.

`if x.isnan().any(): raise ...` is an `if` on a tensor like any other. It is common in library code, and easy to remove.

**Instead**

- an assertion on the tensor: `torch._assert_async(condition)` or `assert condition, "message"` (not negated, with a
  constant message) go into the graph and fail at run time;
- skip it in compiled runs: `if not torch.compiler.is_compiling() and ...`;
- check once, before the compiled call.

**Does not help**

- a check that never fires: Dynamo still needs the truth value of its condition.
- `torch._check(condition)` with a tensor: it accepts only Python conditions, on sizes and captured numbers.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class GuardOnTensor(Rule):
    """GBL203."""

    code = "GBL203"
    name = "guard-on-tensor"
    summary = "a check of tensor values that raises"
    gb_ids = ("GB0170",)
    on = (
        On(
            "data-dependent-branch",
            (
                "if",
                "elif",
                "ternary",
                "and",
                "or",
                "not",
                "any",
                "all",
                "compare-chain",
                "in",
            ),
            frozenset({"guard-raise"}),
        ),
        On("data-dependent-branch", ("check",)),
    )
    message_template = "`{subject} {expression}` checks the values of a tensor to raise an error"
    help_template = (
        "use `torch._assert_async(condition)` or a plain `assert`, or skip the check with "
        "`torch.compiler.is_compiling()`"
    )
    wording = (
        ("ternary", "`... if {expression} else ...` checks the values of a tensor to raise an error", help_template),
    )
    recipes = ("checks.assert_in_graph", "checks.check_in_graph")
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if x.isnan().any():  # breaks: GB0170
        raise ValueError("not a number")
    return x + 1
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if x.dim() != 1 or x.shape[0] == 0:
        raise ValueError(f"bad shape {x.shape}")
    return x + 1
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    # All of it counts.
    torch._check_tensor_all(x > 0, lambda: "not positive")
    torch._check_tensor_all(x < 9)
    return x.log()
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    # All of it counts.
    if torch.compiler.is_compiling():
        torch._assert_async((x > 0).all(), "not positive")
    else:
        torch._check_tensor_all(x > 0, lambda: "not positive")
    if torch.compiler.is_compiling():
        torch._assert_async((x < 9).all(), "Expected the condition to be true")
    else:
        torch._check_tensor_all(x < 9)
    return x.log()
""",
            calls=("(torch.ones(4, requires_grad=True),)", "(torch.zeros(4),)", "(torch.full((2,), 10.0),)"),
            choice="check-in-graph",
            safe=False,
        ),
    )
