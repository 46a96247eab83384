"""`int(x)`, `float(x)`, `bool(x)` and similar calls on a tensor need its value, and the graph ends there.

They do what `.item()` does: copy one number into Python. `complex(x)`, `pow(x, 2)`, `operator.index(x)` and
`x.is_nonzero()` do the same; the operator `x ** 2` is traced. `round(x)` of a tensor is an error with or without
Dynamo.

**Instead**

- convert the dtype and keep the tensor: `x.to(torch.int64)`, `x.float()`, `x.bool()`, `x.round()`;
- with `torch._dynamo.config.capture_scalar_outputs = True` (or under `fullgraph=True`) `int` and `float` stay in the
  graph.

**Does not help**

- `bool(x.sum() > 0)` in place of the bare condition: it needs the same value.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class TensorToNumber(Rule):
    """GBL103."""

    code = "GBL103"
    name = "tensor-to-number"
    summary = "`int()`, `float()`, `bool()`, ... of a tensor"
    gb_ids = (
        "GB0124",
        "GB0059",
        "GB6270",
        "GB0033",
        "GB0170",
    )
    on = (
        On("tensor-to-python", ("int", "float", "bool", "complex", "round", "pow", "index", "is_nonzero", "truth")),
        On("tensor-to-python", ("batch-count",)),
    )
    message_template = "`{expression}` converts a tensor to a Python number"
    help_template = "convert the dtype instead (`x.to(torch.int64)`, `x.bool()`), and keep the tensor"
    wording = (
        ("float", message_template, "convert the dtype instead (`x.float()`), and keep the tensor"),
        ("round", "`{expression}` rounds a tensor with the builtin `round`", "use `torch.round(x)`"),
        ("pow", "`{expression}` raises a tensor to a power with the builtin `pow`", "use `x ** n` or `torch.pow`"),
        (
            "batch-count",
            "in training, a batch normalization with `momentum=None` reads how many batches it has seen",
            "give it a momentum (`momentum=0.1`)",
        ),
        ("is_nonzero", "`{expression}` needs the truth value of a tensor", "use `x != 0`, which is a tensor"),
    )
    recipes = (
        "numbers.tensor_instead_of_number",
        "equivalents.use_power_operator",
        "elements.index_with_tensor",
        "elements.keep_tensor",
        "checks.split_assert",
        "checks.assert_in_graph",
        "branches.where.where_instead_of_if",
        "branches.where.where_instead_of_ternary",
        "branches.early_return.where_instead_of_return",
        "branches.capture_config.capture_scalar_outputs",
    )
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    steps = int(x.sum())  # breaks: GB0124
    x = x + steps
    scale = float(x.max())  # breaks: GB0124
    return x * scale
""",
        ),
        Example(
            """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(4, momentum=None)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.reshape(2, 4) + 1
        return self.norm(y) * 2  # breaks: GB0124
""",
            inputs="(torch.randn(8),)",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x.round().int() + x.bool() + x.float() ** 2
""",
        ),
        Example(
            """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(4)
        self.first = nn.BatchNorm1d(4, momentum=None).eval()
        self.without = nn.BatchNorm1d(4, momentum=None, track_running_stats=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.without(self.first.eval()(self.norm(x.reshape(2, 4))))
""",
            inputs="(torch.randn(8),)",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.reshape(-1).float()
    return y * float(y.sum()) - int((y > 0).sum())
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.reshape(-1).float()
    return y * y.sum().detach() - (y > 0).sum()
""",
            calls=("(torch.ones(4),)", "(torch.randn(5, requires_grad=True),)"),
        ),
    )
