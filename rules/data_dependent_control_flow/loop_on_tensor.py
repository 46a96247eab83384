"""`while` on a tensor cannot be traced: the data decides how often it runs.

Dynamo cannot resume in the middle of a loop: if anything in the loop breaks, the whole frame runs eagerly.

**Instead**

- loop a fixed number of times, and mask finished elements with `torch.where`;
- `torch.while_loop`;
- compile the body, and keep the loop outside.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class LoopOnTensor(Rule):
    """GBL202."""

    code = "GBL202"
    name = "loop-on-tensor"
    summary = "`while` on a tensor"
    gb_ids = ("GB0170",)
    on = (On("data-dependent-branch", ("while",)),)
    message_template = "`while {expression}` depends on the values of a tensor"
    help_template = "loop a fixed number of times, use `torch.while_loop`, or keep the loop outside the compiled region"
    recipes = (
        "loops.break_from.for_instead_of_while",
        "loops.counter.loop_over_all_counts",
        "loops.break_from.use_while_loop",
    )
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    x = x.abs() + 1
    while x.sum() < 100:  # breaks: GB0170
        x = x * 2
    return x
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    step = 0
    while step < x.shape[0]:
        x = x * 2
        step += 1
    return x
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor, steps: int) -> torch.Tensor:
    i = 0
    while i < steps and x.norm() > 1:
        x = x / 2
        i += 1
    return x + 1
""",
            """\
import torch


def f(x: torch.Tensor, steps: int) -> torch.Tensor:
    running = torch.ones((), dtype=torch.bool, device=x.device)
    for i in range(steps):
        running = running & (x.norm() > 1)
        x_before = x
        x = x / 2
        x = torch.where(running, x, x_before)
    return x + 1
""",
            calls=(
                "(torch.rand(4) * 9, 4)",
                "(torch.rand(4), 4)",
            ),
            safe=False,
        ),
    )
