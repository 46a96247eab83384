"""Text made of a tensor: `str(x)`, `repr(x)`, `"%s" % x`, a key built from a tensor.

The text shows values, and while Dynamo traces there are none. An f-string that is merely built (for an error message
that is never raised, say) is kept lazily and does not break; formatting `x.shape`, `x.dtype` or `x.device` is fine.

**Instead** put shapes and names into messages, not values; report values outside the compiled region.
"""

from __future__ import annotations

from gblint.rules.base import Example, On, Rule


class TensorToText(Rule):
    """GBL108."""

    code = "GBL108"
    name = "tensor-to-text"
    summary = "`str()`, `repr()` or formatting of a tensor"
    gb_ids = ("GB0059", "GB0569", "GB0208", "GB0088")
    on = (On("tensor-to-python", ("str", "repr", "format")),)
    said = "`{expression}` makes text of a tensor"
    advice = "put `x.shape` or a name into the text, or make it outside the region"
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
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    label = "mean %s" % y.mean()  # breaks: GB0208
    return y * len(label)
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    label = f"mean {y.mean()}"
    return y * len(label)  # breaks: GB0088
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
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    message = f"bad input {x}"
    if x.shape[0] > 100:
        raise ValueError(message)
    return x + 1
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    names = {f"layer.{index}": x * index for index in range(3)}
    return names["layer.1"] + len(str(x.shape)) + len("%d" % x.dim())
""",
        ),
    )
