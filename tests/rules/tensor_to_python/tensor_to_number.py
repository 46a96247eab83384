"""More examples of GBL103, tensor-to-number."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import torch
from torch.nn.utils.rnn import PackedSequence


def f(inputs, scores=None):
    if not isinstance(inputs, PackedSequence) or not isinstance(scores, PackedSequence):
        raise NotImplementedError("only packed sequences")
    data, batch_sizes, _, _ = inputs
    width = int(batch_sizes[0])  # breaks: GB0124
    last = data[: int(scores.batch_sizes[-1])]  # breaks: GB0124
    return scores[0].sum() + data.sum() + last.sum() + width
""",
        "tuple(torch.nn.utils.rnn.pack_sequence([torch.randn(3, 2), torch.randn(2, 2)]) for _ in range(2))",
    ),
    Example(
        """\
from collections.abc import Callable

import torch


class Objective:
    def __init__(self, function: Callable[[torch.Tensor], torch.Tensor]) -> None:
        self._function = function

    def value(self, x: torch.Tensor) -> torch.Tensor:
        y = self._function(x)
        return y * 2


def f(function: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    objective = Objective(function)
    return x * float(objective.value(x))  # breaks: GB0124
""",
        "(torch.sum, torch.randn(3))",
    ),
    Example(
        """\
import operator

import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, bool]:
    y = x + 1
    return y, operator.truth(y.sum())  # breaks: GB0059
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
from torch.nn.utils.rnn import PackedSequence


def f(inputs, scores=None):
    if not isinstance(inputs, PackedSequence) or not isinstance(scores, PackedSequence):
        raise NotImplementedError("only packed sequences")
    data, batch_sizes, _, _ = inputs
    return data * scores.data, batch_sizes.sum(), scores[1] + 1
""",
        "tuple(torch.nn.utils.rnn.pack_sequence([torch.randn(3, 2), torch.randn(2, 2)]) for _ in range(2))",
    ),
    Example(
        """\
from collections.abc import Callable

import torch


def f(function: Callable[[int], float], x: torch.Tensor) -> torch.Tensor:
    return x * float(function(len(x)))
""",
        "(lambda n: n / 2, torch.randn(3))",
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


def f(x: torch.Tensor, n: int) -> torch.Tensor:
    y = pow(x + 1, n) - pow(x, 2) * 3
    return -pow(0.5, y).sum() + pow(x.T, -1).T + pow(pow(y, 2), 0.5)
""",
        """\
import torch


def f(x: torch.Tensor, n: int) -> torch.Tensor:
    y = (x + 1) ** n - x**2 * 3
    return -(0.5**y).sum() + (x.T ** (-1)).T + (y**2) ** 0.5
""",
        calls=("(torch.rand(3, 4), 3)", "(torch.rand(3, 4, requires_grad=True), 2)", "(torch.full((2, 2), -1.5), 3)"),
        choice="use-power-operator",
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
        choice="index-with-tensor",
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
        choice="keep-tensor",
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
        safe=False,
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
        safe=False,
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
        choice="where-instead-of-if",
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
        choice="where-instead-of-ternary",
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
        choice="where-instead-of-return",
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
        choice="capture-scalar-outputs",
    ),
)
