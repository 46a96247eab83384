"""Dynamo traces NumPy by its counterpart `torch._numpy`; what is missing there ends the graph.

Missing are among others `np.interp`, `np.digitize`, `np.vectorize`, `np.polyfit`, `np.insert`, `np.delete`, all of
`np.nan*` but `nan_to_num`, methods of ufuncs (`np.add.reduce`), generators (`np.random.default_rng`), and of arrays
`dtype` and `tobytes`. `np.sqrt`, `np.clip`, `np.linspace`, `np.concatenate` and some 300 more are traced.

**Instead**

- torch itself: `torch.bucketize` for `digitize`, `torch.nanmean`, `torch.quantile`, `torch.searchsorted`;
- tables that do not depend on the input: compute them once, outside the region;
- wrap it as a custom operator: `torch.library.custom_op`, with `register_fake` for the shapes.

**Does not help**

- `x.numpy()` in another place, `np.asarray`: arrays are no obstacle; it is the function that is missing.
"""

from __future__ import annotations

from gblint.rules.base import Example, On, Rule


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
    said = "`{subject}` is not among the functions of NumPy that Dynamo traces"
    advice = "use the torch operator, or a NumPy function that torch._numpy has"
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
