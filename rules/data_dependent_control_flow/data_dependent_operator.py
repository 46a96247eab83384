"""Some operators read the values of a tensor to return a Python value or to check their input.

`torch.equal` and `torch.allclose` return a bool; `torch.cov`, `torch.corrcoef`, `F.gaussian_nll_loss` and
`torch.tensor_split` with a tensor as its second argument read or check values. A function of `numpy.random` without a
size draws a tensor and reads its value.

**Instead**

- `(a == b).all()` and `torch.isclose(a, b).all()`, which return tensors; test `a.shape == b.shape` first if the shapes
  may differ;
- pass a list of ints to `tensor_split`;
- numbers of `random.uniform` and `random.randint`, which Dynamo replays (GBL450 describes how they can be used);
- compare in the test or the training loop, outside the region.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class DataDependentOperator(Rule):
    """GBL210."""

    code = "GBL210"
    name = "data-dependent-operator"
    summary = "an operator that returns a Python value computed from data"
    gb_ids = ("GB0033",)
    on = (
        On("data-dependent-op"),
        On(
            "call",
            ("torch.equal", "torch.allclose", "torch.cov", "torch.corrcoef", "torch.functional.gaussian_nll_loss"),
        ),
        On("call", ("torch.nn.functional.gaussian_nll_loss", "numpy.allclose", "numpy.array_equal")),
        On("tensor-method", ("equal", "allclose", "cov", "corrcoef")),
    )
    message_template = "`{subject}` returns a Python value that depends on tensor data"
    help_template = "compare with tensor operators: `(a == b).all()`, `torch.isclose(a, b).all()`"
    wording = (
        (
            "numpy.random.*",
            "`{subject}` draws a tensor and returns its value as a Python number",
            "use `random.uniform` or `random.randint`, which Dynamo replays, or draw the number outside the region",
        ),
    )
    recipes = (
        "arrays.use_random_uniform",
        "checks.assert_in_graph",
        "checks.split_assert",
        "bool_or_tensor.compare_in_graph",
        "operators.call_as_operator",
    )
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, bool, bool]:
    y = x + 1
    same = torch.equal(x, y)  # breaks: GB0033
    y = y + 1
    close = torch.allclose(x, y)  # breaks: GB0033
    y = y + 1
    again = x.equal(y)  # breaks: GB0033
    return y, close, again or same
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return (x == y).all() | torch.isclose(x, y).all() | x.eq(y).any()
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * np.random.uniform(2.0, 2.0)
""",
            """\
import random

import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * random.uniform(2.0, 2.0)
""",
            safe=False,
        ),
    )
