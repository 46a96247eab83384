"""A hook on a module cannot be registered in the compiled region.

Calling a module that has a full backward hook breaks too. Forward hooks and pre-hooks that were registered before are
traced. `tensor.register_hook` is traced too.

**Instead**

- register the hook before compiling: forward hooks and pre-hooks are traced;
- `y.register_hook(...)` on a tensor in place of a full backward hook on the module;
- call the function directly, if the hook has no other purpose.
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
    recipes = ("hooks.register_in_init", "hooks.call_helper_in_init")
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
    )
