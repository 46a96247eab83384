"""`getattr`, `setattr` or `namedtuple` with a name that is made of a tensor's value.

The name is text that Dynamo keeps unread (`f"layer_{index}"` with a tensor in it), so that it cannot look the
attribute up. Names made of Python numbers and strings are fine.

**Instead** index a `ModuleList`, a list or a stacked tensor; branch with `torch.where` or `torch.cond`; or take the
number out before the region.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class ComputedAttributeName(Rule):
    """GBL518."""

    code = "GBL518"
    name = "computed-attribute-name"
    summary = "an attribute whose name is made of a tensor"
    gb_ids = ("GB0190", "GB0254", "GB0201")
    on = (On("operation", ("getattr-name", "setattr-name", "namedtuple")),)
    message_template = "the name in `{expression}` depends on a tensor"
    help_template = (
        "use an index into a stacked tensor, `torch.where` or `torch.cond`, or make the name outside the region"
    )
    BREAKS = (
        Example(
            """\
import torch


class Scales:
    scale_0 = 2


scales = Scales()


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * getattr(scales, f"scale_{y.argmax()}", 1)  # breaks: GB0190
""",
        ),
        Example(
            """\
import torch


class Record:
    pass


def f(x: torch.Tensor, record: Record) -> torch.Tensor:
    y = x + 1
    setattr(record, f"seen_{y.argmax()}", True)  # breaks: GB0254
    return y * 2
""",
            "(torch.randn(4), Record())",
        ),
        Example(
            """\
from collections import namedtuple

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    Pair = namedtuple("Pair", ["first", "second"], defaults=[y])  # breaks: GB0201
    return Pair(y).second
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


class Scales:
    scale_1 = 2


scales = Scales()


def f(x: torch.Tensor) -> torch.Tensor:
    for index in range(3):
        x = x * getattr(scales, f"scale_{index}", 1)
    return x * getattr(scales, f"scale_{x.dim()}", 1)
""",
        ),
        Example(
            """\
import torch


class Record:
    pass


def f(x: torch.Tensor, record: Record) -> torch.Tensor:
    for index in range(3):
        setattr(record, f"seen_{index}", x + index)
    return x * 2
""",
            "(torch.randn(4), Record())",
        ),
        Example(
            """\
from collections import namedtuple

import torch


def f(x: torch.Tensor) -> torch.Tensor:
    Pair = namedtuple("Pair", ["first", "second"], defaults=[2])
    return Pair(x).first * Pair(x).second
""",
        ),
        Example(
            """\
import torch


scales = torch.tensor([2.0, 1.0, 1.0, 1.0])


def f(x: torch.Tensor) -> torch.Tensor:
    return x * scales.gather(0, x.argmax(keepdim=True))
""",
        ),
    )
