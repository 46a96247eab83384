"""An `assert` on a tensor breaks when its condition is negated or its message is computed.

Dynamo turns `assert condition, "constant"` into an assertion in the graph. But `assert not x.isnan().any()` first needs
the truth value of the tensor (for `not`), and an f-string message would have to be built from run-time values.

**Instead** assert the condition without `not` (`assert (~x.isnan()).all()`, `assert x.isfinite().all(), "not finite"`),
or use `torch._assert_async(condition)`.
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
            safe=False,
        ),
    )
