"""More examples of GBL648, module-state."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch
from torch import nn


class Scaled(nn.Module):
    SCALE = 2

    def __init__(self, name: str) -> None:
        scale = self.SCALE * 3  # breaks: GB0119
        super().__init__()
        print(name)  # breaks: GB0059
        self.scale = scale

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.scale


def f(x: torch.Tensor) -> torch.Tensor:
    return Scaled("scaled")(x)
""",
        others=("GBL401",),
    ),
    Example(
        """\
import torch
from torch import nn


class Noise(nn.Module):
    def __init__(self, generator: torch.Generator | None) -> None:
        super().__init__()  # breaks: GB0119
        self.generator = generator
        if generator is not None:
            self.register_buffer("state", generator.get_state())  # breaks: GB7650


class Scaled(Noise):
    def __init__(self, scale: float, generator: torch.Generator | None = None) -> None:
        super().__init__(generator)  # breaks: GB0119
        self.scale = scale

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.scale


def f(x: torch.Tensor, generator: torch.Generator, times: int) -> torch.Tensor:
    y = x + 1
    layers = [Scaled(0.5, generator if i == 0 else None) for i in range(times)]
    return layers[0](y)
""",
        "(torch.randn(4), torch.Generator(), 2)",
        others=("GBL410",),
    ),
    Example(
        """\
import torch


class Scaled(torch.nn.Module):
    def __init__(self, scale: float) -> None:
        super().__init__()  # breaks: GB0119
        self.scale = scale

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.scale


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    layers = [Scaled(row.sum().item()) for row in x]  # breaks: GB0124
    return layers[0](y)
""",
        "(torch.randn(4, 4),)",
        others=("GBL101",),
    ),
    Example(
        """\
import torch


class Factor(torch.nn.Module):
    def __init__(self, factor: float) -> None:
        super().__init__()  # breaks: GB0119
        self.factor = factor

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.factor


def f(x: torch.Tensor) -> torch.Tensor:
    factor = Factor(2.0)
    for _ in range(2):
        torch._dynamo.graph_break()  # breaks: GB0025
        x = factor(x)
    return x
""",
        others=("GBL801",),
    ),
    Example(
        """\
import torch


class Distance(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()  # breaks: GB0119

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.abs().sum()


class Loss(torch.nn.Module):
    def __init__(self, scale: float) -> None:
        super().__init__()  # breaks: GB0119
        self.scale = scale
        self.distance = Distance()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.distance(x) * self.scale


class Traced(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.part(Traced()(x))

    def part(self, x: torch.Tensor) -> torch.Tensor:
        total = x.sum()
        for scale in (1.0, 2.0):
            self.linear.double()  # breaks: GB0264
            total = total + Loss(scale)(x)
        return total
""",
    ),
    Example(
        """\
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self) -> None:
        super().__init__()  # breaks: GB0162
        self.calls = 0

    def reset(self) -> None:
        self.__init__()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


class Twice(nn.Module):
    def __init__(self, gate: Gate) -> None:
        super().__init__()  # breaks: GB0119
        gate.reset()
        self.gate = gate

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.gate(x)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate = Gate()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return Twice(self.gate)(x + 1)
""",
    ),
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + 1
        self.linear.double()  # breaks: GB0264
        return self.linear(x.double())
""",
    ),
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.average = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + 1
        self.average.load_state_dict(self.linear.state_dict())  # breaks: GB0208
        return self.average(x)
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch
from torch import nn


class Scaled(nn.Module):
    SCALE = 2

    def __init__(self) -> None:
        scale = self.SCALE * 3
        super().__init__()
        self.scale = scale

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.scale


def f(x: torch.Tensor) -> torch.Tensor:
    return Scaled()(x)
""",
    ),
    Example(
        """\
import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self, scale: float) -> None:
        self.scale = scale
        super().__init__()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.scale


def f(x: torch.Tensor) -> torch.Tensor:
    return Scaled(2.0)(x)
""",
    ),
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.linear.float()
        self.linear.eval()
        return self.linear(x).double()
""",
    ),
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.average = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weights = {name: value.detach() for name, value in self.linear.named_parameters()}
        return torch.func.functional_call(self.average, weights, (x,))
""",
    ),
)
