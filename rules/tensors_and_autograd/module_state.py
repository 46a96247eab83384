"""The region initialises or casts a module that existed before, loads weights into it, or gives a module a buffer.

Dynamo traces `super().__init__()` of `nn.Module` only for a module that the region itself creates, so a `reset()`
that calls `self.__init__()` breaks. `module.half()`, `double()` and `bfloat16()` replace the parameters,
`share_memory()` moves them, and `load_state_dict()` runs the whole checkpoint protocol: each of them breaks inside
torch's own code. If the region creates a module whose `__init__` breaks, Dynamo compiles this `__init__` separately,
and breaks once more at the first use of `self`, mostly `super().__init__()`. `module.name = nn.Buffer(x)` breaks
inside `Module.__setattr__`; `register_buffer` of a new module, and a tensor for a buffer that exists, are traced.
`float()` on a module of floats, `to(x.device)`, `train()` and `eval()` are traced.

**Instead** do it before the compiled call. In the region cast tensors (`x.half()`) or run under `torch.autocast`; use
`torch.func.functional_call(module, weights, x)` for other weights; set attributes one by one to reset a module.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class ModuleState(Rule):
    """GBL648."""

    code = "GBL648"
    name = "module-state"
    summary = "initialising, casting or loading a module in the region"
    gb_ids = ("GB0162", "GB0264", "GB0117", "GB0208", "GB0119", "GB0116", "GB4841")
    on = (On("module-state"),)
    message_template = "`{expression}` changes the parameters of a module while tracing"
    help_template = "do it before the compiled call"
    wording = (
        (
            "buffer",
            "Dynamo cannot trace how a module gets an `nn.Buffer`",
            "assign the tensor itself, or use `self.register_buffer(...)` in `__init__`",
        ),
        ("__init__", "`{expression}` initialises a module again while tracing", "set its attributes one by one"),
        (
            "super",
            "because of another break Dynamo compiles this `__init__` alone, and `{expression}` breaks then",
            "remove the other break, or make the module outside of the compiled function",
        ),
    )
    BREAKS = (
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


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate = Gate()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + 1
        self.gate.reset()
        return self.gate(x)
""",
        ),
        Example(
            """\
import torch
from torch import nn


class Weighted(nn.Module):
    def __init__(self, weight: torch.Tensor) -> None:
        super().__init__()  # breaks: GB0119
        self.weight = nn.Buffer(weight)  # breaks: GB0116

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.weight


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.last = nn.Buffer(torch.zeros(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = Weighted(x)(x + 1)
        self.last = nn.Buffer(y)  # breaks: GB4841
        return y * self.last
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, calls: int = 0) -> None:
        super().__init__()
        self.calls = calls

    def reset(self) -> None:
        self.calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate = Gate()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.gate.reset()
        return Gate(2)(self.gate(x))
""",
        ),
        Example(
            """\
import torch
from torch import nn


class Weighted(nn.Module):
    def __init__(self, weight: torch.Tensor) -> None:
        super().__init__()
        self.register_buffer("weight", weight)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.weight


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.last = nn.Buffer(torch.zeros(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.last = x
        return Weighted(nn.Buffer(x))(x)
""",
        ),
    )
