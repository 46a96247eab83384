"""Setting something that `torch._dynamo.config` does not have raises AttributeError.

Settings differ between versions of torch, and a name may be misspelt. The config module rejects unknown names, in
assignments and in `patch`. gblint looks names up in the list of the torch version that it lints for.

**Instead** use the current name of the setting (`gblint explain` and torch/_dynamo/config.py list them), or guard the
line with `hasattr(torch._dynamo.config, "name")`.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Severity
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class UnknownSetting(Rule):
    """GBL902."""

    code = "GBL902"
    name = "unknown-setting"
    summary = "a setting of `torch._dynamo.config` that does not exist"
    category = Category.CONFIG
    severity = Severity.ERROR
    on = (On("config", ("unknown-setting",)),)
    message_template = (
        "`torch._dynamo.config` has no setting `{expression}` in this version of torch: the line raises an error"
    )
    help_template = "use the current name of the setting, or remove the line"
    ADVISES = (
        Example(
            """\
import torch

torch._dynamo.config.capture_scalar_output = True  # advises


def f(x: torch.Tensor) -> torch.Tensor:
    return x * x.sum().item()
""",
            raises=True,
            instead="""\
import torch

torch._dynamo.config.capture_scalar_outputs = True


def f(x: torch.Tensor) -> torch.Tensor:
    return x * x.sum().item()
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch
import torch._dynamo.config as settings

settings.recompile_limit = 32
settings.cache_size_limit = 64
torch._dynamo.config.verbose = False


def f(x: torch.Tensor) -> torch.Tensor:
    return x + 1
""",
        ),
    )
