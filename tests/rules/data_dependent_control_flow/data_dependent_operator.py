"""More examples of GBL210, data-dependent-operator."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    covariance = torch.cov(y)  # breaks: GB0033
    return covariance + torch.corrcoef(y)  # breaks: GB0033
""",
        "(torch.randn(3, 4),)",
    ),
    Example(
        """\
import torch
import torch.nn.functional as F


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return F.gaussian_nll_loss(x, y, y.abs())  # breaks: GB0033
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    first, second = torch.tensor_split(x, [2])
    return first + second
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.histc(x) + torch.quantile(x, 0.5) + x.median() + torch.bucketize(x, x).sum() + x.std()
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    first, second = torch.tensor_split(x, [2])
    return (first == second).all() & torch.isclose(x, x).all()
""",
    ),
)
FIXES = (
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    assert torch.allclose(y, x + x)
    assert not torch.allclose(y, y + 1, atol=1e-3), "equal"
    assert torch.allclose(y, x + x, equal_nan=True), f"not {x}"
    return y
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    assert torch.isclose(y, x + x).all()
    assert ~torch.isclose(y, y + 1, atol=1e-3).all(), "equal"
    if torch.compiler.is_compiling():
        torch._assert_async(torch.isclose(y, x + x, equal_nan=True).all(), "not ...")
    else:
        assert torch.allclose(y, x + x, equal_nan=True), f"not {x}"
    return y
""",
        calls=(
            "(torch.randn(3, requires_grad=True),)",
            "(torch.tensor([1, 2]),)",
            "(torch.tensor([torch.nan]),)",
            "(torch.tensor([]),)",
        ),
        safe=False,
        choice="split-assert",
    ),
    FixExample(
        """\
import torch


def f(y: torch.Tensor) -> torch.Tensor:
    if not torch.equal(y, y**2):
        raise ValueError("not binary")
    return y * 2
""",
        """\
import torch


def f(y: torch.Tensor) -> torch.Tensor:
    if torch.compiler.is_compiling():
        torch._assert_async((y == y**2).all(), "not binary")
    elif not torch.equal(y, y**2):
        raise ValueError("not binary")
    return y * 2
""",
        calls=(
            "(torch.tensor([0, 1, 1]),)",
            "(torch.ones(2, requires_grad=True),)",
        ),
        safe=False,
    ),
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if not torch.equal(x, x):
        raise RuntimeError("NaNs encountered")
    return x * 2
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if torch.compiler.is_compiling():
        torch._assert_async((x == x).all(), "NaNs encountered")
    elif not torch.equal(x, x):
        raise RuntimeError("NaNs encountered")
    return x * 2
""",
        calls=(
            "(torch.ones(4),)",
            "(torch.full((4,), torch.nan),)",
        ),
        choice="assert-in-graph",
        safe=False,
    ),
    FixExample(
        """\
import numpy as np
import torch


def order(count: int, *, first: int = 0) -> np.ndarray:
    numbers = np.zeros(count, dtype=np.int64)
    numbers += first + np.random.choice(count, size=count, replace=False)
    return numbers


def f(x: torch.Tensor) -> torch.Tensor:
    return x[torch.as_tensor(order(x.size(0), first=0), device=x.device)]
""",
        """\
import numpy as np
import torch


def order(count: int, *, first: int = 0) -> np.ndarray:
    numbers = np.zeros(count, dtype=np.int64)
    numbers += first + np.random.choice(count, size=count, replace=False)
    return numbers


@torch.library.custom_op(
    "example::order", mutates_args=(), tags=(torch.Tag.nondeterministic_seeded,)
)
def order_op(count: int, *, first: int = 0) -> torch.Tensor:
    return torch.as_tensor(order(count, first=first))


@order_op.register_fake
def order_fake(count: int, *, first: int = 0) -> torch.Tensor:
    return torch.empty(count, dtype=torch.int64)


def f(x: torch.Tensor) -> torch.Tensor:
    return x[torch.as_tensor(order_op(x.size(0), first=0), device=x.device)]
""",
        calls=("(torch.rand(4),)", "(torch.rand(5, 2, requires_grad=True),)"),
        safe=False,
        choice="call-as-operator",
    ),
    FixExample(
        """\
import torch


def distances(a: torch.Tensor, b: torch.Tensor, same: bool) -> torch.Tensor:
    shift = a.mean(0)
    a = a - shift
    if same and not a.requires_grad:
        b, lengths = a, a.square().sum(-1)
    else:
        # the lengths are those of what was shifted
        b = b - shift
        lengths = b.square().sum(-1)
    found = lengths - 2 * a @ b.mT
    if same and not a.requires_grad:
        found.diagonal().fill_(0)
    return found


def f(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    same = torch.equal(a, b)
    return distances(a, b, same)
""",
        """\
import torch


def distances(a: torch.Tensor, b: torch.Tensor, same: bool) -> torch.Tensor:
    shift = a.mean(0)
    a = a - shift
    if not a.requires_grad and isinstance(same, torch.Tensor):
        condition = same
        b = torch.where(condition, a, b - shift)
        lengths = torch.where(condition, a.square().sum(-1), b.square().sum(-1))
    elif not a.requires_grad and not isinstance(same, torch.Tensor) and same:
        b, lengths = a, a.square().sum(-1)
    else:
        # the lengths are those of what was shifted
        b = b - shift
        lengths = b.square().sum(-1)
    found = lengths - 2 * a @ b.mT
    if not a.requires_grad and isinstance(same, torch.Tensor):
        found.diagonal().copy_(torch.where(same, 0, found.diagonal()))
    elif not a.requires_grad and not isinstance(same, torch.Tensor) and same:
        found.diagonal().fill_(0)
    return found


def f(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    same = a.shape == b.shape and (a == b).all()
    return distances(a, b, same)
""",
        calls=(
            "(torch.ones(3, 2), torch.ones(3, 2))",
            "(torch.randn(3, 2), torch.randn(3, 2))",
            "(torch.randn(3, 2), torch.randn(4, 2))",
        ),
        safe=False,
        choice="compare-in-graph",
    ),
)
