"""More examples of GBL109, numpy-scalar."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    array = (x * 2).numpy()
    x = x + array[0].item()  # breaks: GB0033
    return x * int(np.argmax(x.numpy()))  # breaks: GB0033
""",
    ),
    Example(
        """\
import numpy as np
import torch

TABLE = np.linspace(0.0, 1.0, 4)


def f(x: torch.Tensor) -> torch.Tensor:
    return x * float(TABLE[1])  # breaks: GB0033
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> list[float]:
    array = (x * 2).numpy()
    return array.tolist()  # breaks: GB0109
""",
    ),
    Example(
        """\
import numpy as np
import torch

EPS = np.float32(1e-5)


def f(x: torch.Tensor) -> torch.Tensor:
    return x / float(EPS)  # breaks: GB0033
""",
    ),
)
CLEAN = (
    Example(
        """\
import numpy as np
import torch

COUNT, HALF = np.int64(2), np.array(0.5)


def f(x: torch.Tensor) -> torch.Tensor:
    return x * COUNT.item() * float(HALF)
""",
    ),
    Example(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * np.pi * np.sqrt(2.0) * np.float32(3.0)
""",
    ),
    Example(
        """\
import numpy as np
import torch

TABLE = np.linspace(0.0, 1.0, 4)


def f(x: torch.Tensor) -> torch.Tensor:
    return x * TABLE[1] + torch.from_numpy(TABLE)
""",
    ),
    Example(
        """\
import math

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x.reshape(math.prod(x.shape))
""",
        "(torch.randn(2, 2),)",
    ),
)
FIXES = (
    FixExample(
        """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y.reshape(-1) * int(np.prod(x.shape))
""",
        """\
import math

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y.reshape(-1) * int(math.prod(x.shape))
""",
        calls=("(torch.ones(4),)", "(torch.randn(5, 2, requires_grad=True),)", "(torch.tensor(2.0),)"),
    ),
    FixExample(
        """\
import numpy as np
import torch


def spans(shape: tuple[int, int], part: float, padding: torch.Tensor | None = None) -> np.ndarray:
    rows, columns = shape
    extra = np.random.rand(1).item()
    lengths = [columns] * rows if padding is None else padding.sum(-1).tolist()
    mask = np.zeros((rows, columns), dtype=bool)
    for row, length in enumerate(lengths):
        count = max(int(part * length + extra), 1)
        mask[row, np.random.choice(np.arange(length), count, replace=False)] = True
    return mask


def f(x: torch.Tensor, padding: torch.Tensor | None) -> torch.Tensor:
    hidden = x * 2
    mask = spans((x.shape[0], x.shape[1]), 0.5, padding)
    mask = torch.tensor(mask, device=x.device, dtype=torch.bool)
    columns = torch.tensor(spans((2, x.shape[1]), part=0.2), dtype=torch.long)
    return hidden.masked_fill(mask, 0) * columns.sum()
""",
        """\
import numpy as np
import torch


def spans(shape: tuple[int, int], part: float, padding: torch.Tensor | None = None) -> np.ndarray:
    rows, columns = shape
    extra = np.random.rand(1).item()
    lengths = [columns] * rows if padding is None else padding.sum(-1).tolist()
    mask = np.zeros((rows, columns), dtype=bool)
    for row, length in enumerate(lengths):
        count = max(int(part * length + extra), 1)
        mask[row, np.random.choice(np.arange(length), count, replace=False)] = True
    return mask


@torch.library.custom_op(
    "example::spans", mutates_args=(), tags=(torch.Tag.nondeterministic_seeded,)
)
def spans_op(shape: list[int], part: float, padding: torch.Tensor | None = None) -> torch.Tensor:
    return torch.as_tensor(spans(tuple(shape), part, padding))


@spans_op.register_fake
def spans_fake(
    shape: list[int], part: float, padding: torch.Tensor | None = None
) -> torch.Tensor:
    rows, columns = shape
    return torch.empty((rows, columns), dtype=torch.bool)


def f(x: torch.Tensor, padding: torch.Tensor | None) -> torch.Tensor:
    hidden = x * 2
    mask = spans_op((x.shape[0], x.shape[1]), 0.5, padding)
    mask = torch.as_tensor(mask, device=x.device, dtype=torch.bool)
    columns = torch.as_tensor(spans_op((2, x.shape[1]), part=0.2), dtype=torch.long)
    return hidden.masked_fill(mask, 0) * columns.sum()
""",
        calls=(
            "(torch.rand(3, 6, requires_grad=True), None)",
            "(torch.rand(2, 5), torch.tensor([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]]))",
        ),
        safe=False,
        choice="call-as-operator",
    ),
)
