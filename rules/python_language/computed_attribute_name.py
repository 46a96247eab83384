"""`getattr`, `setattr` or `namedtuple` with a name that depends on the value of a tensor.

Dynamo does not know the text of the name (`f"layer_{index}"` with a tensor), so it cannot look up the attribute. Names
computed from Python numbers and strings work.

**Instead** index a `ModuleList`, a list or a stacked tensor; branch with `torch.where` or `torch.cond`; or read the
number before the region.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class ComputedAttributeName(Rule):
    """GBL518."""

    code = "GBL518"
    name = "computed-attribute-name"
    summary = "an attribute whose name is computed from a tensor"
    gb_ids = ("GB0190", "GB0254", "GB0201")
    on = (On("operation", ("getattr-name", "setattr-name", "namedtuple")),)
    message_template = "the name in `{expression}` depends on a tensor or object"
    help_template = (
        "use an index into a stacked tensor, `torch.where` or `torch.cond`, or compute the name outside the region"
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
    )
