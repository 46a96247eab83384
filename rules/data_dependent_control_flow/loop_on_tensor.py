"""`while` on a tensor cannot be traced: how often it runs is in the data.

A break inside a loop cannot be resumed from in the middle of the loop, so that Dynamo gives up the whole frame when
anything in the loop breaks.

**Instead**

- loop a fixed number of times, and mask what is finished with `torch.where`;
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
    message_template = "`while {expression}` loops until the values of a tensor say otherwise"
    help_template = "loop a fixed number of times, use `torch.while_loop`, or keep the loop outside the compiled region"
    recipes = (
        "loops.break_from.bounded",
        "loops.counter.counted_through",
        "loops.break_from.as_while_loop",
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
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    done = torch.zeros((), dtype=torch.bool)
    while not done:  # breaks: GB0170
        x = x * 2
        done = x.abs().sum() > 100
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
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    while x.dim() < 3:
        x = x.unsqueeze(0)
    return x * 2
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    stack = [x, x * 2]
    total = torch.zeros(4)
    while stack:
        total = total + stack.pop()
    return total
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
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    # until it is small
    while x.norm() > 1:
        half = x / 2
        x = half + 0.1
    return x + 1
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    # until it is small
    def goes_on(x):
        return x.norm() > 1

    def step(x):
        half = x / 2
        x = half + 0.1
        return (x.clone(),)

    (x,) = torch.while_loop(goes_on, step, (x,))
    return x + 1
""",
            calls=(
                "(torch.rand(4) * 9,)",
                "(torch.rand(4),)",
            ),
            safe=False,
            choice="as-while-loop",
        ),
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    old = x - 1
    while (x != old).any():
        old = x
        x = torch.clamp(x * 2, max=8)
    return x + 1
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    old = x - 1

    def goes_on(old, x):
        return (x != old).any()

    def step(old, x):
        old = x
        x = torch.clamp(x * 2, max=8)
        return old.clone(), x.clone()

    old, x = torch.while_loop(goes_on, step, (old, x))
    return x + 1
""",
            calls=(
                "(torch.rand(4) + 1,)",
                "(torch.full((4,), 8.0),)",
            ),
            safe=False,
            choice="as-while-loop",
        ),
        FixExample(
            """\
import torch


def f(times: torch.Tensor, wanted: torch.Tensor, smooth: bool = True) -> torch.Tensor:
    found = torch.zeros(len(wanted) + 1)
    # the first one is there
    j = 1
    for before, after in zip(times[:-1], times[1:]):
        step = after - before
        while j < len(wanted) and after >= wanted[j]:
            # in between
            if smooth:
                part = (wanted[j] - before) / step
                found[j] = part * part
            else:
                found[j] = 1.0
            j += 1
    return found * 2
""",
            """\
import torch


def f(times: torch.Tensor, wanted: torch.Tensor, smooth: bool = True) -> torch.Tensor:
    found = torch.zeros(len(wanted) + 1)
    # the first one is there
    next_j = torch.tensor(1)
    for before, after in zip(times[:-1], times[1:]):
        step = after - before
        for j in range(1, len(wanted)):
            reached = (next_j == j) & (after >= wanted[j]).all()
            # in between
            if smooth:
                part = (wanted[j] - before) / step
                found[j] = torch.where(reached, part * part, found[j])
            else:
                found[j] = torch.where(reached, 1.0, found[j])
            next_j = next_j + reached
    return found * 2
""",
            calls=(
                "(torch.arange(5.0), torch.tensor([0.0, 0.5, 0.6, 2.0, 9.0]))",
                "(torch.arange(3.0), torch.tensor([0.0, 2.0, 1.0]), False)",
                "(torch.arange(3.0), torch.tensor([0.0, 1.0, 2.0], requires_grad=True))",
            ),
            safe=False,
            choice="counted-through",
        ),
    )
