"""More examples of GBL303, unique-shape."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

CLEAN = (
    Example(
        """\
import torch


@torch.compile(fullgraph=True)
def f(x: torch.Tensor) -> torch.Tensor:
    return torch.unique(x)
""",
    ),
)
FIXES = (
    FixExample(
        """\
import torch


def check(target: torch.Tensor, ignored: int = -1) -> None:
    values = torch.unique(target, dim=None)
    if torch.any((values != 0) & (values != 1) & (values != ignored)):
        raise RuntimeError(f"the values are {values}")


def f(x: torch.Tensor) -> torch.Tensor:
    check(x)
    values = (x + 1).unique()
    if not (0 < -values + 4).all():
        raise ValueError("large")
    return x * 2
""",
        """\
import torch


def check(target: torch.Tensor, ignored: int = -1) -> None:
    values = target if torch.compiler.is_compiling() else torch.unique(target, dim=None)
    if torch.compiler.is_compiling():
        torch._assert_async(
            ~torch.any((values != 0) & (values != 1) & (values != ignored)),
            "the values are ...",
        )
    elif torch.any((values != 0) & (values != 1) & (values != ignored)):
        raise RuntimeError(f"the values are {values}")


def f(x: torch.Tensor) -> torch.Tensor:
    check(x)
    values = x + 1 if torch.compiler.is_compiling() else (x + 1).unique()
    if torch.compiler.is_compiling():
        torch._assert_async((0 < -values + 4).all(), "large")
    elif not (0 < -values + 4).all():
        raise ValueError("large")
    return x * 2
""",
        calls=(
            "(torch.tensor([0, 1, 1, -1]),)",
            "(torch.tensor([[0.0, 1.0]], requires_grad=True),)",
            "(torch.tensor([0.0, torch.nan]),)",
            "(torch.tensor([]),)",
        ),
        safe=False,
        choice="check-all-values",
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.unique(x) + 1
""",
        """\
import torch

torch._dynamo.config.capture_dynamic_output_shape_ops = True


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.unique(x) + 1
""",
        calls=("(torch.tensor([1.0, 0.0, 1.0]),)",),
        safe=False,
        choice="capture-dynamic-shapes",
    ),
)
