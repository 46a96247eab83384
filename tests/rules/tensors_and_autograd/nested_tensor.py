"""More examples of GBL644, nested-tensor."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    nested = torch.nested.nested_tensor([y, y], layout=torch.strided)  # breaks: GB0233
    return nested.to_padded_tensor(0.0)  # breaks: GB0016
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    y = x + 1
    nested = torch.nested.nested_tensor(y, layout=torch.jagged)  # breaks: GB0245
    return y, nested
""",
        "(torch.randn(2, 4),)",
    ),
    Example(
        """\
import torch

TABLE = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return TABLE.to_padded_tensor(0.0) + y[:3]  # breaks: GB0016
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch

TABLE = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)


def f(x: torch.Tensor) -> torch.Tensor:
    return (TABLE * 2).values() + x.sum()
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.utils.rnn.pad_sequence([x, x + 1], batch_first=True)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    values, offsets = x + 1, torch.tensor([0, 1, 4])
    return torch.nested.nested_tensor_from_jagged(values, offsets).sin().values()
""",
    ),
)
