"""A `try` inside a compiled region does not catch the errors of operators.

Shapes that do not fit fail while Dynamo traces, and a factorization that does not exist fails when the finished graph
runs: in both cases the error leaves the compiled call, and the handler never runs. In eager mode it would. Exceptions
that Python code raises in the region (`raise`, a missing key or attribute) are caught as usual.

**Instead** test the conditions that can be tested (shapes, ranks); use the variant that returns an error code instead
of raising (`torch.linalg.cholesky_ex`, `torch.linalg.inv_ex`); or put the `try` outside of the region, around the
compiled call.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class UncaughtOperatorError(Rule):
    """GBL814."""

    code = "GBL814"
    name = "uncaught-operator-error"
    summary = "a `try` around an operator that may fail"
    category = Category.DIVERGENCE
    on = (On("divergence", ("operator-error",)),)
    message_template = (
        "under Dynamo, `{expression}` does not catch the error of an operator: the error leaves the compiled call"
    )
    help_template = "test first, use an operator that reports the failure, or catch outside of the region"
    DIVERGES = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    try:
        return torch.linalg.cholesky(x)
    except RuntimeError:  # diverges
        return torch.linalg.cholesky(x + torch.eye(2))
""",
            inputs="(torch.zeros(2, 2),)",
            raises=True,
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    root, info = torch.linalg.cholesky_ex(x.view(2, 2))
    return torch.where(info == 0, root, torch.eye(2))
""",
        ),
    )
