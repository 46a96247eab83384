"""More examples of GBL642, tensor-subclass."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
from typing import Any

import torch
from torch.utils import _pytree


class Scaled(torch.Tensor):
    @staticmethod
    def __new__(cls, data: torch.Tensor, scale: torch.Tensor) -> "Scaled":
        return torch.Tensor._make_wrapper_subclass(cls, data.shape, dtype=scale.dtype)  # breaks: GB0007

    def __init__(self, data: torch.Tensor, scale: torch.Tensor) -> None:
        self.inner = data * scale

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        plain = _pytree.tree_map_only(Scaled, lambda t: t.inner, (args, kwargs or {}))
        return func(*plain[0], **plain[1])


def f(x: torch.Tensor) -> torch.Tensor:
    return Scaled(x + 1, x.max()).inner
""",
    ),
    Example(
        """\
import dataclasses
from typing import Any

import torch
from torch.utils import _pytree


@dataclasses.dataclass
class Kind:
    bits: int


class Quantized(torch.Tensor):
    @staticmethod
    def __new__(cls, data: torch.Tensor, kind: Kind) -> "Quantized":
        return torch.Tensor._make_wrapper_subclass(cls, data.shape, dtype=data.dtype)  # breaks: GB0007

    def __init__(self, data: torch.Tensor, kind: Kind) -> None:
        self.inner = data
        self.kind = kind

    def __tensor_flatten__(self) -> tuple[list[str], Kind]:
        return ["inner"], self.kind

    @staticmethod
    def __tensor_unflatten__(inner: dict[str, torch.Tensor], meta: Kind, size: Any, stride: Any) -> "Quantized":
        return Quantized(inner["inner"], meta)

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        plain = _pytree.tree_map_only(Quantized, lambda t: t.inner, (args, kwargs or {}))
        return func(*plain[0], **plain[1])


KIND = Kind(8)


def f(x: torch.Tensor) -> torch.Tensor:
    y = Quantized(x + 1, KIND)  # breaks: GB0055
    return y + 1
""",
    ),
    Example(
        """\
import torch


class Labelled(torch.Tensor):
    def plain(self) -> torch.Tensor:
        return torch.Tensor.as_subclass(self, torch.Tensor)  # breaks: GB0001


def plain(x: Labelled) -> torch.Tensor:
    return x.plain() * 2


def f(x: torch.Tensor) -> torch.Tensor:
    y = (x + 1).as_subclass(Labelled)
    return plain(torch.cat([y.exp(), -y[0:1]]) * 2)
""",
    ),
    Example(
        """\
from typing import Any

import torch


class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return super().__torch_function__(func, types, args, kwargs or {})  # breaks: GB0001


def f(x: torch.Tensor) -> torch.Tensor:
    y = (x + 1).as_subclass(Logged)
    return torch.Tensor.as_subclass(y, torch.Tensor) * 2
""",
    ),
    Example(
        """\
import torch


class Labelled(torch.Tensor):
    pass


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    weights = Labelled([1.0, 2.0, 3.0, 4.0])  # breaks: GB0026
    return y * 2
""",
    ),
    Example(
        """\
import torch


class Labelled(torch.Tensor):
    pass


def f(x: torch.Tensor) -> torch.Tensor:
    y = Labelled(x + 1)
    if y._base is not None:  # breaks: GB0163
        return y + 1
    return y * 2
""",
    ),
    Example(
        """\
import torch


class Scaled(torch.Tensor):
    data = 2.0

    @staticmethod
    def dim() -> int:
        return 7


def f(x: torch.Tensor) -> torch.Tensor:
    y = Scaled(x + 1)
    return x * y.dim()  # breaks: GB0164
""",
    ),
    Example(
        """\
import torch


class Sequence(torch.Tensor):
    def __reversed__(self) -> torch.Tensor:
        return self.flip(0)


def f(x: torch.Tensor) -> torch.Tensor:
    y = Sequence(x + 1)
    return y + reversed(y)  # breaks: GB0103
""",
    ),
    Example(
        """\
from typing import Any

import torch


class Meters:
    def __init__(self, values: torch.Tensor) -> None:
        self.values = values

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.mul:
            return cls(args[0].values * args[1])
        return NotImplemented


def f(x: torch.Tensor) -> torch.Tensor:
    length = Meters(x + 1)
    try:
        return torch.add(length, 1)  # breaks: GB0000
    except TypeError:
        return length.values
""",
    ),
)
CLEAN = (
    Example(
        """\
import dataclasses
import enum
from typing import Any, NamedTuple

import torch
from torch.utils import _pytree


@dataclasses.dataclass(frozen=True)
class Kind:
    bits: int


class Rounding(enum.Enum):
    NEAREST = 1


class Limits(NamedTuple):
    low: int = 0
    high: int = 255


class Quantized(torch.Tensor):
    @staticmethod
    def __new__(cls, data: torch.Tensor, kind: Kind, rounding: Rounding, limits: Limits) -> "Quantized":
        return torch.Tensor._make_wrapper_subclass(cls, data.shape, dtype=data.dtype)

    def __init__(self, data: torch.Tensor, kind: Kind, rounding: Rounding, limits: Limits) -> None:
        self.inner = data
        self.meta = kind, rounding, limits

    def __tensor_flatten__(self) -> tuple[list[str], Any]:
        return ["inner"], self.meta

    @staticmethod
    def __tensor_unflatten__(inner: dict[str, torch.Tensor], meta: Any, size: Any, stride: Any) -> "Quantized":
        return Quantized(inner["inner"], *meta)

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        plain = _pytree.tree_map_only(Quantized, lambda t: t.inner, (args, kwargs or {}))
        return func(*plain[0], **plain[1])


KIND = Kind(8)


def f(x: torch.Tensor) -> torch.Tensor:
    return Quantized(x + 1, KIND, Rounding.NEAREST, Limits()) + 1
""",
    ),
    Example(
        """\
import torch


class Labelled(torch.Tensor):
    def halved(self) -> torch.Tensor:
        return self / 2


def f(x: torch.Tensor) -> torch.Tensor:
    y = (x + 1).as_subclass(Labelled)
    z = torch.stack([y, y * 2, -y]).sum(dim=0)
    return torch.where(z > y, z, y).halved() + y[..., 0] + y.shape[0]
""",
    ),
    Example(
        """\
from typing import Any

import torch
from torch.utils import _pytree


class Scaled(torch.Tensor):
    @staticmethod
    def __new__(cls, data: torch.Tensor) -> "Scaled":
        print("made")
        return torch.Tensor._make_wrapper_subclass(cls, data.shape, dtype=data.dtype)

    def __init__(self, data: torch.Tensor) -> None:
        print("filled")
        self.inner = data

    def __tensor_flatten__(self) -> tuple[list[str], None]:
        return ["inner"], None

    @staticmethod
    def __tensor_unflatten__(inner: dict[str, torch.Tensor], meta: Any, size: Any, stride: Any) -> "Scaled":
        return Scaled(inner["inner"])

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        plain = _pytree.tree_map_only(Scaled, lambda t: t.inner, (args, kwargs or {}))
        return func(*plain[0], **plain[1])


def f(x: torch.Tensor) -> torch.Tensor:
    return Scaled(x) + 1
""",
    ),
    Example(
        """\
import torch


class Named(torch.Tensor):
    @staticmethod
    def __new__(cls, data: torch.Tensor, name: str = "") -> "Named":
        return torch.Tensor._make_subclass(cls, data)


def f(x: torch.Tensor) -> torch.Tensor:
    return Named(x + 1, name="x") * 2
""",
    ),
    Example(
        """\
from typing import Any

import torch


class Meters:
    def __init__(self, values: torch.Tensor) -> None:
        self.values = values

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.mul:
            return cls(args[0].values * args[1])
        return NotImplemented


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.mul(Meters(x + 1), 2).values
""",
    ),
    Example(
        """\
import torch


class Box:
    data = 2.0

    def __init__(self, values: list[float], _base: int) -> None:
        self.values = torch.tensor(values)
        self._base = _base

    def __reversed__(self) -> torch.Tensor:
        return self.values.flip(0)


def f(x: torch.Tensor) -> torch.Tensor:
    box = Box([1.0, 2.0, 3.0, 4.0], 3)
    return x * box.data + box.values * box._base + reversed(box)
""",
    ),
    Example(
        """\
import torch


class Tracked(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return super().__torch_function__(func, types, args, kwargs or {})


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.as_subclass(Tracked)
    return torch.add(y, 1) * y.dim()
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    if x._base is not None:
        y = y + 1
    y[0] = 1
    return y.flip(0)
""",
    ),
)
