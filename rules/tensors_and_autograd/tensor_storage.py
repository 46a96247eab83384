"""While Dynamo traces, a tensor has no storage: it cannot be resized or replaced, and has no address.

**Instead**

- make a new tensor of the right size, and copy into it;
- to test whether two names are the same tensor, use `is`.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import OUTSIDE, On, Rule


class TensorStorage(Rule):
    """GBL607."""

    code = "GBL607"
    name = "tensor-storage"
    summary = "the storage of a tensor: resizing, replacing, addressing"
    gb_ids = (
        "GB0055",
        "GB0126",
        "GB0127",
        "GB0128",
        "GB0208",
        "GB0156",
        "GB5976",
        "GB0117",
    )
    on = (
        On(
            "tensor-method",
            (
                "resize_",
                "resize_as_",
                "set_",
                "storage*",
                "untyped_storage*",
                "data_ptr",
                "share_memory_",
                "is_pinned",
                "is_shared",
                "sparse_resize*",
            ),
        ),
        On("call", ("torch.UntypedStorage.*",)),
    )
    message_template = "`{expression}` accesses the storage of a tensor"
    help_template = "use `reshape`, `clone` or `torch.empty`; compare tensors with `is`"
    wording = (
        (
            "torch.UntypedStorage.nbytes",
            "`{expression}` asks the storage of a tensor for its size in bytes",
            "use `x.untyped_storage().size()`, or `x.nbytes` for the bytes of the tensor itself",
        ),
    )
    escape_hatches = OUTSIDE
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y.resize_(2)  # breaks: GB0126
    return y + 1
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.new_empty(2).copy_(x[:2])
    if y is x:
        return x
    return y.reshape(1, 2) + x.stride(0) + x.is_contiguous() + x.element_size()
""",
        ),
    )
