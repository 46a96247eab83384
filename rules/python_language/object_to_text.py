"""The text of an object, where Dynamo needs it and cannot make it.

Dynamo traces a `__str__` or `__repr__` that is written in Python, and supports those of numbers and strings and of
lists of them. It cannot run those of dates, generators, C extensions or lists of tensors.

The text of an object in an f-string or in `"...".format(obj)` is only made after the graph (`StringFormatVariable` in
`torch/_dynamo/variables/misc.py`). Such a string can be returned, raised or put into another f-string. Its length, its
methods, `+`, `in`, a comparison, and `"..." % obj` break.

**Instead** convert it outside the region (`DAY_NAME = str(DAY)`), or give the class a `__str__` in Python and call
`str(obj)`.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class ObjectToText(Rule):
    """GBL520."""

    code = "GBL520"
    name = "object-to-text"
    summary = "`str()`, `repr()` or an f-string of an object that is not written in Python"
    gb_ids = (
        *("GB0005", "GB0569", "GB2852", "GB0088", "GB0059", "GB6053"),
        *("GB0150", "GB0156", "GB3934", "GB4411", "GB4880", "GB9458", "GB9648"),
    )
    on = (
        On("call", ("builtins.str", "builtins.repr", "builtins.format")),
        On("operation", ("iterator", "container-text")),
    )
    message_template = "the text of `{expression}` is produced in C, which Dynamo cannot trace"
    help_template = "create the text outside the region, or give the class a `__str__` and call `str()`"
    wording = (
        (
            "container-text",
            "Dynamo cannot make the text of a container that holds tensors or objects: `{expression}`",
            "put the container into an f-string, or convert what it holds one by one",
        ),
        (
            "builtins.format",
            "`{expression}` needs the text of an object, which is only made after the graph",
            "create the text outside the region, or put strings and numbers into it instead of the object",
        ),
    )
    BREAKS = (
        Example(
            """\
import datetime

import torch

day = datetime.date(2026, 1, 1)


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    y = x + 1
    name = str(day)  # breaks: GB0005
    return y * 2, name
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import datetime

import torch

DAY = datetime.date(2026, 1, 1)
NAME = str(DAY)


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    return x * 2, f"{NAME} {DAY.year}"
""",
        ),
    )
