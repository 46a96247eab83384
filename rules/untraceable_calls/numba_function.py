"""A call of a function that Numba compiles (`@numba.njit`, `@numba.vectorize`) ends the graph.

The decorator replaces the function by an object of Numba, and Dynamo does not trace what is compiled. After the break
Dynamo goes on to compile functions of Numba itself. With Numba 0.68 the run then stops with an internal error of
Dynamo if Numba has to compile the function in this call, because nothing has called it with such arguments before.

**Instead**

- write it with operators of torch, which the compiler fuses;
- for code that needs loops: a custom operator (`torch.library.custom_op` with `register_fake`) that calls the function;
- call it outside the region, and pass tensors in;
- `function.py_func` is the Python source, which Dynamo traces.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class NumbaFunction(Rule):
    """GBL471.

    torch/_dynamo/variables/user_defined.py: the ``__call__`` of an object that is written in C is not traced.
    """

    code = "GBL471"
    name = "numba-function"
    summary = "a call of a function that Numba compiles"
    gb_ids = ("GB0006", "GB0156", "GB4347", "GB6890")
    on = (On("call", ("numba.jit", "numba.njit", "numba.vectorize", "numba.guvectorize", "numba.stencil")),)
    message_template = "`{expression}` calls a function that Numba compiles, which Dynamo cannot trace"
    help_template = "write it with operators of torch, or call it in a custom operator (`torch.library.custom_op`)"
    BREAKS = (
        Example(
            """\
import numba
import numpy as np
import torch


@numba.njit("float32[:](float32[:])")
def smooth(values: np.ndarray) -> np.ndarray:
    result = values.copy()
    for i in range(1, len(values)):
        result[i] = 0.5 * (values[i] + result[i - 1])
    return result


def f(x: torch.Tensor) -> torch.Tensor:
    y = smooth(x.numpy())  # breaks: GB0156
    return torch.from_numpy(y) * 2
""",
            needs=("numba",),
        ),
    )
    CLEAN = (
        Example(
            """\
import numba
import numpy as np
import torch


@numba.njit("float32[:](float32[:])")
def smooth(values: np.ndarray) -> np.ndarray:
    result = values.copy()
    for i in range(1, len(values)):
        result[i] = 0.5 * (values[i] + result[i - 1])
    return result


@torch.library.custom_op("signals::smooth", mutates_args=())
def smoothed(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(smooth(x.numpy()))


@smoothed.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


def f(x: torch.Tensor) -> torch.Tensor:
    return smoothed(x) * 2
""",
            needs=("numba",),
        ),
    )
