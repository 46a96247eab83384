"""An `assert` on a list of tensors, a dict of tensors or an object runs the whole function eagerly.

Dynamo turns `assert value` into an assertion in the graph. It can do so for tensors and numbers, and skips constants;
for any other value it calls `torch.scalar_tensor(value)`, which breaks the graph. Dynamo cannot resume there, so the
code before and after the `assert` in the function runs eagerly, too. Lists of numbers and strings are constants. An
`assert` with `not`, or with a message that is computed (an f-string), does not become an assertion in the graph, and
is traced.

**Instead** write the condition itself: `assert len(tensors) > 0`, `assert module is not None`.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class AssertOnObject(Rule):
    """GBL529."""

    code = "GBL529"
    name = "assert-on-object"
    summary = "an `assert` on a list of tensors, a dict of tensors or an object"
    gb_ids = ("GB0112", "GB0055")
    on = (On("assertion"),)
    message_template = "`assert {expression}` cannot become part of the graph: it is neither a tensor nor a constant"
    help_template = "assert a condition: `{expression} is not None`"
    wording = (
        (
            "container",
            "`assert {expression}` cannot become part of the graph: the container holds tensors or objects",
            "assert the length: `len({expression}) > 0`",
        ),
    )
    recipes = ("truths.assert_condition",)
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor, others: list[torch.Tensor]) -> torch.Tensor:
    assert others, "nothing to add"  # breaks: GB0112
    return x + torch.stack(others).sum()
""",
            inputs="(torch.rand(3), [torch.rand(3)])",
        ),
        Example(
            """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        assert self.layers  # breaks: GB0055
        for layer in self.layers:
            y = layer(y)
        return y
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    parts = [x, x + 1]
    names = ["a", "b"]
    assert names, "no names"
    assert len(parts) > 0
    assert not parts[2:]
    assert parts, f"{len(names)} names, but no parts"
    assert x.shape and parts[0] is not None
    return parts[0] + parts[1]
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    parts = [x, x + 1]
    assert parts, "nothing to add"
    assert x.dim() == 1 and {"a": x}
    return parts[0] + parts[1]
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    parts = [x, x + 1]
    assert len(parts) > 0, "nothing to add"
    assert x.dim() == 1 and len({"a": x}) > 0
    return parts[0] + parts[1]
""",
        ),
        FixExample(
            """\
import torch


class Scale:
    factor = 2.0


scale = Scale()


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    assert scale
    return y * scale.factor
""",
            """\
import torch


class Scale:
    factor = 2.0


scale = Scale()


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    assert scale is not None
    return y * scale.factor
""",
            safe=False,
        ),
    )
