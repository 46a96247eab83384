"""A Python number taken from a NumPy array: `float(a.sum())`, `a.tolist()`, `int(a[0])`.

Dynamo traces NumPy by turning it into torch operators, so an array in a compiled region is a tensor underneath, and
taking a number out of it breaks the graph as `.item()` does. `np.prod(x.shape)` is such an array too;
`math.prod(x.shape)` is a number.

Dynamo has the number of a scalar, or of an array without dimensions, that comes into the region as an int64 or a
float64; it has none for other dtypes: `float(EPS)` breaks for `EPS = np.float32(1e-5)`.

**Instead** use arrays or tensors in the region, and read numbers after it.
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
        "constant_folding.math.use_math",
        "constant_folding.init.compute_in_init",
        "operators.call_as_operator",
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
            choice="compute-in-init",
        ),
    )
