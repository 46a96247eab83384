"""More examples of GBL471, numba-function."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import numba
import numpy as np
import torch


@numba.stencil
def summed(values: np.ndarray) -> float:
    return values[0] + values[-1]


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(summed(x.numpy()))  # breaks: GB6890
""",
        needs=("numba",),
    ),
    Example(
        """\
import numba
import numpy as np
import torch


@numba.vectorize(["float32(float32)"])
def scaled(value: float) -> float:
    return value * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(scaled(x.numpy()))  # breaks: GB0006
""",
        needs=("numba",),
    ),
    Example(
        """\
import numpy as np
import torch
from numba import guvectorize


@guvectorize(["void(float32[:], float32[:])"], "(n)->(n)")
def scaled(values: np.ndarray, result: np.ndarray) -> None:
    for i in range(values.shape[0]):
        result[i] = values[i] * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(scaled(x.numpy()))  # breaks: GB0156
""",
        needs=("numba",),
    ),
    Example(
        """\
import torch
from numba import njit


def double(number: int) -> int:
    return number * 2


fast = njit("int64(int64)")(double)


def f(x: torch.Tensor) -> torch.Tensor:
    return x * fast(3)  # breaks: GB0156
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


@numba.stencil
def summed(values: np.ndarray) -> float:
    return values[0] + values[-1]


SUMS = torch.from_numpy(summed(np.ones(4, np.float32)))


def f(x: torch.Tensor) -> torch.Tensor:
    return x * SUMS
""",
        needs=("numba",),
    ),
    Example(
        """\
import numpy as np
import torch
from numba import njit


@njit
def doubled(values: np.ndarray) -> np.ndarray:
    return values * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(doubled.py_func(x.numpy()))
""",
        needs=("numba",),
    ),
    Example(
        """\
import torch
from numba import njit


@njit("int64(int64)")
def double(number: int) -> int:
    return number * 2


SIZE = double(3)


def f(x: torch.Tensor) -> torch.Tensor:
    return x * SIZE
""",
        needs=("numba",),
    ),
    Example(
        """\
import numba
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    for i in numba.prange(3):
        x = x * (i + 1)
    return x
""",
        needs=("numba",),
    ),
)
