"""A setting prevents Dynamo from tracing NumPy.

With `torch._dynamo.config.trace_numpy = False` each call of NumPy, `tensor.numpy()` and `torch.from_numpy` break the
graph. With `use_numpy_random_stream = True` the functions of `numpy.random` break, because they must use NumPy's own
generator; by default they are traced and use torch's generator.

**Instead** leave `trace_numpy` on. For reproducible numbers use torch, or generate them with NumPy outside the region
and pass the array in.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class NumpyOff(Rule):
    """GBL430."""

    code = "GBL430"
    name = "numpy-tracing-off"
    summary = "NumPy in the region where a setting keeps Dynamo from tracing it"
    gb_ids = ("GB0293", "GB0105", "GB0231", "GB0298")
    on = (On("numpy-off"),)
    message_template = "`{expression}` is not traced, because `trace_numpy` is off"
    help_template = "leave `torch._dynamo.config.trace_numpy` on"
    wording = (
        (
            "numpy.random.*",
            "`{expression}` uses NumPy's own random generator, or `trace_numpy` is off",
            "leave `use_numpy_random_stream` off, or generate the numbers outside the region",
        ),
    )
    escape_hatches = ()
    recipes = ("arrays.remove_round_trip",)
    BREAKS = (
        Example(
            """\
import numpy as np
import torch
import torch._dynamo

torch._dynamo.config.trace_numpy = False


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    array = y.numpy()  # breaks: GB0105
    return torch.from_numpy(array)  # breaks: GB0231
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import numpy as np
import torch
import torch._dynamo

torch._dynamo.config.trace_numpy = True


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return torch.from_numpy(np.sqrt(np.abs(y.numpy())) + np.zeros(4))
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch

torch._dynamo.config.trace_numpy = False


def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.from_numpy((x + 1).numpy())
    return y * 2
""",
            """\
import torch

torch._dynamo.config.trace_numpy = False


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * 2
""",
            safe=False,
        ),
    )
