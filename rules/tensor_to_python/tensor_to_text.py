"""Text made from a tensor: `str(x)`, `repr(x)`, `"%s" % x`, a key built from a tensor.

The text shows values, which do not exist while Dynamo traces. An f-string that is built but not read (for example an
error message that is never raised) is evaluated lazily and does not break; formatting `x.shape`, `x.dtype` or
`x.device` works.

**Instead** put shapes and names into messages, not values; report values outside the compiled region.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class TensorToText(Rule):
    """GBL108."""

    code = "GBL108"
    name = "tensor-to-text"
    summary = "`str()`, `repr()` or formatting of a tensor"
    gb_ids = ("GB0059", "GB0569", "GB0208", "GB0088", "GB4880", "GB4411", "GB3934", "GB9458", "GB6053", "GB9648")
    on = (On("tensor-to-python", ("str", "repr", "format")),)
    message_template = "`{expression}` converts a tensor to text"
    number_template = "`{expression}` converts a number that is captured as a symbol to text"
    help_template = "put `x.shape` or a name into the text, or create the text outside the region"
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, str, str]:
    y = x + 1
    text = str(y)  # breaks: GB0059
    y = y * 2
    shown = repr(y)  # breaks: GB0569
    return y, text, shown
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    label = f"{x.shape} {x.dtype} {x.device}"
    return x * len(label)
""",
        ),
    )
