"""Text made of a tensor: `str(x)`, `repr(x)`, `"%s" % x`, a key built from a tensor.

The text shows values, and while Dynamo traces there are none. An f-string that is merely built (for an error message
that is never raised, say) is kept lazily and does not break; formatting `x.shape`, `x.dtype` or `x.device` is fine.

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
    message_template = "`{expression}` makes text of a tensor"
    help_template = "put `x.shape` or a name into the text, or make it outside the region"
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
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    label = f"mean {y.mean()}"
    if "nan" in label:  # breaks: GB4411
        y = y * 2
    return y
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    y = x + 1
    label = f"mean {y.mean()}"
    return y, label + "!"  # breaks: GB3934
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    y = x + 1
    label = f"mean {y.mean()}"
    return y, label[0]  # breaks: GB4880
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    y = x + 1
    label = f"{y.mean()} "
    return y, label * 2  # breaks: GB9458
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    y = x + 1
    label = f"mean {y.mean()}"
    return y, f"[{label!r}]"  # breaks: GB6053
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
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    y = x + 1
    label = f"shape {tuple(y.shape)}" + "!"
    return (y * 2 if "4" in label else y), label[0] * 2
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    label = f"mean {x.mean()}"
    shown = f"[{label}] of {x.dtype!r}"
    return x + 1, shown
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, dict[str, int]]:
    label = f"mean {x.mean()}"
    return x + 1, {label: 1}
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, str]:
    return x + 1, "mean {}".format(x.mean())
""",
        ),
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    label = f"mean {x.mean()}"
    return x + 1 if isinstance(label, str) else x
""",
        ),
    )
