"""`@torch.compile` above `@classmethod` raises as soon as the class is defined.

A `classmethod` object is not callable, and `torch.compile` asserts that its argument is. (`@torch.compile` above
`@staticmethod` works; older versions break the graph at each call.)

**Instead** put `@classmethod` first, above `@torch.compile`.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class CompiledClassmethod(Rule):
    """GBL832."""

    code = "GBL832"
    name = "compiled-classmethod"
    summary = "`@torch.compile` over `@classmethod`"
    category = Category.CONFIG
    on = (On("config", ("classmethod",)),)
    message_template = "`torch.compile` cannot compile a `classmethod` object: the class statement raises an error"
    help_template = "put `@classmethod` above `@torch.compile`"
    ADVISES = (
        Example(
            """\
import torch


class Model:
    @torch.compile
    @classmethod
    def scale(cls, x: torch.Tensor) -> torch.Tensor:  # advises
        return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return Model.scale(x)
""",
            raises=True,
            instead="""\
import torch


class Model:
    @classmethod
    @torch.compile
    def scale(cls, x: torch.Tensor) -> torch.Tensor:
        return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return Model.scale(x)
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


class Model:
    @classmethod
    @torch.compile
    def scale(cls, x: torch.Tensor) -> torch.Tensor:
        return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return Model.scale(x)
""",
        ),
    )
