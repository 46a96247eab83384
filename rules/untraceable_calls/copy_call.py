"""`copy.deepcopy` of anything that holds a tensor ends the graph; so does `copy.copy` of a list, a tensor or a module.

A named tuple and, with `copy.deepcopy`, a `defaultdict` cannot be copied either. `copy.deepcopy` of plain data and
`copy.copy` of an object of a user-defined class are traced. `dataclasses.asdict` calls `copy.deepcopy`.

**Instead**

- `x.clone()` for a tensor;
- `list(items)`, `dict(items)`, `items.copy()` for a container;
- for a dataclass with tensors: build the dict from its fields;
- copy before the compiled call.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import UNSEEN, On, Rule


class CopyCall(Rule):
    """GBL416."""

    code = "GBL416"
    name = "copy-call"
    summary = "copying a tensor or a container with `copy`"
    gb_ids = ("GB4198", "GB0208", "GB0007", "GB0008", "GB0088")
    on = (
        On("call", ("copy.*", "dataclasses.asdict", "dataclasses.astuple")),
        On("tensor-method", ("__deepcopy__", "__copy__")),
    )
    message_template = "`{expression}` copies with the module `copy`"
    help_template = "use `x.clone()` for a tensor, and `list(items)` or `dict(items)` for a container"
    escape_hatches = UNSEEN
    recipes = ("equivalents.use_clone",)
    BREAKS = (
        Example(
            """\
import copy

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, list[int]]:
    y = x + 1
    z = copy.deepcopy(y)  # breaks: GB4198
    y = y + 1
    numbers = copy.copy([1, 2])  # breaks: GB0007
    return y * 2, z, numbers
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import copy

import torch


class Settings:
    def __init__(self) -> None:
        self.scale = 2


def f(x: torch.Tensor) -> torch.Tensor:
    settings = copy.copy(Settings())
    numbers = copy.deepcopy([1, [2]])
    return x.clone() * settings.scale + numbers[0] + [1].copy()[0] + {"a": 1}.copy()["a"]
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import copy

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    kept = copy.deepcopy(x.detach())  # as it was
    x = x * 2
    return x - kept
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    kept = x.detach().clone()  # as it was
    x = x * 2
    return x - kept
""",
            calls=(
                "(torch.randn(4),)",
                "(torch.randn(4, requires_grad=True),)",
            ),
            safe=False,
        ),
    )
