"""More examples of GBL405, image-call."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import torch
from PIL import Image

picture = Image.new("L", (4, 4))


def f(x: torch.Tensor) -> tuple[torch.Tensor, Image.Image]:
    y = x + 1
    small = picture.resize((2, 2))  # breaks: GB6012
    return y * 2, small
""",
        needs=("PIL",),
    ),
)
CLEAN = (
    Example(
        """\
import torch
import torch.nn.functional as F


def f(x: torch.Tensor) -> torch.Tensor:
    return F.interpolate(x[None, None], scale_factor=2)
""",
    ),
)
FIXES = (
    FixExample(
        """\
import torch
from PIL import Image


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.clamp(0, 1)
    Image.fromarray((y * 255).to(torch.uint8).numpy()).save("/dev/null", "png")
    return y * 2
""",
        """\
import torch
from PIL import Image


@torch._dynamo.decorators.leaf_function
def _save(y: torch.Tensor) -> None:
    Image.fromarray((y * 255).to(torch.uint8).numpy()).save("/dev/null", "png")


@_save.register_fake
def _save_fake(y: torch.Tensor) -> None:
    return None


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.clamp(0, 1)
    _save(y)
    return y * 2
""",
        calls=("(torch.rand(2, 2),)",),
        safe=False,
        choice="call-leaf-function",
    ),
)
