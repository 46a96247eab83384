"""A `class` statement in the region cannot be traced.

By default Dynamo does not trace the construction of a class.

**Instead**

- define the class outside the region: creating instances inside it is traced;
- `collections.namedtuple(...)`, a dict, or a closure in place of a small class;
- `torch._dynamo.config.enable_trace_load_build_class = True`, off by default.

**Does not help**

- moving it into a function that the region calls: that is traced as well, and breaks there.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import UNSEEN, On, Rule


class ClassDefinition(Rule):
    """GBL505."""

    code = "GBL505"
    name = "class-definition"
    summary = "a class statement in the region"
    gb_ids = ("GB8977",)
    on = (On("construct", ("class",)),)
    message_template = "class `{expression}` is defined in the compiled region"
    help_template = "define the class at module level"
    escape_hatches = UNSEEN
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1

    class Settings:  # breaks: GB8977
        scale = 2

    return y * Settings.scale
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


class Settings:
    scale = 2


def f(x: torch.Tensor) -> torch.Tensor:
    def double(t: torch.Tensor) -> torch.Tensor:
        return t * 2

    settings = Settings()
    settings.scale = 3
    return double(x) * settings.scale
""",
        ),
    )
