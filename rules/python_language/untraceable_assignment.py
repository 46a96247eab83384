"""Assigning to an attribute of a function, or to `__class__`, breaks the graph.

Changes to globals, lists, dicts and objects are traced, and replayed after the graph.

**Instead** keep the state in an attribute of a module or an object, or in a global.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class UntraceableAssignment(Rule):
    """GBL510."""

    code = "GBL510"
    name = "untraceable-assignment"
    summary = "assigning to something that Dynamo cannot replay"
    gb_ids = ("GB0467", "GB4271", "GB6622")
    on = (On("construct", ("class-assign", "class-attribute", "function-attribute")),)
    message_template = "Dynamo cannot replay `{expression}`"
    help_template = "keep the state in a module, an object of your own, or a global"
    BREAKS = (
        Example(
            """\
import torch


def double(x: torch.Tensor) -> torch.Tensor:
    double.calls += 1  # breaks: GB0467
    return x * 2


double.calls = 0


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return double(y)
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


class Settings:
    scale = 2


calls = 0
seen: list[int] = []


def f(x: torch.Tensor) -> torch.Tensor:
    global calls
    calls += 1
    seen.append(calls)
    Settings.scale = 3
    settings = Settings()
    settings.extra = 1
    return x * Settings.scale + settings.extra + len(seen)
""",
        ),
    )
