"""More examples of GBL647, tensor-argument."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


class Laplacian:
    def __init__(self, step: float) -> None:
        self.step = step

    def __matmul__(self, u: torch.Tensor) -> torch.Tensor:
        return (u.roll(1) + u.roll(-1) - 2 * u) / self.step**2


laplacian = Laplacian(0.1)


def f(x: torch.Tensor) -> torch.Tensor:
    return laplacian @ (x + 1)  # breaks: GB0055
""",
    ),
    Example(
        """\
import torch


class Scale:
    def __rmul__(self, x: torch.Tensor) -> torch.Tensor:
        return x.add(1)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * Scale()  # breaks: GB0055
""",
    ),
    Example(
        """\
import torch


class Turn:
    def __init__(self, matrix: torch.Tensor) -> None:
        self.matrix = matrix

    def __matmul__(self, other: "Turn") -> "Turn":
        return Turn(self.matrix @ other.matrix)


def f(x: torch.Tensor) -> torch.Tensor:
    turn = Turn(x.diag())
    return (turn @ turn).matrix  # breaks: GB0059
""",
    ),
    Example(
        """\
import torch


def shifted(x: torch.Tensor) -> torch.Tensor:
    try:
        return x + {1, 2}  # breaks: GB0213
    except TypeError:
        return x + 3


def f(x: torch.Tensor) -> torch.Tensor:
    return shifted(x + 1) * 2
""",
    ),
    Example(
        """\
import torch


def rows(x: torch.Tensor) -> torch.Tensor:
    try:
        return torch.sum(x, dim="rows")  # breaks: GB0112
    except TypeError:
        return torch.sum(x, dim=0)


def f(x: torch.Tensor) -> torch.Tensor:
    return rows(x + 1) * 2
""",
    ),
    Example(
        """\
import torch
from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND, elementwise_dtypes


def wide(x: torch.Tensor) -> torch.dtype:
    try:
        kind = ELEMENTWISE_TYPE_PROMOTION_KIND.DEFAULT
        return elementwise_dtypes(x, [x], type_promotion_kind=kind)[0]  # breaks: GB5195
    except ValueError:
        return x.dtype


def f(x: torch.Tensor) -> torch.Tensor:
    return x.to(wide(x))
""",
    ),
    Example(
        """\
import torch

_, PULL = torch.func.vjp(lambda t: t * t, torch.ones(4))


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    return PULL(y)[0]  # breaks: GB7299
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x.type(torch.Tensor) + 1  # breaks: GB7489
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


class Laplacian:
    def __init__(self, step: float) -> None:
        self.step = step

    def __matmul__(self, u: torch.Tensor) -> torch.Tensor:
        return (u.roll(1) + u.roll(-1) - 2 * u) / self.step**2


laplacian = Laplacian(0.1)


def f(x: torch.Tensor) -> torch.Tensor:
    return laplacian.__matmul__(x + 1)
""",
    ),
    Example(
        """\
import torch


class Level:
    def __init__(self, value: float) -> None:
        self.value = value

    def __mul__(self, other: float) -> float:
        return self.value * other

    def __lt__(self, x: torch.Tensor) -> torch.Tensor:
        return x > self.value

    def __getitem__(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.value


def f(x: torch.Tensor) -> torch.Tensor:
    level = Level(2.0)
    return level[x] * (level * 3.0) + (level < x)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, dim: int | str = 0) -> torch.Tensor:
    y = x + 1
    return torch.sum(y, dim=dim) if isinstance(dim, int) else torch.sum(y)
""",
    ),
    Example(
        """\
import torch
from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND, elementwise_dtypes


def f(x: torch.Tensor) -> torch.Tensor:
    kind = ELEMENTWISE_TYPE_PROMOTION_KIND.DEFAULT
    return x.to(elementwise_dtypes(x, 2.0, type_promotion_kind=kind)[0])
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    value, pull = torch.func.vjp(lambda t: t * t, x)
    return value + pull(torch.ones_like(x))[0]
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.nn.functional.interpolate(x[None, None], scale_factor=2, mode="nearest")
    return torch.einsum("bci->i", y) + y.std(dim=(0, 1), correction=0)
""",
    ),
)
