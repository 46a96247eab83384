"""Arguments that are taken for tensors only since they come in, where their use in a called function excludes one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import breaks, check_first_break, confidences

WINDOW = """
import torch
from torch import nn

def attend(x, causal, window_size):
    return x

class Attention(nn.Module):
    def forward(self, x, window=None):
        if x.shape[0] > 3:
            return attend(x, True, window_size={window})
        left, right = window
        return x[:, int(left) : x.shape[1] - int(right)]

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Attention()

    def forward(self, x, window=None):
        return self.attention(x, window=window)

torch.compile(Block())
"""


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ("window if window is not None else (-1, -1)", []),
        ("[0, 0] if window is None else window", []),
        ("window if window is not None else x", [13]),
    ],
)
def test_what_is_numbers_where_it_is_none_is_no_tensor(window: str, expected: list[int]) -> None:
    assert [line for line, _ in breaks(WINDOW.format(window=window))] == expected


NAMES = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, configs):
        super().__init__()
        self.parts = nn.ModuleDict()
        for config in configs:
            self.parts[config.key] = nn.Linear(3, 3)

    def added(self, x, given):
        if given is not None:
            for name, part in self.parts.items():
                if name in given:
                    x = x + part(given[name])
        return x

    def forward(self, x, given=None):
        return self.added(x, given)

torch.compile(Block(load()))
"""


def test_names_of_modules_are_not_looked_for_in_tensors() -> None:
    assert breaks(NAMES) == []


def test_dynamo_agrees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_first_break(tmp_path, monkeypatch, DYNAMO, "net")


DYNAMO = """
import torch
from torch import nn

class Config:
    key = "a"

class Block(nn.Module):
    def __init__(self, configs):
        super().__init__()
        self.parts = nn.ModuleDict()
        for config in configs:
            self.parts[config.key] = nn.Linear(3, 3)

    def forward(self, x, window=(1, 1)):
        left, right = window
        for name, part in self.parts.items():
            if name in {"a": x}:
                x = x + part(x)
        return x[int(left) : x.shape[0] - int(right)]

net = Block([Config()])
"""


def test_a_size_is_divided_by_a_number() -> None:
    source = """
        import torch
        def rows(size):
            return torch.zeros(size, 4)
        def f(x: torch.Tensor, length=None):
            n, d = x.shape
            if length is not None:
                n = n // length
            return rows(n) if n > 3 else x
    """
    assert breaks(source, "f") == []


def test_a_size_that_is_passed_is_hardly_ever_zero() -> None:
    source = """
        import torch
        def mask(lengths, longest=None):
            longest = lengths.max().item() if not longest else longest
            return torch.arange(longest) < lengths[:, None]
        def f(lengths: torch.Tensor, x: torch.Tensor):
            return mask(lengths, x.shape[1])
    """
    assert confidences(source, "f") == {4: "possible"}


def test_an_argument_that_is_indexed_by_a_string_is_no_tensor() -> None:
    source = """
        import torch
        def f(x: torch.Tensor, states: torch.Tensor = None):
            count = 0 if states is None else states["count"]
            return x + 1 if count == 0 else x
    """
    assert breaks(source, "f") == []


def test_an_argument_without_annotation_that_is_indexed_by_a_string_has_tensors() -> None:
    source = """
        import torch
        def f(preds, inputs):
            flow = inputs["flow"].clone()
            mask = inputs["valid"] == 1
            return (preds["flow"] - flow)[mask].mean()
    """
    assert breaks(source, "f") == [(6, "dynamic-shape")]
