"""The text of an object in a string: Dynamo makes it after the graph, so that only its uses break."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.interp.snippets import breaks, run_whole

HEAD = """
import pathlib
import torch

PATH = pathlib.Path("a")

class Scale(torch.nn.Module):
    def forward(self, x):
        return x

scale = Scale()
"""
USES = {
    "length": "text = len(f'{PATH}')",
    "length-of-a-module": "text = len(f'{scale}')",
    "concatenation": "text = f'{PATH}' + 'b'",
    "repetition": "text = f'{PATH}' * 2",
    "comparison": "text = f'{PATH}' == 'b'",
    "membership": "text = 'b' in f'{PATH}'",
    "item": "text = f'{PATH}'[0]",
    "method": "text = f'{PATH}'.upper()",
    "join": "text = ' '.join([f'{PATH}'])",
    "of-format": "text = '{}'.format(PATH) + 'b'",
    "name-of-an-attribute": "text = getattr(torch, f'{PATH}', 1)",
    "percent": "text = '%s' % PATH",
    "percent-module": "text = '%s' % scale",
}
NO_USES = {
    "kept": "text = f'{PATH} {scale}'",
    "format": "text = '{}'.format(scale)",
    "nested": "text = f'a{PATH}'\n    text = f'b{text}'",
    "percent-tuple": "text = '%s' % (PATH,)",
    "raised": "if x.dim() > 3:\n        raise ValueError(f'{scale} takes vectors')",
    "key": "text = {f'{PATH}': 1}",
    "converted-by-python": "text = f'{scale!s}'",
}


def _source(line: str) -> str:
    return f"{HEAD}\ndef f(x: torch.Tensor):\n    {line}\n    return x + 1\n"


@pytest.mark.parametrize("line", USES.values(), ids=USES)
def test_use_breaks(line: str) -> None:
    assert len(breaks(_source(line), "f")) == 1


@pytest.mark.parametrize("line", NO_USES.values(), ids=NO_USES)
def test_other_text_does_not_break(line: str) -> None:
    assert breaks(_source(line), "f") == []


@pytest.mark.parametrize(
    ("line", "fails"),
    [*((line, True) for line in USES.values()), *((line, False) for line in NO_USES.values())],
    ids=[*USES, *NO_USES],
)
def test_dynamo_agrees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, fails: bool) -> None:
    torch = pytest.importorskip("torch")
    expected = pytest.raises(torch._dynamo.exc.Unsupported) if fails else nullcontext()
    with expected:
        run_whole(tmp_path, monkeypatch, _source(line), "f")


PARAMETER = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))

net = Net()

def f(x):
    return x + 1 if {test} else x
"""
TEXTS_OF_CLASSES = {
    "type(net.weight).__module__.startswith('torch')": True,
    "'torch' in type(net.weight).__module__": True,
    "type(net.weight).__qualname__.lower() == 'parameter'": True,
    "nn.Parameter.__name__.startswith('P')": True,
    "type(net.weight).__name__ == 'Parameter'": False,
    "type(net.weight) is nn.Parameter": False,
    "type(net.weight).__name__ in ('Parameter', 'Tensor')": False,
    "type(x).__module__.startswith('torch')": False,
    "type(net).__module__.startswith('torch')": False,
}


@pytest.mark.parametrize("test", TEXTS_OF_CLASSES)
def test_dynamo_makes_no_constants_of_the_texts_of_parameters(
    test: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    source, broken = PARAMETER.format(test=test), TEXTS_OF_CLASSES[test]
    assert [line for line, _ in breaks(source, "f")] == ([13] if broken else [])
    with pytest.raises(torch._dynamo.exc.Unsupported) if broken else nullcontext():
        run_whole(tmp_path, monkeypatch, source, "f")
