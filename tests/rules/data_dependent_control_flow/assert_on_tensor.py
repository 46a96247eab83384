"""More examples of GBL209, assert-on-tensor."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    assert (y > -100).all(), f"must be positive: {y.shape}"  # breaks: GB0170
    return y * 2
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    assert x.shape[0] > 1, f"bad shape {x.shape}"
    assert isinstance(x, torch.Tensor) and x is not None
    return x * 2
""",
    ),
)
FIXES = (
    FixExample(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    assert x.min() > 0, f"not positive: {x}"
    return x.log()
""",
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if torch.compiler.is_compiling():
        torch._assert_async(x.min() > 0, "not positive: ...")
    else:
        assert x.min() > 0, f"not positive: {x}"
    return x.log()
""",
        calls=("(torch.ones(4, requires_grad=True),)", "(torch.zeros(4),)"),
        safe=False,
    ),
    FixExample(
        """\
import torch


def f(t: torch.Tensor, name: str) -> torch.Tensor:
    diff = t[1:] > t[:-1]
    assert diff.all() or (~diff).all(), "{} must be strictly increasing or decreasing".format(name)
    assert (t != 0).all(), "zero in %s" % name
    return t * 2
""",
        """\
import torch


def f(t: torch.Tensor, name: str) -> torch.Tensor:
    diff = t[1:] > t[:-1]
    if torch.compiler.is_compiling():
        torch._assert_async(
            diff.all() | (~diff).all(), "... must be strictly increasing or decreasing"
        )
    else:
        assert diff.all() or (~diff).all(), "{} must be strictly increasing or decreasing".format(name)
    if torch.compiler.is_compiling():
        torch._assert_async((t != 0).all(), "zero in ...")
    else:
        assert (t != 0).all(), "zero in %s" % name
    return t * 2
""",
        calls=(
            '(torch.tensor([1, 2]), "t")',
            '(torch.tensor([2, 1]), "t")',
            '(torch.tensor([2, 1, 3]), "t")',
        ),
        safe=False,
    ),
)
