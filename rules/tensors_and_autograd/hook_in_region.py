"""A hook on a module cannot be registered in the compiled region.

A module that carries a full backward hook breaks where it is called. Forward hooks and pre-hooks that were registered
before are traced. `tensor.register_hook` is traced too.

**Instead**

- register the hook before compiling: forward hooks and pre-hooks are traced;
- `y.register_hook(...)` on a tensor in place of a full backward hook on the module;
- call the function directly, where a hook was only a way to get it called.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import OUTSIDE, On, Rule


class HookInRegion(Rule):
    """GBL601."""

    code = "GBL601"
    name = "hook-in-region"
    summary = "registering a module hook in the region"
    gb_ids = ("GB0467", "GB0013")
    on = (On("hook"), On("call", ("torch.nn.Module.register_*hook", "torch.nn.modules.module.register_*")))
    message_template = "`{expression}` registers a hook while tracing"
    help_template = "register the hook before the module is compiled"
    wording = (
        (
            "RemovableHandle.*",
            "`{expression}` uses the handle of a hook that was registered in the region",
            "register and remove the hook outside the region",
        ),
    )
    escape_hatches = OUTSIDE
    recipes = ("hooks.registered_in_init", "hooks.helper_called_in_init")
    BREAKS = (
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
        handle = self.linear.register_forward_hook(lambda module, given, out: out * 2)  # breaks: GB0467
        return self.linear(x)
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
        self.linear.register_full_backward_hook(lambda module, given, out: None)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + 1
        return self.linear(x)  # breaks: GB0083
""",
        ),
        Example(
            """\
import torch

layer = torch.nn.Linear(4, 4)


def f(x: torch.Tensor) -> torch.Tensor:
    handle = layer.register_forward_pre_hook(lambda module, inputs: None)  # breaks: GB0467
    y = layer(x)
    handle.remove()  # breaks: GB0013
    return y
""",
            inputs="(torch.randn(2, 4),)",
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
        self.linear = nn.Linear(4, 4)
        self.linear.register_forward_hook(lambda module, given, out: out * 2)
        self.linear.register_forward_pre_hook(lambda module, given: None)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x)
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    y.register_hook(lambda gradient: gradient * 2)
    return y
""",
            "(torch.randn(4, requires_grad=True),)",
        ),
        Example(
            """\
import torch


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)
        self.linear.register_forward_hook(lambda module, inputs, output: output * 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x)
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
        self.norm = nn.LayerNorm(4)
        self.watched = False

    def double(self, module: nn.Module, given: tuple[torch.Tensor], out: torch.Tensor) -> torch.Tensor:
        return out * 2

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.watched:
            self.norm.register_forward_hook(self.double)
            self.watched = True
        return self.norm(x) + 1
""",
            """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(4)
        self.watched = False
        if not self.watched:
            self.norm.register_forward_hook(self.double)
            self.watched = True

    def double(self, module: nn.Module, given: tuple[torch.Tensor], out: torch.Tensor) -> torch.Tensor:
        return out * 2

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(x) + 1
""",
            safe=False,
        ),
        FixExample(
            """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 4, bias=False)
        torch.nn.init.ones_(self.inner.weight)
        self.kept = None
        self.ready = False

    def _keep(self, module: nn.Module, given: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
        self.kept = output.detach()

    def _register(self) -> None:
        # for good
        layer = self.inner
        layer.register_forward_hook(self._keep)
        self.ready = True

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + 1
        if not self.ready:
            self._register()
        y = self.inner(x)
        return y + self.kept
""",
            """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 4, bias=False)
        torch.nn.init.ones_(self.inner.weight)
        self.kept = None
        self.ready = False
        if not self.ready:
            self._register()

    def _keep(self, module: nn.Module, given: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
        self.kept = output.detach()

    def _register(self) -> None:
        # for good
        layer = self.inner
        layer.register_forward_hook(self._keep)
        self.ready = True

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + 1
        y = self.inner(x)
        return y + self.kept
""",
            calls=("(torch.ones(2, 4),)", "(torch.ones(2, 4, requires_grad=True),)"),
            safe=False,
            choice="helper-called-in-init",
        ),
    )
