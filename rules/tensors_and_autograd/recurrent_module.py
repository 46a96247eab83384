"""Dynamo refuses `nn.LSTM`, `nn.GRU` and `nn.RNN`, because unrolling them takes long.

The graph ends where a function first reads such a module, even without a call: `self.lstm.flatten_parameters()`,
`self.lstm.num_layers` and `self.lstm is not None` end it as well, and the rest of the function runs eagerly.

**Instead**

- the cells (`nn.LSTMCell`, `nn.GRUCell`) in a loop: they are traced;
- `torch._dynamo.config.allow_rnn = True`: the whole module goes into the graph; inductor then fails to compile an
  `nn.LSTM` whose parameters need gradients;
- keep the module outside the compiled region; cuDNN runs it well as it is.

**Does not help**

- fewer layers or steps: Dynamo refuses the class.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import UNSEEN, On, Rule


class RecurrentModule(Rule):
    """GBL605."""

    code = "GBL605"
    name = "recurrent-module"
    summary = "use of `nn.LSTM`, `nn.GRU` or `nn.RNN`"
    gb_ids = ("GB0014",)
    on = (On("module-call"),)
    message_template = "Dynamo does not trace `{subject}`"
    help_template = "set `torch._dynamo.config.allow_rnn = True`, or use the cell (`nn.LSTMCell`) in a loop"
    recipes = ("branches.capture_config.allow_rnn",)
    escape_hatches = UNSEEN
    BREAKS = (
        Example(
            """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.memory = nn.LSTM(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + 1
        y, _ = self.memory(x)  # breaks: GB0014
        return y + 1
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
        self.memories = nn.ModuleList([nn.GRU(4, 4)])
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x) + len(self.memories)
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
        self.memory = nn.GRU(4, 4)
        for weight in self.parameters():
            nn.init.constant_(weight, 0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + 1
        return x + self.memory(x)[0]
""",
            """\
import torch
from torch import nn

torch._dynamo.config.allow_rnn = True


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.memory = nn.GRU(4, 4)
        for weight in self.parameters():
            nn.init.constant_(weight, 0.1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + 1
        return x + self.memory(x)[0]
""",
            calls=(
                "(torch.randn(2, 3, 4),)",
                "(torch.randn(5, 1, 4, requires_grad=True),)",
            ),
            safe=False,
            choice="allow-rnn",
        ),
    )
