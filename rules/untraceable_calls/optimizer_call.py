"""Dynamo traces no method of optimizers and learning-rate schedulers, and does not create them in a graph.

`scheduler.step()`, `scheduler.get_last_lr()`, `optimizer.zero_grad()`, `optimizer.state_dict()` and others end the
graph. `optimizer.step()` does, too, on purpose: it is compiled as a separate graph (GBL801).

**Instead**

- compile the model, or the model and the loss; create these objects and call their methods in the training loop;
- in the region read `optimizer.param_groups[0]["lr"]`, which is traced.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class OptimizerCall(Rule):
    """GBL472.

    torch/_dynamo/trace_rules.py: the files of ``torch.optim`` are skipped.
    """

    code = "GBL472"
    name = "optimizer-call"
    summary = "an optimizer or a learning-rate scheduler is created, or a method of it is called"
    gb_ids = ("GB0007", "GB0008")
    on = (On("call", ("torch.optim.*",)), On("construct", ("torch.optim.*",)))
    message_template = "Dynamo does not trace `{subject}`"
    help_template = "create and call it in the training loop, outside of the compiled function"
    BREAKS = (
        Example(
            """\
import torch

weight = torch.nn.Parameter(torch.ones(4))
optimizer = torch.optim.SGD([weight], lr=0.1)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    optimizer.zero_grad()  # breaks: GB0008
    scheduler.step()  # breaks: GB0008
    return y * scheduler.get_last_lr()[0]  # breaks: GB0008
""",
        ),
        Example(
            """\
import torch

weight = torch.nn.Parameter(torch.ones(4))


class Descent(torch.optim.Optimizer):
    def __init__(self, params: list[torch.Tensor], lr: float) -> None:
        super().__init__(params, {"lr": lr})  # breaks: GB0008


def f(x: torch.Tensor) -> torch.Tensor:
    optimizer = Descent([weight], 0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)  # breaks: GB0008
    return x * optimizer.param_groups[0]["lr"]
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch

weight = torch.nn.Parameter(torch.ones(4))
optimizer = torch.optim.SGD([weight], lr=0.1)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
rate = scheduler.get_last_lr()[0]


def f(x: torch.Tensor) -> torch.Tensor:
    return x * rate * optimizer.param_groups[0]["lr"]
""",
        ),
    )
