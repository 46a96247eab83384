"""An `assert` on a tensor breaks when its condition is negated or its message is computed.

Dynamo turns `assert condition, "constant"` into an assertion in the graph. But `assert not x.isnan().any()` first
asks for the truth of the tensor (`not`), and an f-string message would have to be built from run-time values.

**Instead** assert the positive (`assert (~x.isnan()).all()`, `assert x.isfinite().all(), "not finite"`), or use
`torch._assert_async(condition)`.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class AssertOnTensor(Rule):
    """GBL209."""

    code = "GBL209"
    name = "assert-on-tensor"
    summary = "an `assert` on a tensor that cannot become part of the graph"
    gb_ids = ("GB0170", "GB0124")
    on = (On("data-dependent-branch", ("assert",)), On("data-dependent-branch", ("*",), frozenset({"assert"})))
    message_template = "`assert {expression}` cannot become part of the graph"
    help_template = "assert the positive condition with a constant message, or use `torch._assert_async`"
    recipes = ("checks.split_assert",)
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    assert not y.isnan().any(), "not a number"  # breaks: GB0170
    return y * 2
""",
        ),
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
    y = x.abs() + 1
    assert y.sum() > 0
    assert (y > 0).all(), "must be positive"
    assert y.dim() == 1 and y.sum() > 0
    return y * 2
""",
        ),
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
    n = x.shape[0]
    assert not (x > 100).any(), "too big"  # said once
    assert (x > -100).all() and n > 2
    return x + n
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    n = x.shape[0]
    assert ~(x > 100).any(), "too big"  # said once
    assert (x > -100).all()
    assert n > 2
    return x + n
""",
            calls=(
                "(torch.randn(4),)",
                "(torch.full((4,), 200.0),)",
                "(torch.full((4,), -200.0),)",
                "(torch.randn(2),)",
            ),
        ),
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
    assert x.min() > 0, "not positive: {x}"
    return x.log()
""",
            calls=("(torch.ones(4, requires_grad=True),)", "(torch.zeros(4),)"),
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
    assert diff.all() | (~diff).all(), "{} must be strictly increasing or decreasing"
    assert (t != 0).all(), "zero in %s"
    return t * 2
""",
            calls=(
                '(torch.tensor([1, 2]), "t")',
                '(torch.tensor([2, 1]), "t")',
                '(torch.tensor([2, 1, 3]), "t")',
            ),
        ),
    )
