"""Operations on PIL images and OpenCV arrays, and conversions from and to tensors, cannot be traced.

**Instead**

- let the compiled region take and return tensors, and convert outside it;
- resize with `torch.nn.functional.interpolate`, crop and flip by indexing.

**Does not help**

- `torch.from_numpy(np.asarray(image))` in the region: the image itself cannot be traced.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


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
    message_template = "`{expression}` calls into an image library"
    help_template = "convert to and from images outside the region"
    recipes = ("escape_hatches.move_out_of_graph", "escape_hatches.call_leaf_function")
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
    )
    FIXES = (
        FixExample(
            """\
import torch
from PIL import Image


def f(x: torch.Tensor) -> list[Image.Image]:
    images = (x.clamp(0, 1) * 255).to(torch.uint8)
    pictures = []
    for image in images:
        array = image.numpy()
        pictures.append(Image.fromarray(array).size)
    return pictures
""",
            """\
import torch
from PIL import Image


@torch.compiler.disable
def _fromarray(images: torch.Tensor, pictures) -> None:
    for image in images:
        array = image.numpy()
        pictures.append(Image.fromarray(array).size)


def f(x: torch.Tensor) -> list[Image.Image]:
    images = (x.clamp(0, 1) * 255).to(torch.uint8)
    pictures = []
    _fromarray(images, pictures)
    return pictures
""",
            calls=("(torch.rand(3, 2, 2),)",),
            safe=False,
            choice="move-out-of-graph",
            allowed=("GB0098",),
        ),
    )
