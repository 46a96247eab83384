"""More examples of GBL426, operator-arguments."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    try:
        return torch.cat(x)  # breaks: GB0112
    except TypeError:
        return x + 1
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    try:
        return torch.ops.aten.add(x, "1")  # breaks: GB0049
    except RuntimeError:
        return x + 1
""",
    ),
    Example(
        """\
import torch
from torch.nn.modules.utils import _pair


class Size:
    height = 2


def f(x: torch.Tensor) -> torch.Tensor:
    sizes = _pair(Size())  # breaks: GB0243
    return x + len(sizes)
""",
    ),
    Example(
        """\
import torch
from torch.fx.experimental.symbolic_shapes import guard_scalar


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        guard_scalar(x)  # breaks: GB0360
    except AssertionError:
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import torch
from torch._functorch.eager_transforms import _autograd_grad


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        _autograd_grad((x,), "x")  # breaks: GB1140
    except TypeError:
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import torch


def kernel(x: torch.Tensor) -> torch.Tensor:
    return x


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        torch.library.wrap_triton(kernel, y)  # breaks: GB6735
    except TypeError:
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import torch
from torch.backends.cuda import SDPAParams

Q = torch.zeros(1, 2, 4, 8)
PARAMS = SDPAParams(Q, Q, Q, None, 0.0, False, False)


def f(x: torch.Tensor) -> torch.Tensor:
    try:
        scale = PARAMS.scale  # breaks: GB0359
    except AttributeError:
        scale = 2
    return x * scale
""",
    ),
    Example(
        """\
import torch as th


def inner(x: th.Tensor) -> th.Tensor:
    return x + 1


def f(x: th.Tensor) -> th.Tensor:
    try:
        fast = th.compile(inner, "eager")  # breaks: GB0223
    except TypeError:
        fast = inner
    return fast(x)
""",
        inputs="(th.randn(4),)",
    ),
    Example(
        """\
import torch

torch._dynamo.config.only_allow_pt2_compliant_ops = True
library = torch.library.Library("gblint_example_overloads", "FRAGMENT")
library.define("total.all(Tensor x) -> Tensor", tags=torch.Tag.pt2_compliant_tag)
library.define("total.dim(Tensor x, int dim) -> Tensor", tags=torch.Tag.pt2_compliant_tag)
library.impl("total.all", torch.sum, "CompositeImplicitAutograd")
library.impl("total.dim", torch.sum, "CompositeImplicitAutograd")


def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.ops.gblint_example_overloads.total(x, 0) + torch.ops.gblint_example_overloads.total(x)
    return torch.ops.gblint_example_overloads.total(y, x, x)  # breaks: GB0049
""",
        raises=True,
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.cat([x]) + torch.stack((x, x)).sum(0) + torch.ops.aten.add(x, 1)
""",
    ),
    Example(
        """\
import torch
from torch.nn.modules.utils import _pair


def f(x: torch.Tensor) -> torch.Tensor:
    height, width = _pair(2)
    top, bottom = _pair([1, 2])
    return x + height * width + top * bottom
""",
    ),
    Example(
        """\
import torch
from torch.fx.experimental.symbolic_shapes import guard_scalar


def f(x: torch.Tensor) -> torch.Tensor:
    return x + guard_scalar(x.shape[0])
""",
    ),
    Example(
        """\
import torch as th


def inner(x: th.Tensor) -> th.Tensor:
    return x + 1


def f(x: th.Tensor) -> th.Tensor:
    return th.compile(inner)(x) * 2
""",
        inputs="(th.randn(4),)",
    ),
)
