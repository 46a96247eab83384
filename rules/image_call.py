"""Images of PIL (and arrays of OpenCV) live outside of torch: converting to or from them cannot be traced.

**Instead**

- let the compiled region take and return tensors, and convert outside it;
- resize with `torch.nn.functional.interpolate`, crop and flip by indexing.

**Does not help**

- `torch.from_numpy(np.asarray(image))` in the region: the image itself is what cannot be traced.
"""

from __future__ import annotations

from gblint.rules.base import Example, On, Rule


class ImageCall(Rule):
    """GBL405."""

    code = "GBL405"
    name = "image-call"
    summary = "a call into PIL, OpenCV and other image libraries"
    gb_ids = ("GB4841", "GB6012", "GB0055", "GB0007")
    on = (
        On("call", ("PIL.*", "cv2.*", "imageio.*", "skimage.*", "torchvision.io.*", "matplotlib.*")),
        On("skipped-function", ("PIL.*", "cv2.*", "imageio.*", "skimage.*", "matplotlib.*")),
    )
    said = "`{expression}` calls into an image library"
    advice = "convert to and from images outside the region"
    BREAKS = (
        Example(
            """\
import torch
from PIL import Image


def f(x: torch.Tensor) -> Image.Image:
    array = (x.clamp(0, 1) * 255).to(torch.uint8).numpy()
    return Image.fromarray(array)  # breaks: GB4841
""",
            "(torch.rand(2, 2),)",
            needs=("PIL",),
        ),
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
from PIL import Image


def f(x: torch.Tensor) -> torch.Tensor:
    if isinstance(x, Image.Image):
        raise TypeError("give a tensor")
    return x * 2
""",
            needs=("PIL",),
        ),
        Example(
            """\
import torch
import torch.nn.functional as F


def f(x: torch.Tensor) -> torch.Tensor:
    return F.interpolate(x[None, None], scale_factor=2)
""",
        ),
    )
