"""More examples of GBL406, numpy-call."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import numpy as np
import torch


def double(value: float) -> float:
    return value * 2


doubled = np.vectorize(double)
tripled = np.frompyfunc(lambda value: value * 3, 1, 1)


def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.from_numpy(doubled(x.numpy()))  # breaks: GB0008
    return y * tripled(2)  # breaks: GB0156
""",
    ),
    Example(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    rows, columns = np.ogrid[-2:2, -2:2]  # breaks: GB0008
    return x + torch.from_numpy(rows * columns).sum()
""",
    ),
    Example(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    grid = np.mgrid[0:2, 0:2]  # breaks: GB0008
    return x + torch.from_numpy(grid).sum()
""",
    ),
    Example(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    index = np.s_[1:3]  # breaks: GB0008
    return x[index] * 2
""",
    ),
    Example(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    a = x.numpy()
    a = np.asarray(a, dtype=np.float64, order="C")  # breaks: GB0087
    a = a + 1
    a = np.array(a, subok=True)  # breaks: GB0087
    a = a + np.zeros(3, order="F")  # breaks: GB0087
    a = a * np.sum(a, where=a > 0)  # breaks: GB0087
    a = a + np.max(a, initial=0)  # breaks: GB0087
    a = np.nan_to_num(a, copy=False)  # breaks: GB0087
    a = a.astype(np.float32, copy=False)  # breaks: GB0087
    a = a + a.flatten(order="F")  # breaks: GB0087
    return torch.from_numpy(a) + 1
""",
        "(torch.ones(3),)",
        needs=("numpy",),
    ),
    Example(
        """\
import torch
from scipy import special


def f(x: torch.Tensor, a: float) -> torch.Tensor:
    y = x + 1
    return y * float(special.gamma(a))  # breaks: GB0156
""",
        "(torch.randn(4), 2.5)",
        needs=("scipy",),
    ),
    Example(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    value = np.interp(0.5, [0, 1], [0, 1])  # breaks: GB0294
    return y * float(value)
""",
    ),
    Example(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    y = x + 1
    a = np.digitize(y.numpy(), np.array([0.0, 1.0]))  # breaks: GB0294
    y = y + 1
    b = np.nanmean(y.numpy())  # breaks: GB0294
    y = y + 1
    c = np.add.reduce(y.numpy())  # breaks: GB0290
    return y, a, b, c
""",
    ),
    Example(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, bytes]:
    y = x + 1
    order = np.random.permutation(4)  # breaks: GB0294
    y = y + torch.from_numpy(order)
    return y, y.numpy().tobytes()  # breaks: GB0158
""",
    ),
    Example(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> np.ndarray:
    array = x.numpy() + 1
    if array.dtype == np.float64:  # breaks: GB0157
        array = array * 2
    return array + 1
""",
    ),
    Example(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> np.ndarray:
    array = x.numpy() + 1
    if getattr(array, "__version__", None) is not None:  # breaks: GB0159
        array = array * 2
    return array + 1
""",
    ),
    Example(
        """\
import numpy as np
import torch


def smallest(array: np.ndarray) -> float:
    try:
        return float(np.finfo(array).eps)  # breaks: GB0300
    except ValueError:
        return 1e-6


def f(x: torch.Tensor) -> np.ndarray:
    return x.numpy() + smallest(x.numpy())
""",
    ),
    Example(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    sides = np.asarray(["L", "U"])  # breaks: GB0087
    return y * 2
""",
    ),
)
CLEAN = (
    Example(
        """\
import numpy as np
import torch


@np.vectorize
def double(value: float) -> float:
    return value * 2


SCALE = torch.from_numpy(double(np.ones(4, np.float32)))


def f(x: torch.Tensor) -> torch.Tensor:
    return x * SCALE
""",
    ),
    Example(
        """\
import numpy as np
import torch

ROWS, COLUMNS = np.ogrid[-2:2, -2:2]


def f(x: torch.Tensor) -> torch.Tensor:
    return x + torch.from_numpy(ROWS * COLUMNS).sum()
""",
    ),
    Example(
        """\
import numpy as np
import torch

INDEX = np.s_[1:3]


def f(x: torch.Tensor) -> torch.Tensor:
    return x[INDEX] * 2
""",
    ),
    Example(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    a = np.array(np.asarray(x.numpy(), order="K"), copy=False)
    a = np.zeros(3, order="C") + a.astype(np.float32, copy=True).reshape(3, order="C")
    return torch.from_numpy(np.sort(np.ascontiguousarray(a), kind="stable"))
""",
        "(torch.ones(3),)",
        needs=("numpy",),
    ),
    Example(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    a = np.clip(np.sqrt(np.abs(x.numpy())), 0, 1).astype(np.float32)
    b = np.concatenate([a, a]).reshape(2, -1).mean(axis=0)
    return torch.from_numpy(b) + torch.as_tensor(np.linspace(0, 1, 4))
""",
    ),
    Example(
        """\
import numpy as np
import torch


def scaled(weight: torch.Tensor, x):
    return x.to(weight.dtype) if weight.dtype != x.dtype else x


def f(x: torch.Tensor, options=None) -> torch.Tensor:
    scale = options.get("scale") if options is not None else None
    if scale is not None:
        return x * scaled(x, scale * np.sqrt(len(x)))
    return x
""",
        '(torch.ones(3), {"scale": torch.ones(3)})',
        needs=("numpy",),
    ),
    Example(
        """\
import numpy as np
import torch

TABLE = np.interp([0.5, 0.6, 0.7, 0.8], [0, 1], [0, 1])


def f(x: torch.Tensor) -> torch.Tensor:
    return x + torch.from_numpy(TABLE)
""",
    ),
    Example(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if isinstance(x, np.ndarray):
        return x
    return torch.from_numpy(x.detach().cpu().numpy()[::-1].copy()) * np.pi
""",
    ),
    Example(
        """\
import numpy as np
import torch


@torch.library.custom_op("example::interpolate", mutates_args=())
def interpolate(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.interp(x.numpy(), [0.0, 1.0], [0.0, 2.0])).to(x.dtype)


@interpolate.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


def f(x: torch.Tensor) -> torch.Tensor:
    return interpolate(x + 1) * 2
""",
    ),
    Example(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> np.ndarray:
    array = x.numpy() + 1
    if x.dtype == torch.float64 or array.ndim > 3 or array.shape[0] == 7:
        array = array * 2
    return array + 1
""",
    ),
    Example(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    smallest = float(np.finfo(np.float32).eps)
    return x + smallest if np.__version__ > "1" else x
""",
    ),
    Example(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    array = x.numpy() + torch.finfo(x.dtype).eps
    return torch.from_numpy(array).to(x.dtype)
""",
    ),
)
FIXES = (
    FixExample(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    array = x.numpy()
    return torch.from_numpy(np.nanargmin(array, axis=1) - np.nanargmax(array, 1))
""",
        """\
import numpy as np
import torch


def _nanargmax(x: np.ndarray, axis=None) -> np.ndarray:
    \"\"\"`np.nanargmax` by functions that `torch.compile` traces.\"\"\"
    return np.argmax(np.where(np.isnan(x), -np.inf, x), axis=axis)


def _nanargmin(x: np.ndarray, axis=None) -> np.ndarray:
    \"\"\"`np.nanargmin` by functions that `torch.compile` traces.\"\"\"
    return np.argmin(np.where(np.isnan(x), np.inf, x), axis=axis)


def f(x: torch.Tensor) -> torch.Tensor:
    array = x.numpy()
    return torch.from_numpy(_nanargmin(array, axis=1) - _nanargmax(array, 1))
""",
        calls=(
            "(torch.randn(2, 3),)",
            "(torch.tensor([[0.0, 1.0, float('inf')], [3.0, float('nan'), 1.0]]),)",
            "(torch.tensor([[float('inf'), float('nan')], [float('nan'), float('-inf')]]),)",
        ),
        safe=False,
    ),
    FixExample(
        """\
from __future__ import annotations

import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    array = x.numpy()
    rows = np.nanmean(array, axis=1)
    return torch.from_numpy(rows) + torch.from_numpy(np.nansum(array, axis=1))
""",
        """\
from __future__ import annotations

import numpy as np
import torch


def _nansum(x: np.ndarray, axis: int | None = None) -> np.ndarray:
    \"\"\"`np.nansum` by functions that `torch.compile` traces.\"\"\"
    return np.sum(np.where(np.isnan(x), 0, x), axis=axis)


def _nanmean(x: np.ndarray, axis: int | None = None) -> np.ndarray:
    \"\"\"`np.nanmean` by functions that `torch.compile` traces.\"\"\"
    missing = np.isnan(x)
    count = np.sum(np.where(missing, 0, np.ones_like(x)), axis=axis)
    return np.sum(np.where(missing, 0, x), axis=axis) / count


def f(x: torch.Tensor) -> torch.Tensor:
    array = x.numpy()
    rows = _nanmean(array, axis=1)
    return torch.from_numpy(rows) + torch.from_numpy(_nansum(array, axis=1))
""",
        calls=(
            "(torch.randn(2, 3),)",
            "(torch.tensor([[0.0, 1.0, 2.5], [3.0, float('nan'), 1.0]]),)",
        ),
        safe=False,
    ),
    FixExample(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    array = x.numpy()
    inside = np.logical_and.reduce([array > -1, array < 1])
    level = np.select([array < 0, array > 1], [-array, array * 2], default=0.5)
    return torch.from_numpy(inside) * torch.from_numpy(level) + torch.from_numpy(np.add.reduce(array, 1))[0]
""",
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    array = x.numpy()
    inside = np.all([array > -1, array < 1], axis=0)
    level = np.where(array < 0, -array, np.where(array > 1, array * 2, 0.5))
    return torch.from_numpy(inside) * torch.from_numpy(level) + torch.from_numpy(np.sum(array, axis=1))[0]
""",
        calls=("(torch.randn(2, 3),)",),
        safe=False,
    ),
    FixExample(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    places = np.digitize(x.numpy(), np.array([-1.0, 0.0, 1.0]))
    return torch.from_numpy(places) * x
""",
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    places = np.searchsorted(np.array([-1.0, 0.0, 1.0]), x.numpy(), side="right")
    return torch.from_numpy(places) * x
""",
        calls=("(torch.tensor([-2.0, -1.0, 0.5, 0.0, 3.0]),)",),
        safe=False,
    ),
    FixExample(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    known = np.isin(x.numpy(), [1, 2])
    return torch.where(torch.from_numpy(known), x, -x)
""",
        """\
import numpy as np
import torch


def _isin(element: np.ndarray, test_elements: np.ndarray) -> np.ndarray:
    \"\"\"`np.isin` by functions that `torch.compile` traces.\"\"\"
    element, tested = np.asarray(element), np.sort(np.ravel(test_elements))
    if not len(tested):
        return np.zeros(element.shape, dtype=bool)
    place = np.clip(np.searchsorted(tested, element), 0, len(tested) - 1)
    return tested[place] == element


def f(x: torch.Tensor) -> torch.Tensor:
    known = _isin(x.numpy(), [1, 2])
    return torch.where(torch.from_numpy(known), x, -x)
""",
        calls=("(torch.tensor([0, 1, 2, 3, 1]),)",),
        safe=False,
    ),
    FixExample(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    best = np.partition(x.numpy(), 2)[2]
    return x * 2 + torch.as_tensor(best)
""",
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    best = np.sort(x.numpy())[2]
    return x * 2 + torch.as_tensor(best)
""",
        safe=False,
    ),
    FixExample(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    order = np.random.permutation(1)
    return x[order] * 2
""",
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    order = torch.randperm(1).numpy()
    return x[order] * 2
""",
        safe=False,
    ),
    FixExample(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    array = x.numpy()
    area = np.trapezoid(array, np.linspace(0, 1, 4))
    return x * torch.as_tensor(area)
""",
        """\
import numpy as np
import torch


def _trapezoid(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    \"\"\"`np.trapezoid` by functions that `torch.compile` traces.\"\"\"
    y, x = np.asarray(y), np.asarray(x)
    return np.sum(np.diff(x) * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)


def f(x: torch.Tensor) -> torch.Tensor:
    array = x.numpy()
    area = _trapezoid(array, np.linspace(0, 1, 4))
    return x * torch.as_tensor(area)
""",
        safe=False,
    ),
)
