"""An import in the region of an entry of `sys.modules` that is not a module.

Some projects put an object of their own class there to make attributes lazy.

**Instead** import it at the top of the file; or derive its class from `types.ModuleType`.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class ImportOfObject(Rule):
    """GBL527."""

    code = "GBL527"
    name = "import-of-object"
    summary = "importing an object that stands in for a module"
    gb_ids = ("GB0022",)
    on = (On("construct", ("import-object",)),)
    message_template = "`{expression}` imports an object that is not a module"
    help_template = "import it at the top of the file"
    BREAKS = (
        Example(
            """\
import sys

import torch


class Settings:
    scale = 2


sys.modules["lazy_settings"] = Settings()


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    import lazy_settings  # breaks: GB0022

    return y * 2
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import sys

import torch


class Settings:
    scale = 2


sys.modules["lazy_settings"] = Settings()
import lazy_settings


def f(x: torch.Tensor) -> torch.Tensor:
    return x * lazy_settings.scale
""",
        ),
    )
