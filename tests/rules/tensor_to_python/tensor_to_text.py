"""More examples of GBL108, tensor-to-text."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
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
