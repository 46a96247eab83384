"""Inputs of which only the use or the name tells what they are: gblint and Dynamo agree on the marked lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.programs import Program, check_lines, lines_by_dynamo, marked
from tests.interp.test_entries import reached

MASKS_BY_NAME = """\
import torch

def f(x, mask: torch.Tensor, mask_idx: torch.Tensor):
    for j in range(2):
        mask_j = mask[:, j]
        x = x * x[:, j][mask_j].sum()  # breaks
    return x, x[mask_idx]
"""
SPARSE = """\
import torch

def f(x: torch.Tensor, a):
    y = x + 1
    {statement}
"""
SET_BACK = """\
import torch

def f(x: torch.Tensor, batch: dict[str, torch.Tensor]):
    saved = x.requires_grad
    x.requires_grad_(True)  # breaks
    y = x * 2
    x.requires_grad_(True)
    x.requires_grad_(saved)  # breaks
    positions = batch["positions"]
    positions.requires_grad_(True)  # breaks
    y = y + positions.sum()
    positions.requires_grad_(False)  # breaks
    return y
"""
INDEXED = """\
import torch

def f(n_range, names):
    largest = n_range[-1].int().item()  # breaks
    return n_range * largest, names["first"].strip()
"""
MAPPED = """\
import torch

def absolute(row):
    if row.sum() > 0:  # breaks
        return row
    return -row

def f(x: torch.Tensor):
    rows = map(absolute, torch.unbind(x, dim=0))
    return torch.stack(list(rows))
"""
OF_A_PROTOCOL = """\
import torch
from typing import Protocol

class Named(Protocol):
    title: str

class Model(torch.nn.Module, Named):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x if x.max() > 1 else -x  # breaks

model = Model()

def f(x):
    return model(x)
"""
BUFFERS = """\
import torch

class Model(torch.nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.sizes = sizes
        for size in sizes:
            self.register_buffer(f"bounds_{size}", torch.tensor([0, size]))

    def forward(self, x):
        for size in self.sizes:
            bounds = getattr(self, f"bounds_{size}")
            x = x + x[:, bounds[0]:bounds[1]].sum()  # breaks
        return x

model = Model([2, 3])

def f(x):
    return model(x)
"""
PACKED = """\
import torch
from torch.nn.utils.rnn import PackedSequence

def f(packed: PackedSequence, described):
    \"\"\"Multiply.

    Args:
        described (~torch.nn.utils.rnn.PackedSequence): one more
    \"\"\"
    first, second = packed.data, described.data
    sizes = packed.batch_sizes.tolist()  # breaks
    return first * sizes[0], second * described.batch_sizes[0].item()  # breaks
"""
FLAG_IN_A_BUFFER = """\
import torch

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("_is_scaled", torch.tensor(False))

    @property
    def is_scaled(self):
        return bool(getattr(self, "_is_scaled", False))  # breaks

    def forward(self, x):
        return x * 2 if self.is_scaled or getattr(self, "_missing", False) else x

model = Model()

def f(x):
    return model(x)
"""
NUMBERS = """\
import torch
from typing import Union

def f(x: torch.Tensor, y, beta, exact: Union[torch.Tensor, bool] = False):
    if exact:
        return x
    return x.add(y, alpha=1.0 - beta)
"""
SPARSE_USES = (
    "return torch.sparse.mm(a, y)  # breaks",
    "return y * a._values().sum()  # breaks",
    "return a.coalesce(), y  # breaks",
    "return y * a._nnz()  # breaks",
)
_SPARSE_INPUT = "(torch.rand(3, 2), torch.eye(3).to_sparse())"
PARTS_OF_SIZES = """\
import math
import torch

def f(batch, share, multiple, p):
    count = batch.size()[0]
    order = torch.randperm(count, device=batch.device)
    end = int(share * count)
    parts = count / multiple
    rest = math.ceil(parts) * multiple - count
    out = torch.zeros(rest + 1, dtype=p.dtype, device=p.device)
    if p[0] > 0:  # breaks
        out = out + 1
    return batch[order[:end]], out
"""

PARTS_OF_MASKS = """\
import torch

def f(x: torch.Tensor, mask: torch.Tensor, mask_ids: torch.Tensor):
    a = x.transpose(1, 0)[mask.transpose(1, 0)]  # breaks
    b = x.T[mask.T]  # breaks
    c = x.reshape(-1)[mask.reshape(-1)]  # breaks
    d = x[0][mask[0]]  # breaks
    e = x[mask.to(x.device)]  # breaks
    g = x[(~mask).squeeze()]  # breaks
    return a, b, c, d, e, g, x[mask_ids.view(-1)]
"""
ARRAY_BY_TEST = """\
import numpy as np
import torch

def f(x, image):
    if isinstance(image, np.ndarray) and image.dtype == np.uint8:  # breaks
        x = x + 1
    return x
"""
IMAGE_OR_TENSOR = """\
import torch
from PIL import Image

def f(x, image: "Image.Image | torch.Tensor"):
    return x + image.to(torch.float32)
"""
IMAGE_BY_TEST = """\
import numpy as np
import torch
from PIL import Image

def f(x, image):
    if isinstance(image, Image.Image):
        image = np.array(image)  # breaks
    return x + image.sum()
"""
PROGRAMS = {
    "array by test": Program(ARRAY_BY_TEST, "(torch.rand(3), __import__('numpy').ones(3))"),
    "image or tensor": Program(IMAGE_OR_TENSOR, "(torch.rand(3), torch.rand(3))"),
    "image by test": Program(IMAGE_BY_TEST, "(torch.rand(3), __import__('PIL.Image').Image.new('L', (3, 3)))"),
    "parts of masks": Program(PARTS_OF_MASKS, "(torch.rand(3, 2), torch.ones(3, 2) > 0, torch.zeros(1, 2).long())"),
    "parts of sizes": Program(PARTS_OF_SIZES, "(torch.rand(8), 0.5, 4, torch.rand(2))"),
    "masks by name": Program(MASKS_BY_NAME, "(torch.rand(3, 2), torch.rand(3, 2) > 0.5, torch.tensor([0, 1]))"),
    **{use: Program(SPARSE.format(statement=use), _SPARSE_INPUT) for use in SPARSE_USES},
    "set back": Program(SET_BACK, "(torch.rand(3), {'positions': torch.rand(3)})"),
    "indexed": Program(INDEXED, "(torch.arange(3.0), {'first': ' a '})"),
    "mapped": Program(MAPPED, "(torch.rand(2, 3),)"),
    "of a protocol": Program(OF_A_PROTOCOL),
    "packed": Program(PACKED, "(torch.nn.utils.rnn.pack_sequence([torch.ones(3, 2), torch.ones(2, 2)]),) * 2"),
    "flag in a buffer": Program(FLAG_IN_A_BUFFER),
    "numbers": Program(NUMBERS, "(torch.rand(3), torch.rand(3), 0.5)"),
    "buffers": Program(BUFFERS, "(torch.rand(2, 4),)"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_marked_lines_break(name: str) -> None:
    check_lines(PROGRAMS[name].source, "f")


@pytest.mark.parametrize("source", [OF_A_PROTOCOL, BUFFERS])
def test_the_marked_lines_break_in_a_model_that_is_never_made(source: str) -> None:
    check_lines(source.partition("\nmodel = ")[0], "Model")


@pytest.fixture(scope="module")
def observed() -> dict[str, set[int]]:
    """The lines at which Dynamo breaks in each program."""
    return lines_by_dynamo(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_dynamo_breaks_at_the_marked_lines(name: str, observed: dict[str, set[int]]) -> None:
    assert observed[name] == marked(PROGRAMS[name].source)


TENSORDICTS = """\
import torch
from tensordict import TensorDict

@torch.compile
def f(td: TensorDict, policy):
    first = td["i"] if td["i"].all() == 0 else td["first"]  # breaks
    while not td["nested", "done"].all():  # breaks
        td = policy(td)
    return td[0], first
"""


def test_items_of_tensordicts_are_tensors() -> None:
    check_lines(TENSORDICTS)


KINDS = """\
from __future__ import annotations
import torch

Batch = dict[str, torch.Tensor]
"""
BY_ALIAS = """\
import torch
import kinds
from package import more

@torch.compile
def f(batch: kinds.Batch, others: more.Batch):
    positions = batch["positions"]
    positions.requires_grad_(True)  # breaks
    return positions, others["first"].item()  # breaks
"""


def test_aliases_are_found_through_their_modules(tmp_path: Path) -> None:
    files = {"kinds.py": KINDS, "package/__init__.py": "", "package/more.py": KINDS, "train.py": BY_ALIAS}
    assert {found.event.span.line for found in reached(tmp_path, files)} == marked(BY_ALIAS)
