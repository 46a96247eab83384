"""`os.environ["TORCHDYNAMO_..."] = ...` has no effect once `torch._dynamo` is imported.

The variables are read when torch/_dynamo/config.py is imported: by `import torch._dynamo`, and by the first
`torch.compile`, also as a decorator. (`TORCHDYNAMO_DISABLE` alone is read later.) `import torch` on its own does not
read them.

**Instead** set them earlier, preferably outside of the program; or assign to `torch._dynamo.config`.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class LateEnvironment(Rule):
    """GBL904."""

    code = "GBL904"
    name = "late-environment"
    summary = "an environment variable of Dynamo that is set too late"
    category = Category.CONFIG
    on = (On("config", ("late-environment",)),)
    message_template = "`{expression}` is set too late: it was read when `torch._dynamo` was imported, above"
    help_template = "assign to `torch._dynamo.config` instead"
    ADVISES = (
        Example(
            """\
import os

import torch
import torch._dynamo

os.environ["TORCHDYNAMO_CAPTURE_SCALAR_OUTPUTS"] = "1"  # advises


def f(x: torch.Tensor) -> torch.Tensor:
    return x * x.sum().item()  # breaks: GB0124
""",
            instead="""\
import torch
import torch._dynamo

torch._dynamo.config.capture_scalar_outputs = True


def f(x: torch.Tensor) -> torch.Tensor:
    return x * x.sum().item()
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import os

os.environ["TORCHDYNAMO_VERBOSE"] = "1"

import torch
import torch._dynamo


def f(x: torch.Tensor) -> torch.Tensor:
    return x + 1
""",
        ),
    )
