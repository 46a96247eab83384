"""More examples of GBL472, optimizer-call."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch
from torch.optim.lr_scheduler import LRScheduler


class Warmup(LRScheduler):
    def get_lr(self) -> list[float]:
        return [0.1 for _ in self.base_lrs]


weight = torch.nn.Parameter(torch.ones(4))
optimizer = torch.optim.AdamW([weight])
scheduler = Warmup(optimizer)


def f(x: torch.Tensor) -> torch.Tensor:
    scheduler.step()  # breaks: GB0008
    return x * 2
""",
    ),
    Example(
        """\
import torch

weight = torch.nn.Parameter(torch.ones(4))
optimizer = torch.optim.AdamW([weight])
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)


def f(x: torch.Tensor) -> torch.Tensor:
    plateau.step(1.0)  # breaks: GB0008
    state = optimizer.state_dict()  # breaks: GB0008
    return x * len(state)
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch

weight = torch.nn.Parameter(torch.ones(4))
optimizer = torch.optim.AdamW([weight])


def f(x: torch.Tensor) -> torch.Tensor:
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            x = x * parameter
    return x
""",
    ),
    Example(
        """\
import torch

weight = torch.nn.Parameter(torch.ones(4))
scheduler = torch.optim.lr_scheduler.StepLR(torch.optim.AdamW([weight]), 10)


def f(x: torch.Tensor) -> torch.Tensor:
    return x * scheduler.last_epoch
""",
    ),
)
