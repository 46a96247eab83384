"""`obj.__dict__` is replaced by a dict whose keys are not all constant strings.

Dynamo finds out when it next reads an attribute of the object. `obj.__dict__.update(...)` and a new dict with plain
names for keys are traced.

**Instead** keep values that are not attributes in a separate dict (`self.table = {...}`).
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class InstanceDict(Rule):
    """GBL526."""

    code = "GBL526"
    name = "instance-dict"
    summary = "`obj.__dict__ = {...}` with keys that are not constant strings"
    gb_ids = ("GB7637", "GB5849")
    on = (On("operation", ("instance-dict",)),)
    message_template = "`{expression}` reads an object whose `__dict__` has keys that are not constant strings"
    help_template = "keep such entries in a separate dict"
    BREAKS = (
        Example(
            """\
import torch


class Record:
    pass


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    record = Record()
    record.__dict__ = {"scale": 2, 1: 3}
    return y * record.scale  # breaks: GB7637
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


class Record:
    pass


def f(x: torch.Tensor) -> torch.Tensor:
    record = Record()
    record.__dict__ = {"scale": 2}
    return x * record.scale
""",
        ),
    )
