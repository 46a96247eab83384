"""More examples of GBL202, loop-on-tensor."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
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
    if torch.compiler.is_compiling():
        def goes_on(x):
            return x.norm() > 1

        def step(x):
            half = x / 2
            x = half + 0.1
            return (x.clone(),)

        (x,) = torch.while_loop(goes_on, step, (x,))
    else:
        while x.norm() > 1:
            half = x / 2
            x = half + 0.1
    return x + 1
""",
        calls=(
            "(torch.rand(4) * 9,)",
            "(torch.rand(4),)",
        ),
        safe=False,
        choice="use-while-loop",
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
    if torch.compiler.is_compiling():
        def goes_on(old, x):
            return (x != old).any()

        def step(old, x):
            old = x
            x = torch.clamp(x * 2, max=8)
            return old.clone(), x.clone()

        old, x = torch.while_loop(goes_on, step, (old.clone(), x.clone()))
    else:
        while (x != old).any():
            old = x
            x = torch.clamp(x * 2, max=8)
    return x + 1
""",
        calls=(
            "(torch.rand(4) + 1,)",
            "(torch.full((4,), 8.0),)",
        ),
        safe=False,
        choice="use-while-loop",
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
        choice="loop-over-all-counts",
    ),
)
