"""Type parameters and ``type`` statements, read by a Python that lacks them."""

from __future__ import annotations

import ast

import pytest

from gblint.project.source import SourceProblem, parse_source
from gblint.project.type_parameters import without
from tests.interp.snippets import breaks


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def first[T](items: list[T]) -> T: ...\n", "def first   (items: list[T]) -> T: ...\n"),
        ("async def f[*Ts, **P](): ...\n", "async def f          (): ...\n"),
        ("class Box[T: (int, str) = dict[str, int]](Base[T]): ...\n", "class Box" + " " * 32 + "(Base[T]): ...\n"),
        ("type Pair[T] = tuple[T, T]\n", "Pair         = tuple[T, T]\n"),
        ("if x: type A = int; type B = str\n", "if x: A      = int; B      = str\n"),
        ("class Box[\n    T,\n](Base): ...\n", "class Box\\\n     \\\n (Base): ...\n"),
        ("x = f'{a[0]}'\ndef f[T](): ...\n", "x = f'{a[0]}'\ndef f   (): ...\n"),
    ],
)
def test_blanked(source: str, expected: str) -> None:
    older = without(source)
    assert older is not None
    assert older.text == expected
    ast.parse(expected)


@pytest.mark.parametrize(
    "source",
    [
        "type = 3\ntype[0] = 1\n",
        "x = type [0]\nprint(type)\n",
        "items[0] = [def_]\n",
        "class Box(Base[T]): ...\n",
        "'''def f[T](): ...'''\n",
        "def f[T(:\n",
        "type in (int, [])\n",
        "x = 1\n",
    ],
)
def test_no_type_parameters(source: str) -> None:
    assert without(source) is None


def test_other_errors_are_reported_at_their_line() -> None:
    with pytest.raises(SourceProblem) as caught:
        parse_source("def f[T](x: T): ...\n\nx = = 1\n")
    assert caught.value.line == 3


def test_breaks_in_generic_code() -> None:
    source = """
    import torch

    type Batch = dict[str, torch.Tensor]

    class Mixin[T](torch.nn.Module):
        def forward(self, x: T) -> T:
            print(x)
            return self.step(x)

    class Net[T: Batch](Mixin[T]):
        def step[S](self, x: S) -> S:
            return x.nonzero()

    torch.compile(Net())(torch.ones(3))
    """
    assert [line for line, _ in breaks(source)] == [8, 13]
