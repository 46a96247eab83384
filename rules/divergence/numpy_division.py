"""An array of integers divided by a Python integer is float32 in a compiled region, float64 in NumPy.

Dynamo traces `array / 2` as a torch division, whose result has torch's default dtype. An array divided by an array, and
an array times a float, have NumPy's dtype.

**Instead** divide by a float (`array / 2.0`), convert first (`array.astype(np.float64) / 2`), or use torch.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class NumpyDivision(Rule):
    """GBL819."""

    code = "GBL819"
    name = "numpy-division"
    summary = "an integer array divided by a Python integer"
    category = Category.DIVERGENCE
    on = (On("divergence", ("numpy-division",)),)
    message_template = "`{expression}` is float32 under Dynamo, float64 in NumPy"
    help_template = "divide by a float"
    DIVERGES = (
        Example(
            """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    steps = np.arange(4)
    return torch.from_numpy(steps / 3)  # diverges
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    steps = np.arange(4)
    return torch.from_numpy(steps / 3.0) + torch.from_numpy(steps * 0.5) + torch.from_numpy(steps // 2)
""",
        ),
    )
