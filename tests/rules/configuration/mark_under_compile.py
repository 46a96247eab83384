"""More examples of GBL908, mark-under-compile."""

from __future__ import annotations

from gblint.rules.examples import Example

ADVISES = (
    Example(
        """\
import torch


@torch.compile
@torch.compile(fullgraph=True)
def f(x: torch.Tensor) -> torch.Tensor:  # advises
    print(x.shape)  # breaks: GB0059
    return x + 1
""",
        instead="""\
import torch


@torch.compile(fullgraph=True)
def f(x: torch.Tensor) -> torch.Tensor:
    print(x.shape)
    return x + 1
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


class Net(torch.nn.Module):
    def __init__(self, fast: bool = True) -> None:
        super().__init__()
        if fast:
            self.forward = torch.compile(self.forward, mode="default")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + 1


one, two = Net(), Net()


def f(x: torch.Tensor) -> torch.Tensor:
    return x + 1
""",
    ),
)
