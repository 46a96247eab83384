"""More examples of GBL822, tensor-from-tensors."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.asarray([[x[0], 1.0], [x[1], 2.0]])  # breaks: GB4315
""",
        raises=True,
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.as_tensor(x) + torch.as_tensor([x.shape[0], 2, 3, 4]) + torch.as_tensor(0.5)
""",
    ),
)
