"""A Python number taken from a NumPy array: `float(a.sum())`, `a.tolist()`, `int(a[0])`.

Dynamo traces NumPy by turning it into torch operators, so an array in a compiled region is a tensor underneath, and
taking a number out of it breaks the graph as `.item()` does. `np.prod(x.shape)` is such an array too;
`math.prod(x.shape)` is a number.

**Instead** stay with arrays or tensors, and take numbers out after the compiled region.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class NumpyScalar(Rule):
    """GBL109."""

    code = "GBL109"
    name = "numpy-scalar"
    summary = "a Python number from a NumPy array"
    gb_ids = ("GB0033", "GB0109", "GB0208")
    on = (On("tensor-to-python", ("numpy-scalar",)),)
    message_template = "`{expression}` takes a number out of a NumPy array"
    help_template = "keep the array (or a tensor), and take the number out after the region"
    recipes = (
        "constant_folding.math.by_math",
        "constant_folding.init.worked_out_in_init",
        "operators.called_as_operator",
    )
    BREAKS = (
        Example(
            """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    array = x.numpy()
    return x * float(np.sum(array))  # breaks: GB0033
""",
        ),
        Example(
            """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    array = (x * 2).numpy()
    x = x + array[0].item()  # breaks: GB0033
    return x * int(np.argmax(x.numpy()))  # breaks: GB0033
""",
        ),
        Example(
            """\
import numpy as np
import torch

TABLE = np.linspace(0.0, 1.0, 4)


def f(x: torch.Tensor) -> torch.Tensor:
    return x * float(TABLE[1])  # breaks: GB0033
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> list[float]:
    array = (x * 2).numpy()
    return array.tolist()  # breaks: GB0109
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x + torch.from_numpy(np.sqrt(np.abs(x.numpy())))
""",
        ),
        Example(
            """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * np.pi * np.sqrt(2.0) * np.float32(3.0)
""",
        ),
        Example(
            """\
import numpy as np
import torch

TABLE = np.linspace(0.0, 1.0, 4)


def f(x: torch.Tensor) -> torch.Tensor:
    return x * TABLE[1] + torch.from_numpy(TABLE)
""",
        ),
        Example(
            """\
import math

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x.reshape(math.prod(x.shape))
""",
            "(torch.randn(2, 2),)",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


class Steps:
    def __init__(self, count: int) -> None:
        self.count = count
        self.levels = torch.linspace(-5.0, 5.0, count)

    def last(self, x: torch.Tensor) -> torch.Tensor:
        clipped = torch.searchsorted(self.levels, 0.5)
        last = (self.count - clipped).numpy().item()
        return x[: last - 1]


STEPS = [Steps(12), Steps(6)]


def f(x: torch.Tensor) -> torch.Tensor:
    return STEPS[0].last(x * 2).sum() + STEPS[1].last(x)
""",
            """\
import torch


class Steps:
    def __init__(self, count: int) -> None:
        self.count = count
        self.levels = torch.linspace(-5.0, 5.0, count)
        clipped = torch.searchsorted(self.levels, 0.5)
        self._last = (self.count - clipped).numpy().item()

    def last(self, x: torch.Tensor) -> torch.Tensor:
        last = self._last
        return x[: last - 1]


STEPS = [Steps(12), Steps(6)]


def f(x: torch.Tensor) -> torch.Tensor:
    return STEPS[0].last(x * 2).sum() + STEPS[1].last(x)
""",
            calls=("(torch.ones(9),)", "(torch.randn(4, requires_grad=True),)"),
            safe=False,
            choice="worked-out-in-init",
        ),
        FixExample(
            """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y.reshape(-1) * int(np.prod(x.shape))
""",
            """\
import torch
import math


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y.reshape(-1) * int(math.prod(x.shape))
""",
            calls=("(torch.ones(4),)", "(torch.randn(5, 2, requires_grad=True),)", "(torch.tensor(2.0),)"),
        ),
        FixExample(
            """\
import numpy as np
import torch


def spans(shape: tuple[int, int], part: float, padding: torch.Tensor | None = None) -> np.ndarray:
    rows, columns = shape
    extra = np.random.rand(1).item()
    lengths = [columns] * rows if padding is None else padding.sum(-1).tolist()
    mask = np.zeros((rows, columns), dtype=bool)
    for row, length in enumerate(lengths):
        count = max(int(part * length + extra), 1)
        mask[row, np.random.choice(np.arange(length), count, replace=False)] = True
    return mask


def f(x: torch.Tensor, padding: torch.Tensor | None) -> torch.Tensor:
    hidden = x * 2
    mask = spans((x.shape[0], x.shape[1]), 0.5, padding)
    mask = torch.tensor(mask, device=x.device, dtype=torch.bool)
    columns = torch.tensor(spans((2, x.shape[1]), part=0.2), dtype=torch.long)
    return hidden.masked_fill(mask, 0) * columns.sum()
""",
            """\
import numpy as np
import torch


def spans(shape: tuple[int, int], part: float, padding: torch.Tensor | None = None) -> np.ndarray:
    rows, columns = shape
    extra = np.random.rand(1).item()
    lengths = [columns] * rows if padding is None else padding.sum(-1).tolist()
    mask = np.zeros((rows, columns), dtype=bool)
    for row, length in enumerate(lengths):
        count = max(int(part * length + extra), 1)
        mask[row, np.random.choice(np.arange(length), count, replace=False)] = True
    return mask


@torch.library.custom_op("example::spans", mutates_args=(), tags=(torch.Tag.nondeterministic_seeded,))
def spans_op(shape: list[int], part: float, padding: torch.Tensor | None = None) -> torch.Tensor:
    return torch.as_tensor(spans(tuple(shape), part, padding))


@spans_op.register_fake
def spans_fake(shape: list[int], part: float, padding: torch.Tensor | None = None) -> torch.Tensor:
    rows, columns = shape
    return torch.empty((rows, columns), dtype=torch.bool)


def f(x: torch.Tensor, padding: torch.Tensor | None) -> torch.Tensor:
    hidden = x * 2
    mask = spans_op((x.shape[0], x.shape[1]), 0.5, padding)
    mask = torch.as_tensor(mask, device=x.device, dtype=torch.bool)
    columns = torch.as_tensor(spans_op((2, x.shape[1]), part=0.2), dtype=torch.long)
    return hidden.masked_fill(mask, 0) * columns.sum()
""",
            calls=(
                "(torch.rand(3, 6, requires_grad=True), None)",
                "(torch.rand(2, 5), torch.tensor([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]]))",
            ),
            safe=False,
            choice="called-as-operator",
        ),
    )
