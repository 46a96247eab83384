"""More examples of GBL514, super-attribute."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


class Angles(torch.Tensor):
    def __getitem__(self, index: int) -> torch.Tensor:
        return super().__getitem__(index)  # breaks: GB0006


def f(x: torch.Tensor) -> torch.Tensor:
    angles = x.as_subclass(Angles)
    for i in range(2):
        torch._dynamo.graph_break()  # breaks: GB0025
        y = angles[i]
    return y + 1
""",
        "(torch.ones(3, 3),)",
        others=("GBL801",),
    ),
    Example(
        """\
import torch


class Base:
    @property
    def scale(self) -> int:
        return 2


class Child(Base):
    @property
    def scale(self) -> int:
        return super().scale * 2  # breaks: GB0088


child = Child()


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * child.scale
""",
    ),
    Example(
        """\
import torch


class Base(torch.nn.Module):
    @property
    def scale(self) -> int:
        return 2


class Net(Base):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        return y * super().scale  # breaks: GB0055
""",
    ),
    Example(
        """\
import torch


class Base:
    pass


class Child(Base):
    def reset(self) -> None:
        try:
            super().reset()  # breaks: GB0113
        except AttributeError:
            pass


child = Child()


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    child.reset()
    return y * 2
""",
    ),
    Example(
        """\
import torch


class Plain:
    def __repr__(self) -> str:
        return "Plain" + super().__repr__()  # breaks: GB0006


plain = Plain()


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    y = x + 1
    return y * 2, repr(plain)
""",
    ),
    Example(
        """\
import torch


class Cache:
    def __init__(self) -> None:
        self.mean = 1

    def forget(self, name: str) -> None:
        super().__delattr__(name)  # breaks: GB0084


def f(x: torch.Tensor, cache: Cache) -> torch.Tensor:
    y = x + 1
    try:
        cache.forget(f"{y.mean()}")
    except AttributeError:
        y = y * 2
    return y
""",
        "(torch.randn(4), Cache())",
    ),
)
CLEAN = (
    Example(
        """\
import torch


class Angles(torch.Tensor):
    def __getitem__(self, index: int) -> torch.Tensor:
        return super().__getitem__(index)


def f(x: torch.Tensor) -> torch.Tensor:
    return x.as_subclass(Angles)[0] + 1
""",
        "(torch.ones(3, 3),)",
    ),
    Example(
        """\
import torch


class Base:
    bias = 0


class Child(Base):
    bias = 1

    def shift(self, y: torch.Tensor) -> torch.Tensor:
        return y + Base.bias


child = Child()


def f(x: torch.Tensor) -> torch.Tensor:
    return child.shift(x)
""",
    ),
    Example(
        """\
import torch


class Base:
    def scale(self) -> int:
        return 2


class Child(Base):
    def scale(self) -> int:
        return super().scale() * 2


child = Child()


def f(x: torch.Tensor) -> torch.Tensor:
    return x * child.scale()
""",
    ),
    Example(
        """\
import torch


class Base:
    @property
    def scale(self) -> int:
        return 2


class Child(Base):
    @property
    def twice(self) -> int:
        return self.scale * 2


child = Child()


def f(x: torch.Tensor) -> torch.Tensor:
    return x * child.twice
""",
    ),
    Example(
        """\
import torch


class Cache:
    def __init__(self) -> None:
        self.mean = 1

    def forget(self, name: str) -> None:
        super().__delattr__(name)


def f(x: torch.Tensor, cache: Cache) -> torch.Tensor:
    cache.forget("mean")
    return x * 2
""",
        "(torch.randn(4), Cache())",
    ),
    Example(
        """\
import torch


class Plain:
    def __init__(self) -> None:
        super().__init__()
        self.scale = 2

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)


def f(x: torch.Tensor) -> torch.Tensor:
    return x * Plain().scale
""",
    ),
    Example(
        """\
import torch


class Options(dict):
    def get(self, key: str, default: int = 1) -> int:
        return super().get(key, default)


options = Options(scale=2)


def f(x: torch.Tensor) -> torch.Tensor:
    return x * options.get("scale")
""",
    ),
)
