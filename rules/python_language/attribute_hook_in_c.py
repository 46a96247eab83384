"""A class whose attribute hook is a function written in C: `__getattr__ = dict.get`, `__setattr__ = dict.__setitem__`.

This is common in "attribute dict" classes. Dynamo can only trace hooks that are Python functions. The same holds for
`property(operator.attrgetter("name"))`, for `classmethod` around a builtin, for a metaclass with a `__getattribute__`,
and for calling a `__setitem__` on a plain dict.

**Instead** write the hook in Python: `def __getattr__(self, name): return self[name]`; or use a dataclass.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import UNSEEN, On, Rule


class AttributeHookInC(Rule):
    """GBL515."""

    code = "GBL515"
    name = "attribute-hook-in-c"
    summary = "`__getattr__ = dict.get` and similar hooks"
    gb_ids = ("GB0256", "GB0156", "GB0177", "GB5458", "GB0131")
    on = (On("operation", ("attribute-hook",)),)
    message_template = "`{expression}` calls an attribute hook implemented in C, which Dynamo cannot trace"
    help_template = "write the hook out in Python: `def __getattr__(self, name): return self[name]`"
    escape_hatches = UNSEEN
    BREAKS = (
        Example(
            """\
import torch


class Options(dict):
    __getattr__ = dict.get


options = Options(scale=2)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * options.scale  # breaks: GB0256
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


class Options(dict):
    def __getattr__(self, name: str) -> int:
        return self[name]


options = Options(scale=2)


def f(x: torch.Tensor) -> torch.Tensor:
    return x * options.scale
""",
        ),
    )
