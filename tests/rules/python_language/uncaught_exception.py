"""More examples of GBL528, uncaught-exception."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y + int("one")  # breaks: GB0088
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y + "abc".index("d")  # breaks: GB0088
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y + (3 + "4")  # breaks: GB0088
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if 3 < "4":  # breaks: GB0088
        y = y + 1
    return y
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    items = [1]
    items.pop()
    return y + items.pop()  # breaks: GB0088
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y + [1, 2].index(3)  # breaks: GB0088
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    table = {"a": 1}
    return y + table.pop("b")  # breaks: GB0088
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return (3)(y)  # breaks: GB0147
""",
        raises=True,
    ),
    Example(
        """\
import torch


class Scaler:
    def __init__(self, factor: float) -> None:
        self.factor = factor


def scale(x: torch.Tensor, scaler: Scaler) -> torch.Tensor:
    return x * scaler.factors  # breaks: GB0088


def f(x: torch.Tensor) -> torch.Tensor:
    return scale(x + 1, Scaler(2.0))
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return torch.nn.functional.nothing(y)  # breaks: GB0088
""",
        needs=("torch",),
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        return y + isinstance(y, 3)  # breaks
    except TypeError:
        return y
""",
        raises=True,
    ),
    Example(
        """\
import torch


def add(pair: list[torch.Tensor]) -> torch.Tensor:
    first, second = pair  # breaks: GB0088
    return first + second


compiled = torch.compile(add)


def f(x: torch.Tensor) -> torch.Tensor:
    compiled([x, x])
    return compiled([x, x, x])
""",
        raises=True,
    ),
    Example(
        """\
import torch


def add(xs: list[torch.Tensor], ys: list[torch.Tensor]) -> None:
    for x, y in zip(xs, ys, strict=True):  # breaks: GB0088
        x.add_(y)


compiled = torch.compile(add)


def f(x: torch.Tensor) -> None:
    compiled([x, x], [x, x])
    compiled([x], [x, x])
""",
        raises=True,
    ),
    Example(
        """\
import torch


class Scope:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> bool:
        return False


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    with Scope():
        raise ValueError(y.shape)  # breaks: GB0088
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y + x.shape[0] // 0  # breaks: GB0088
""",
        raises=True,
    ),
    Example(
        """\
import torch
import torch._dynamo


def split(x: torch.Tensor) -> torch.Tensor:
    first, second = x  # breaks
    return first + second


def f(x: torch.Tensor) -> torch.Tensor:
    graph, _ = torch._dynamo.export(split)(torch.tensor(2.0))
    return graph(x)
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    assert False, "never"  # breaks: GB0088
    return y
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.ones(3)
    assert y.shape != y.shape, f"never {len(y.shape)}"  # breaks: GB0088
    return x + y
""",
        inputs="(torch.randn(3),)",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    for scale, shift in zip([1, 2, 3], [0, 1], strict=True):  # breaks: GB0088
        x = x * scale + shift
    return x
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    scale, shift, rest = [1, 2]  # breaks: GB0088
    return y * scale + shift
""",
        raises=True,
    ),
    Example(
        """\
import torch


class Flag:
    def __bool__(self) -> bool:
        return 1


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if Flag():  # breaks: GB0088
        y = y * 2
    return y
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return torch.fft(y)  # breaks: GB0147
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if isinstance(y, torch.Tensor, strict=True):  # breaks: GB0193
        y = y * 2
    return y
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    first, second = torch.tensor(2.0)  # breaks
    return y + first + second
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if isinstance(y.shape, "tuple"):  # breaks: GB0088
        y = y * 2
    return y
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    scales = {"low": 1, "high": 2}
    return y * scales["middle"]  # breaks: GB0088
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    scales = dict(low=1)
    scales["high"] = 2
    return y * scales["middle"]  # breaks: GB0088
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    scales = (1, 2)
    return y * scales[2]  # breaks: GB0088
""",
        raises=True,
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    scales = iter([1, 2])
    y = x * next(scales) + next(scales)
    return y + next(scales)  # breaks: GB0088
""",
        raises=True,
    ),
)

CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y + int("1") + float("2.5")
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y + "abc".index("c")
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y + len("3" + "4")
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if 3 < 4.0:
        y = y + 1
    return y
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    items = [1, 2]
    items.pop()
    return y + items.pop()
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y + [1, 2].index(2)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    table = {"a": 1}
    return y + table.pop("b", 2)
""",
    ),
    Example(
        """\
import torch


class Base:
    factor = 2.0


class Scaler(Base):
    def scale(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.factor


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return Scaler().scale(y)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        return y + isinstance(y, (int, float))
    except TypeError:
        return y
""",
    ),
    Example(
        """\
import torch


def add(pair: list[torch.Tensor] | tuple[torch.Tensor, ...]) -> torch.Tensor:
    first, second = pair
    return first + second


compiled = torch.compile(add)


def f(x: torch.Tensor) -> torch.Tensor:
    compiled([x, x + 1])
    return compiled([x, x - 1])
""",
    ),
    Example(
        """\
import torch


def add(xs: list[torch.Tensor], ys: list[torch.Tensor]) -> list[torch.Tensor]:
    return [x + y for x, y in zip(xs, ys, strict=True)]


compiled = torch.compile(add)


def f(x: torch.Tensor) -> list[torch.Tensor]:
    compiled([x, x + 1], [x + 2, x + 3])
    return compiled([x, x - 1], [x - 2, x - 3])
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        return y + int("one")
    except ValueError:
        return y + [1, 2].index(2)
""",
    ),
    Example(
        """\
import torch


class Scaler:
    pass


def fill(scaler: Scaler) -> None:
    scaler.factor = 2.0  # type: ignore[attr-defined]


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    scaler = Scaler()
    fill(scaler)
    return y * scaler.factor  # type: ignore[attr-defined]
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if hasattr(torch.nn.functional, "nothing"):
        return torch.nn.functional.nothing(y)
    return y
""",
    ),
    Example(
        """\
import torch


class Scope:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> bool:
        return True


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    with Scope():
        raise ValueError("ended")
    return y
""",
    ),
    Example(
        """\
import torch


def shift(x: torch.Tensor) -> torch.Tensor:
    return x + 1


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.function = shift

    def forward(self, *args: torch.Tensor, **kwargs: torch.Tensor) -> torch.Tensor:
        return self.function(*args, **kwargs)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    value, pullback, extra = torch.func.vjp(lambda y: (y.sin().sum(), y + 1), x, has_aux=True)
    return value + extra
""",
    ),
    Example(
        """\
import torch
import torch.utils._pytree as pytree


def f(x: torch.Tensor) -> torch.Tensor:
    pairs = pytree.tree_map(lambda a, b: a + b, [x, x], [x, x])
    return pairs[0] + pairs[1]
""",
    ),
    Example(
        """\
import torch


def refuse(x: torch.Tensor) -> torch.Tensor:
    raise ValueError("not this one")


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        y = refuse(y)
    except ValueError:
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import contextlib

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    with contextlib.suppress(ValueError):
        raise ValueError("not this one")
    return y
""",
    ),
    Example(
        """\
import torch


class Levels:
    def __getattr__(self, name: str) -> int:
        raise AttributeError(name)


def f(x: torch.Tensor) -> torch.Tensor:
    return x + getattr(Levels(), "first", 1)
""",
    ),
    Example(
        """\
import torch


class Lengths:
    def __init__(self, items: list[int]) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)


def f(x: torch.Tensor) -> torch.Tensor:
    return x + 1 if Lengths([1]) else x
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if isinstance(y.shape, (tuple, type(None))):
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import torch


class Swallow:
    def __enter__(self) -> "Swallow":
        return self

    def __exit__(self, kind: type | None, *error: object) -> bool:
        return kind is ValueError


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    with Swallow():
        raise ValueError("here")
    return y * 2
""",
    ),
    Example(
        """\
import torch


def fill(table: dict) -> None:
    table["c"] = 3


def f(x: torch.Tensor) -> torch.Tensor:
    table = {"a": 1}
    table["b"] = 2
    fill(table)
    numbers = {1: 2, True: 3}
    items = [1]
    items += [2]
    items.extend([3, 4])
    rest = [*range(3), 4]
    scales = iter([1, 2])
    y = x * next(scales)
    for scale in scales:
        y = y * scale
    return y + table["b"] + table["c"] + numbers[1.0] + items[3] + rest[3] + next(scales, 5)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    scales = iter([1, 2])
    while True:
        try:
            x = x * next(scales)
        except StopIteration:
            break
    try:
        x = x + {"a": 1}["b"]
    except KeyError:
        x = x + 1
    return x
""",
    ),
)
