"""`int(x)`, `float(x)`, `bool(x)` and the like of a tensor need its value, and the graph ends there.

They do what `.item()` does: copy one number into Python. `complex(x)`, `pow(x, 2)`, `operator.index(x)` and
`x.is_nonzero()` are in the same family; the operator `x ** 2` is traced. `round(x)` of a tensor is an error with or
without Dynamo.

**Instead**

- convert the dtype and stay a tensor: `x.to(torch.int64)`, `x.bool()`, `x.round()`;
- with `torch._dynamo.config.capture_scalar_outputs = True` (or under `fullgraph=True`) `int` and `float` stay in the
  graph.

**Does not help**

- `bool(x.sum() > 0)` in place of the bare condition: it is the same question.
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
    on = (On("tensor-to-python", ("int", "float", "bool", "complex", "round", "pow", "index", "is_nonzero")),)
    message_template = "`{expression}` makes a Python number of a tensor"
    help_template = "convert the dtype instead (`x.to(torch.int64)`, `x.bool()`) and stay a tensor"
    wording = (
        ("round", "`{expression}` rounds a tensor with the builtin", "use `torch.round(x)`"),
        ("pow", "`{expression}` raises a tensor with the builtin", "use `x ** n` or `torch.pow`"),
        ("is_nonzero", "`{expression}` asks for the truth of a tensor", "use `x != 0`, which is a tensor"),
    )
    recipes = (
        "numbers.in_arithmetic",
        "elements.picked",
        "elements.tensor_again",
        "checks.split_assert",
        "checks.assert_in_graph",
        "branches.where.as_where",
        "branches.where.ternary_as_where",
        "branches.early_return.returned_early",
        "branches.capture_config.numbers_captured",
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


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    flag = bool(y.sum())  # breaks: GB0124
    return y, flag
""",
        ),
        Example(
            """\
import operator

import torch


def f(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    x = x + 1
    count = operator.index(n)  # breaks: GB0124
    x = x * count
    z = complex(x.sum())  # breaks: GB0059
    return x * z
""",
            "(torch.randn(4), torch.tensor(2))",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    x = x + 1
    return x * pow(x, 2)  # breaks: GB0059
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    found = y.sum().is_nonzero()  # breaks: GB0033
    return y, found
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        return round(y)  # breaks: GB6270
    except TypeError:
        return y.round()
""",
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


def f(x: torch.Tensor) -> torch.Tensor:
    half = int(x.shape[0] / 2)
    return x[:half] * float(x.size(0)) * round(half / 3)
""",
        ),
        Example(
            """\
import torch


@torch.compile(fullgraph=True)
def f(x: torch.Tensor) -> torch.Tensor:
    return x * float(x.max()) + int(x.sum())
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x + int(len(x)) + bool(x.dim()) + round(2.5)
""",
        ),
        Example(
            """\
import torch

torch._dynamo.config.capture_scalar_outputs = True


def f(x: torch.Tensor) -> torch.Tensor:
    return x * float(x.max())
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return (x + 1).round() * round(2.5) + torch.round(x, decimals=2)
""",
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
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * x[int(x.argmin())]
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * x[x.argmin().reshape(1)][0]
""",
            calls=(
                "(torch.rand(4),)",
                "(torch.rand(2, requires_grad=True),)",
            ),
            safe=False,
            choice="picked",
        ),
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    best = torch.tensor([int(x.argmin()), int(x.argmax())], device=x.device)
    return x[best]
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    best = torch.stack([x.argmin(), x.argmax()]).to(device=x.device, dtype=torch.int64)
    return x[best]
""",
            calls=("(torch.rand(4),)",),
            safe=False,
            choice="tensor-again",
        ),
        FixExample(
            """\
import torch


def f(lengths: torch.Tensor, n: int) -> torch.Tensor:
    lengths = lengths.long()
    assert int(lengths.max()) <= n, "too long"
    return lengths * 2
""",
            """\
import torch


def f(lengths: torch.Tensor, n: int) -> torch.Tensor:
    lengths = lengths.long()
    assert lengths.max() <= n, "too long"
    return lengths * 2
""",
            calls=(
                "(torch.tensor([1, 2]), 2)",
                "(torch.tensor([1, 2]), 1)",
            ),
            choice="split-assert",
        ),
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if bool((x < 0).any()):
        raise ValueError("negative")
    return x.sqrt()
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if torch.compiler.is_compiling():
        torch._assert_async(~(x < 0).any(), "negative")
    elif bool((x < 0).any()):
        raise ValueError("negative")
    return x.sqrt()
""",
            calls=(
                "(torch.ones(4),)",
                "(-torch.ones(4),)",
            ),
            choice="assert-in-graph",
        ),
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if bool((x > 0).any()):
        x = x * 2
    return x + 1
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    x = torch.where((x > 0).any(), x * 2, x)
    return x + 1
""",
            calls=(
                "(torch.ones(4),)",
                "(-torch.ones(4),)",
            ),
            safe=False,
            choice="as-where",
        ),
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x if bool((x > 0).all()) else -x
    return y + 1
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.where((x > 0).all(), x, -x)
    return y + 1
""",
            calls=(
                "(torch.ones(4),)",
                "(-torch.ones(4),)",
            ),
            safe=False,
            choice="ternary-as-where",
        ),
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if int(x.argmax()) == 0:
        return x + 1
    return x * 2
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x.argmax() == 0, x + 1, x * 2)
""",
            calls=(
                "(torch.ones(4),)",
                "(-torch.ones(4),)",
            ),
            safe=False,
            choice="returned-early",
        ),
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    n = int(x.argmax())
    return x[:n] + 1
""",
            """\
import torch

torch._dynamo.config.capture_scalar_outputs = True


def f(x: torch.Tensor) -> torch.Tensor:
    n = int(x.argmax())
    return x[:n] + 1
""",
            calls=("(torch.randn(4),)",),
            safe=False,
            choice="numbers-captured",
        ),
    )
