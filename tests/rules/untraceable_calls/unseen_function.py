"""More examples of GBL424, unseen-function."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    @torch._dynamo.nonstrict_trace  # breaks: GB0078
    def shift(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    return shift(x) * 2
""",
    ),
    Example(
        """\
import torch


class Point:
    def __init__(self, x: torch.Tensor, y: torch.Tensor) -> None:
        self.x = x
        self.y = y


@torch._dynamo.nonstrict_trace
def norm(point: Point) -> torch.Tensor:
    return point.x**2 + point.y**2


def f(x: torch.Tensor) -> torch.Tensor:
    return norm(Point(x, x))  # breaks: GB0236
""",
    ),
    Example(
        """\
import torch
import torch.utils._pytree as pytree


class Scale:
    def __init__(self, factor: int) -> None:
        self.factor = factor

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scale) and self.factor == other.factor

    def __hash__(self) -> int:
        return hash(self.factor)


pytree.register_constant(Scale)


@torch._dynamo.nonstrict_trace
def scaled(x: torch.Tensor, scale: Scale) -> torch.Tensor:
    return x * scale.factor


def f(x: torch.Tensor) -> torch.Tensor:
    return scaled(x, Scale(2))  # breaks: GB0238
""",
    ),
    Example(
        """\
import torch
import torch.utils._pytree as pytree


class Unit:
    pass


class Length:
    def __init__(self, value: torch.Tensor, unit: Unit) -> None:
        self.value = value
        self.unit = unit


pytree.register_pytree_node(Length, lambda p: ((p.value,), p.unit), lambda values, unit: Length(values[0], unit))


@torch._dynamo.nonstrict_trace
def double(length: Length) -> torch.Tensor:
    return length.value * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return double(Length(x, Unit()))  # breaks: GB0239
""",
    ),
    Example(
        """\
import torch


@torch._dynamo.nonstrict_trace
def named(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    return x + 1, "x"


def f(x: torch.Tensor) -> torch.Tensor:
    y, name = named(x)  # breaks: GB0251
    return y * len(name)
""",
    ),
    Example(
        """\
import torch


@torch._dynamo.nonstrict_trace
def run(module: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
    return module(x)


def f(x: torch.Tensor) -> torch.Tensor:
    return run(torch.nn.ReLU(), x) + 1  # breaks: GB6210
""",
    ),
    Example(
        """\
import torch


@torch._dynamo.assume_constant_result
def count(parts: list) -> int:
    return len(parts)


def f(x: torch.Tensor) -> torch.Tensor:
    return x + count([x, x])  # breaks: GB2520
""",
    ),
)
CLEAN = (
    Example(
        """\
import enum

import torch


class Rounding(enum.Enum):
    DOWN = 1
    UP = 2


@torch._dynamo.nonstrict_trace
def traced(x: torch.Tensor, name: str, sizes: list[int], rounding: Rounding) -> tuple[torch.Tensor, torch.Size]:
    return x + 1, torch.Size([2, 3])


def f(x: torch.Tensor) -> torch.Tensor:
    return traced(x, "group", [1, 2], Rounding.UP)[0]
""",
    ),
    Example(
        """\
import torch


def shown(x: torch.Tensor) -> torch.Tensor:
    print(x.shape)
    return x * 2


torch.compiler.allow_in_graph(shown)


def f(x: torch.Tensor) -> torch.Tensor:
    return shown(x) + 1
""",
    ),
    Example(
        """\
import torch


@torch._dynamo.nonstrict_trace
def norm(point: dict) -> torch.Tensor:
    return point["x"] ** 2 + point["y"] ** 2


def f(x: torch.Tensor) -> torch.Tensor:
    return norm({"x": x, "y": x})
""",
    ),
    Example(
        """\
import torch
import torch.utils._pytree as pytree


class Scale:
    def __init__(self, factor: int) -> None:
        self.factor = factor

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scale) and self.factor == other.factor

    def __hash__(self) -> int:
        return hash(self.factor)


pytree.register_constant(Scale)
SCALE = Scale(2)


@torch._dynamo.nonstrict_trace
def scaled(x: torch.Tensor, scale: Scale) -> torch.Tensor:
    return x * scale.factor


def f(x: torch.Tensor) -> torch.Tensor:
    return scaled(x, SCALE)
""",
    ),
    Example(
        """\
import torch
import torch.utils._pytree as pytree


class Length:
    def __init__(self, value: torch.Tensor, unit: str) -> None:
        self.value = value
        self.unit = unit


pytree.register_pytree_node(Length, lambda p: ((p.value,), p.unit), lambda values, unit: Length(values[0], unit))


@torch._dynamo.nonstrict_trace
def double(length: Length) -> torch.Tensor:
    return length.value * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return double(Length(x, "m"))
""",
    ),
    Example(
        """\
import torch


@torch._dynamo.nonstrict_trace
def sized(x: torch.Tensor) -> tuple[torch.Tensor, int, dict]:
    return x + 1, x.shape[0], {"y": x * 2}


def f(x: torch.Tensor) -> torch.Tensor:
    y, n, more = sized(x)
    return y * n + more["y"]
""",
    ),
    Example(
        """\
import torch


@torch._dynamo.nonstrict_trace
def run(module: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
    return module(x)


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return run(self.layer, x) + 1
""",
    ),
    Example(
        """\
import torch


@torch._dynamo.assume_constant_result
def steps(n: int, mode: str) -> int:
    return n if mode == "fast" else 2 * n


def f(x: torch.Tensor) -> torch.Tensor:
    return x + steps(3, "fast")
""",
    ),
    Example(
        """\
import torch


def shift(x: torch.Tensor) -> torch.Tensor:
    return x + 1


def f(x: torch.Tensor) -> torch.Tensor:
    return torch._dynamo.nonstrict_trace(shift)(x) * 2
""",
    ),
)
