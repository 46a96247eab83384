"""More examples of GBL530, method-of-new-object."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


class Scaler:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def scale(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.factor

    @staticmethod
    def double(x: torch.Tensor) -> torch.Tensor:
        torch._dynamo.graph_break()  # breaks: GB0025
        return x * 2


OUTSIDE = Scaler(3.0)


def f(x: torch.Tensor) -> torch.Tensor:
    scaler = Scaler(2.0)
    y = scaler.double(x + 1)  # breaks: GB0092
    return OUTSIDE.double(y) + Scaler.double(y)
""",
        others=("GBL801",),
    ),
    Example(
        """\
import torch


class Scaler:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def scale(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.factor

    @staticmethod
    def double(x: torch.Tensor) -> torch.Tensor:
        return x * 2


OUTSIDE = Scaler(3.0)


def pause(x: torch.Tensor) -> torch.Tensor:
    torch._dynamo.graph_break()  # breaks: GB0025
    return x.sin()


def unused(x: torch.Tensor) -> torch.Tensor:
    scale = Scaler(2.0).scale
    return pause(scale(x + 1)).sin()


def outside(x: torch.Tensor) -> torch.Tensor:
    scale = OUTSIDE.scale
    y = pause(scale(x + 1))
    return scale(y)


def listed(x: torch.Tensor) -> torch.Tensor:
    scales = [Scaler(2.0).scale]
    y = pause(x + 1)  # breaks: GB0092
    return scales[0](y)


def held(x: torch.Tensor) -> torch.Tensor:
    scale = Scaler(2.0).scale
    y = pause(scale(x + 1))  # breaks: GB0092
    return scale(y)


def f(x: torch.Tensor) -> torch.Tensor:
    return held(listed(outside(unused(x))))
""",
        others=("GBL801",),
    ),
    Example(
        """\
import functools

import torch


class Scaler:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def scale(self, x: torch.Tensor) -> torch.Tensor:
        torch._dynamo.graph_break()  # breaks: GB0025
        return x * self.factor

    def twice(self, x: torch.Tensor) -> torch.Tensor:
        return self.scale(x) * 2

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return self.scale(x)


def f(x: torch.Tensor) -> torch.Tensor:
    scale = functools.partial(Scaler(2.0).scale)
    return scale(x).sin()  # breaks: GB0092
""",
        others=("GBL801",),
    ),
    Example(
        """\
import torch


class Scaler:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def scale(self, x: torch.Tensor) -> torch.Tensor:
        torch._dynamo.graph_break()  # breaks: GB0025
        return x * self.factor

    def twice(self, x: torch.Tensor) -> torch.Tensor:
        return self.scale(x) * 2

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return self.scale(x)


def make() -> dict[str, Scaler]:
    return {"main": Scaler(2.0)}


def f(x: torch.Tensor) -> torch.Tensor:
    scalers = make()
    with torch.no_grad():
        y = torch.add(x, scalers["main"].twice(x))  # breaks: GB0092
    return y.sin()
""",
        others=("GBL801",),
    ),
    Example(
        """\
import torch


class Scaler(torch.nn.Module):
    def __init__(self, factor: float) -> None:
        super().__init__()  # breaks: GB0119
        self.factor = factor

    def scale(self, x: torch.Tensor) -> torch.Tensor:
        torch._dynamo.graph_break()  # breaks: GB0025
        return x * self.factor

    def twice(self, x: torch.Tensor) -> torch.Tensor:
        return self.scale(x) * 2

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.scale(x)


def f(x: torch.Tensor) -> torch.Tensor:
    layer = Scaler(2.0)
    return layer.twice(x).sin()  # breaks: GB0092
""",
        others=("GBL801", "GBL648"),
    ),
    Example(
        """\
import torch


class Scaler:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def scale(self, x: torch.Tensor) -> torch.Tensor:
        torch._dynamo.graph_break()  # breaks: GB0025
        return x * self.factor

    def twice(self, x: torch.Tensor) -> torch.Tensor:
        return self.scale(x) * 2

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return self.scale(x)

    @classmethod
    def plain(cls, x: torch.Tensor) -> torch.Tensor:
        torch._dynamo.graph_break()  # breaks: GB0025
        return x * 2


OUTSIDE = Scaler(3.0)


def called(x: torch.Tensor) -> torch.Tensor:
    return Scaler(2.0)(x).sin()


def of_class(x: torch.Tensor) -> torch.Tensor:
    return Scaler(2.0).plain(x).sin()


def in_loop(x: torch.Tensor) -> torch.Tensor:
    scaler = Scaler(2.0)
    for _ in range(2):
        x = scaler.scale(x)
    return x.sin()


def passed(scaler: Scaler, x: torch.Tensor) -> torch.Tensor:
    return scaler.scale(x).sin()


def after_a_break(x: torch.Tensor) -> torch.Tensor:
    scaler = Scaler(2.0)
    torch._dynamo.graph_break()  # breaks: GB0025
    return scaler.scale(x).sin()


def new(x: torch.Tensor) -> torch.Tensor:
    scaler = Scaler(2.0)
    return scaler.scale(x).sin()  # breaks: GB0092


def f(x: torch.Tensor) -> torch.Tensor:
    x = called(x)
    x = of_class(x)
    x = in_loop(x)
    x = passed(Scaler(2.0), x)
    x = passed(OUTSIDE, x)
    x = after_a_break(x)
    return new(x)
""",
        others=("GBL801",),
    ),
)
CLEAN = (
    Example(
        """\
import torch


class Scaler:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def scale(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.factor

    @staticmethod
    def double(x: torch.Tensor) -> torch.Tensor:
        return x * 2


OUTSIDE = Scaler(3.0)


def f(x: torch.Tensor) -> torch.Tensor:
    scale = Scaler(2.0).scale
    return Scaler(3.0).double(scale(x)) + scale(x)
""",
    ),
    Example(
        """\
import functools

import torch


class Scaler:
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def scale(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.factor


def f(x: torch.Tensor) -> torch.Tensor:
    scale = functools.partial(Scaler(2.0).scale)
    return scale(x).sin()
""",
    ),
    Example(
        """\
import torch


class Scaler(torch.nn.Module):
    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor

    def twice(self, x: torch.Tensor) -> torch.Tensor:
        return self(self(x))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.factor


def f(x: torch.Tensor) -> torch.Tensor:
    return Scaler(2.0).twice(x).sin()
""",
    ),
    Example(
        """\
import torch


class Steps:
    def __init__(self) -> None:
        self.done: list[torch.Tensor] = []

    def step(self, x: torch.Tensor) -> torch.Tensor:
        self.done.append(x)
        return x + len(self.done)


def f(x: torch.Tensor) -> torch.Tensor:
    steps = Steps()
    for _ in range(3):
        x = steps.step(x)
    return x + steps.done[0]
""",
    ),
)
