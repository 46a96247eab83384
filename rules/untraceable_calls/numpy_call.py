"""Dynamo traces NumPy with its counterpart `torch._numpy`; a function that is missing there ends the graph.

Examples are `np.interp`, `np.digitize`, `np.vectorize`, `np.polyfit`, `np.insert`, `np.delete`, all of `np.nan*` except
`nan_to_num`, methods of ufuncs (`np.add.reduce`), generators (`np.random.default_rng`), the members `dtype` and
`tobytes` of arrays, and each function that gets an image or a dataframe (`np.array(image)`). `np.sqrt`, `np.clip`,
`np.linspace`, `np.concatenate` and some 300 more are traced.

**Instead**

- NumPy functions that are traced: `np.searchsorted` for `digitize`, `np.where(np.isnan(x), 0, x).sum()` for
  `np.nansum`, `np.sum(x, axis=0)` for `np.add.reduce(x)`; for `np.interp` a function of a few lines (see the fixes);
- torch itself: `torch.bucketize` for `digitize`, `torch.nanmean`, `torch.quantile`, `torch.searchsorted`;
- tables that do not depend on the input: compute them once, outside the region;
- wrap it as a custom operator: `torch.library.custom_op`, with `register_fake` for the shapes.

**Does not help**

- `x.numpy()` in another place, `np.asarray`: arrays are supported; the function is missing.
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
        "GB0087",
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
    message_template = "Dynamo cannot trace the NumPy call `{subject}`"
    help_template = "use the torch operator, or a NumPy function that torch._numpy has"
    wording = (
        (
            "*(object)",
            "`{expression}` hands an object to NumPy, which Dynamo cannot put into a graph",
            "convert the object before, and pass the array or tensor to the compiled function",
        ),
    )
    recipes = ("arrays.use_traced_function",)
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
from PIL import Image

image = Image.new("L", (4, 4))


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    pixels = np.array(image)  # breaks: GB0055
    return y + pixels.mean()
""",
            needs=("PIL",),
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
from PIL import Image

pixels = np.array(Image.new("L", (4, 4)), dtype=np.float32)


def f(x: torch.Tensor) -> torch.Tensor:
    return x + pixels.mean()
""",
            needs=("PIL",),
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
            safe=False,
        ),
    )
