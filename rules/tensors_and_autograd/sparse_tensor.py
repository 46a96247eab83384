"""A sparse tensor cannot enter a graph, and cannot be created in one.

An argument, a buffer or a global variable in a sparse layout breaks where the compiled code first uses it, and the
whole function runs eagerly from there. `to_sparse()`, `torch.sparse_coo_tensor` and `torch.sparse_csr_tensor` break in
the region, and so does the next use of what they return. `torch.export` does take sparse tensors.

**Instead** use dense tensors in the region, or operators on indices and values (`index_add`, `scatter_add`,
`segment_reduce`, `torch.nn.functional.embedding_bag`); keep sparse code in a separate function outside the region, or
behind a `torch.library.custom_op` that takes indices and values.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import OUTSIDE, On, Rule


class SparseTensor(Rule):
    """GBL643."""

    code = "GBL643"
    name = "sparse-tensor"
    summary = "a sparse tensor in the region"
    gb_ids = ("GB0015", "GB0277", "GB0374", "GB0129", "GB0130")
    on = (
        On("tensor-layout", ("sparse",)),
        On("tensor-method", ("to_sparse*", "sparse_resize_*", "is_coalesced", "dense_dim", "sparse_dim")),
        On("call", ("torch.sparse_*_tensor",)),
    )
    message_template = "`{expression}` creates or changes a sparse tensor"
    help_template = "use dense tensors, or operators on indices and values"
    wording = (("sparse", "`{expression}` uses a sparse tensor, which cannot enter a graph", help_template),)
    escape_hatches = OUTSIDE
    BREAKS = (
        Example(
            """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("adjacency", torch.eye(4).to_sparse())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        return self.adjacency @ y  # breaks: GB0015
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        adjacency = torch.eye(4).to_sparse()
        self.register_buffer("adjacency", adjacency.to_dense())
        self.register_buffer("rows", adjacency.indices()[0])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.adjacency @ x + torch.zeros(4).index_add(0, self.rows, x)
""",
        ),
    )
