"""More examples of GBL643, sparse-tensor."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch

ADJACENCY = torch.eye(4).to_sparse_csr()


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.mv(ADJACENCY, x + 1)  # breaks: GB0015
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    sparse = y.to_sparse()  # breaks: GB0277
    return sparse.to_dense() * 2  # breaks: GB0015
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    rows, columns = torch.tensor([0, 4]), torch.arange(4)
    sparse = torch.sparse_csr_tensor(rows, columns, y, (1, 4))  # breaks: GB0374
    return sparse.to_dense()  # breaks: GB0015
""",
    ),
    Example(
        """\
import torch


def shrink(x: torch.Tensor) -> torch.Tensor:
    try:
        return x.sparse_resize_((2,), 1, 0)  # breaks: GB0129
    except RuntimeError:
        return x[:2]


def f(x: torch.Tensor) -> torch.Tensor:
    return shrink(x + 1)
""",
    ),
    Example(
        """\
import torch


def clear(x: torch.Tensor) -> torch.Tensor:
    try:
        return x.sparse_resize_and_clear_((2,), 1, 0)  # breaks: GB0130
    except RuntimeError:
        return x[:2]


def f(x: torch.Tensor) -> torch.Tensor:
    return clear(x + 1)
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if x.is_sparse or x.layout == torch.sparse_csr:
        x = x.to_dense()
    return x.to_dense() * 2
""",
    ),
    Example(
        """\
import torch

ADJACENCY = torch.eye(4).to_sparse()


def f(x: torch.Tensor, weights: torch.Tensor | None = ADJACENCY) -> torch.Tensor:
    return x * 2
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    rows, columns = torch.tensor([0, 1, 2]), torch.tensor([1, 2, 3])
    return torch.zeros(4).index_add(0, columns, x[rows] * 2)
""",
    ),
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(4, 4, sparse=True)
        self.bag = nn.EmbeddingBag(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        index = torch.arange(4)
        return self.embedding(index) + x + self.bag(index.unsqueeze(0))
""",
    ),
    Example(
        """\
import torch

EDGES = torch.eye(4).to_sparse().coalesce().indices()


def f(x: torch.Tensor) -> torch.Tensor:
    return x + EDGES[0] * 2
""",
    ),
)
