"""`torch._dynamo.config.suppress_errors = True` hides errors: code that cannot be compiled runs eagerly.

Errors of Dynamo and of the backend, including those of the category `compile-error`, fall back to eager code, with at
most a line in the log. A model may end up uncompiled without anyone noticing. (`fullgraph=True` raises all the same.)

**Instead** remove the setting, and fix the code that fails or mark it `torch.compiler.disable`.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class SuppressedErrors(Rule):
    """GBL903."""

    code = "GBL903"
    name = "suppressed-errors"
    summary = "`suppress_errors = True`"
    category = Category.CONFIG
    on = (On("config", ("suppress_errors",)),)
    message_template = "with `suppress_errors = True`, code that cannot be compiled runs eagerly and raises no error"
    help_template = "remove it, and disable single functions instead"
    ADVISES = (
        Example(
            """\
import torch

torch._dynamo.config.suppress_errors = True  # advises


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.as_tensor([x[0], x[1]])
""",
            instead="""\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.as_tensor([x[0], x[1]])
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch

torch._dynamo.config.suppress_errors = False


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.stack([x[0], x[1]])
""",
        ),
    )
