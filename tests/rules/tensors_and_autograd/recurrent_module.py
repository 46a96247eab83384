"""More examples of GBL605, recurrent-module."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.memory = nn.GRU(4, 4, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.memory(self.linear(x))[0]  # breaks: GB0014
""",
        "(torch.randn(2, 3, 4),)",
    ),
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.memory = nn.LSTM(4, 4, num_layers=2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + 1
        start = x.new_zeros(self.memory.num_layers, 3, 4)  # breaks: GB0014
        y, _ = self.memory(x, (start, start))
        return y + 1
""",
        "(torch.randn(2, 3, 4),)",
    ),
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.memory = nn.GRU(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + 1
        self.memory.flatten_parameters()  # breaks: GB0014
        return x + self.memory(x)[0]
""",
        "(torch.randn(2, 3, 4),)",
    ),
)
CLEAN = (
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.LSTMCell(4, 4)
        self.gate = nn.GRUCell(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y, _ = self.cell(x)
        return self.gate(y)
""",
        "(torch.randn(3, 4),)",
    ),
    Example(
        """\
import torch
from torch import nn

torch._dynamo.config.allow_rnn = True


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.memory = nn.LSTM(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.memory(x)[0]
""",
        "(torch.randn(2, 3, 4),)",
    ),
    Example(
        """\
import torch


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cell = torch.nn.GRUCell(1, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        state = x.new_zeros(1, 2)
        for row in x.unbind():
            state = self.cell(row.view(1, 1), state)
        return state
""",
    ),
)
FIXES = (
    FixExample(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.memory = nn.LSTM(4, 4)
        for weight in self.parameters():
            nn.init.constant_(weight, 0.1).requires_grad_(False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.memory(x * 2)[0]
""",
        """\
import torch
from torch import nn

torch._dynamo.config.allow_rnn = True


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.memory = nn.LSTM(4, 4)
        for weight in self.parameters():
            nn.init.constant_(weight, 0.1).requires_grad_(False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.memory(x * 2)[0]
""",
        calls=("(torch.randn(2, 3, 4),)",),
        safe=False,
        choice="allow-rnn",
    ),
)
