"""`numpy.random` in a compiled region uses the random generator of torch.

Dynamo traces NumPy as torch operators: `np.random.seed` outside of the region has no effect inside, so that the numbers
differ from those of an eager run. (Scalars, such as `np.random.rand()`, break the graph: GB0033.) With
`torch._dynamo.config.use_numpy_random_stream = True` the calls break instead.

**Instead** generate the numbers with torch, seeded by `torch.manual_seed`; or generate them outside and pass them in.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Severity
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class NumpyRandom(Rule):
    """GBL817."""

    code = "GBL817"
    name = "numpy-random"
    summary = "numbers drawn with `numpy.random` in a region"
    category = Category.DIVERGENCE
    on = (On("divergence", ("numpy-random",)),)
    message_template = "`{expression}` draws from torch's generator under Dynamo: `np.random.seed` has no effect"
    help_template = "draw with torch, or outside of the region"
    severity = Severity.INFO
    DIVERGES = (
        Example(
            """\
import numpy as np
import torch


@torch.compile
def jitter(x: torch.Tensor) -> torch.Tensor:
    return x + torch.from_numpy(np.random.normal(size=4))  # diverges


def f(x: torch.Tensor) -> bool:
    np.random.seed(0)
    first = jitter(x)
    np.random.seed(0)
    return torch.equal(first, jitter(x))
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import random

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * random.uniform(0, 1)
""",
        ),
    )
