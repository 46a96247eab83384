"""More examples of GBL607, tensor-storage."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y = y + y.storage_offset()  # breaks: GB0208
    if y.is_pinned():  # breaks: GB0208
        y = y + 1
    y.share_memory_()  # breaks: GB0117
    return y + 1
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if y.data_ptr() == x.data_ptr():  # breaks: GB5976
        return x
    return y
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    z = torch.empty(0)
    z.resize_as_(y)  # breaks: GB0127
    z.copy_(y)
    return z * 2
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    half = torch.empty(0)
    half.set_(y, 0, (2,), (1,))  # breaks: GB0128
    return half * 2
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.add(x, x.data_ptr())  # breaks: GB0055
    return y + x.data_ptr()  # breaks: GB0055
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * x.untyped_storage().nbytes()  # breaks: GB0156
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.view(-1)
    return x + 1 if x.untyped_storage() is y.untyped_storage() else x  # breaks: GB0059
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.view(-1)
    return x + 1 if x.untyped_storage() == y.untyped_storage() else x  # breaks: GB9648
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


class Shelf:
    def storage(self) -> int:
        return 2


def f(x: torch.Tensor) -> torch.Tensor:
    return x * Shelf().storage()
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    z = torch.empty_like(y)
    z.copy_(y)
    return z[:2] * y.as_strided((2,), (1,), 0)
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x
    return x.new_zeros(8) if y is x else x
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x + x.untyped_storage().size() + x.element_size()
""",
    ),
)
