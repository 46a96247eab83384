"""Dynamo traces NumPy by its counterpart `torch._numpy`; what is missing there ends the graph.

Missing are among others `np.interp`, `np.digitize`, `np.vectorize`, `np.polyfit`, `np.insert`, `np.delete`, all of
`np.nan*` but `nan_to_num`, methods of ufuncs (`np.add.reduce`), generators (`np.random.default_rng`), and of arrays
`dtype` and `tobytes`. `np.sqrt`, `np.clip`, `np.linspace`, `np.concatenate` and some 300 more are traced.

**Instead**

- functions of NumPy that are traced: `np.searchsorted` for `digitize`, `np.where(np.isnan(x), 0, x).sum()` for
  `np.nansum`, `np.sum(x, axis=0)` for `np.add.reduce(x)`; for `np.interp` a function of a few lines (see the fixes);
- torch itself: `torch.bucketize` for `digitize`, `torch.nanmean`, `torch.quantile`, `torch.searchsorted`;
- tables that do not depend on the input: compute them once, outside the region;
- wrap it as a custom operator: `torch.library.custom_op`, with `register_fake` for the shapes.

**Does not help**

- `x.numpy()` in another place, `np.asarray`: arrays are no obstacle; it is the function that is missing.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class NumpyCall(Rule):
    """GBL406."""

    code = "GBL406"
    name = "numpy-call"
    summary = "a NumPy function or method that Dynamo cannot trace"
    gb_ids = (
        "GB0294",
        "GB0290",
        "GB0157",
        "GB0158",
        "GB0033",
        "GB0293",
        "GB0159",
        "GB0300",
        "GB0055",
    )
    on = (On("call", ("numpy.*", "scipy.*")), On("skipped-function", ("scipy.*",)))
    message_template = "`{subject}` is not among the functions of NumPy that Dynamo traces"
    help_template = "use the torch operator, or a NumPy function that torch._numpy has"
    recipes = ("arrays.traced",)
    BREAKS = (
        Example(
            """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    rows = np.empty(2, dtype=object)  # breaks: GB0055
    return y * 2
""",
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
    )
    CLEAN = (
        Example(
            """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    kept = np.zeros(2, dtype=bool)
    return y + len(kept)
""",
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

TABLE = np.array([0.5, 1.0, 4.0, 2.0])


def f(x: torch.Tensor) -> torch.Tensor:
    sigmas = np.interp(x.numpy(), np.arange(0, len(TABLE)), TABLE)
    return torch.from_numpy(sigmas).to(x.dtype)

""",
            """\
import numpy as np
import torch


def _interp(x: np.ndarray, xp: np.ndarray, fp: np.ndarray) -> np.ndarray:
    \"\"\"`np.interp` by functions that `torch.compile` traces.\"\"\"
    x, xp, fp = (np.asarray(each, dtype=np.float64) for each in (x, xp, fp))
    left = np.clip(np.searchsorted(xp, x, side="right") - 1, 0, len(xp) - 2)
    slope = (fp[left + 1] - fp[left]) / (xp[left + 1] - xp[left])
    y = slope * (x - xp[left]) + fp[left]
    y = np.where(x >= xp[-1], fp[-1], y)
    return np.where(x <= xp[0], fp[0], y)


TABLE = np.array([0.5, 1.0, 4.0, 2.0])


def f(x: torch.Tensor) -> torch.Tensor:
    sigmas = _interp(x.numpy(), np.arange(0, len(TABLE)), TABLE)
    return torch.from_numpy(sigmas).to(x.dtype)

""",
            calls=(
                "(torch.linspace(-1, 5, 13),)",
                "(torch.tensor([[0.0, 1.0, 2.5], [3.0, float('nan'), float('inf')]]),)",
            ),
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
    return (np.asarray(element)[..., None] == np.ravel(np.asarray(test_elements))).any(axis=-1)


def f(x: torch.Tensor) -> torch.Tensor:
    known = _isin(x.numpy(), [1, 2])
    return torch.where(torch.from_numpy(known), x, -x)
""",
            calls=("(torch.tensor([0, 1, 2, 3, 1]),)",),
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
    return np.sum(np.diff(x) * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)


def f(x: torch.Tensor) -> torch.Tensor:
    array = x.numpy()
    area = _trapezoid(array, np.linspace(0, 1, 4))
    return x * torch.as_tensor(area)
""",
        ),
    )
