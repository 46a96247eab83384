"""More examples of GBL907, redundant-error-toggle."""

from __future__ import annotations

from gblint.rules.examples import Example

ADVISES = (
    Example(
        """\
import torch


@torch._dynamo.error_on_graph_break(True)  # advises
def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@torch.compile
@torch._dynamo.error_on_graph_break(True)
def f(x: torch.Tensor) -> torch.Tensor:
    y = double(x)
    print("half way")  # breaks: GB0059
    return y + 1
""",
        raises=True,
        instead="""\
import torch


@torch._dynamo.error_on_graph_break(True)
def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    y = double(x)
    print("half way")
    return y + 1
""",
    ),
)
