"""Objects that a class keeps in an attribute of its own: the region finds those that the import of the module makes."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from tests.interp.snippets import breaks

SOURCE = """
import torch

class Base:
    shared = None

class State(Base):
    def __init__(self):
        self.size = 3

    @classmethod
    def get(cls):
        if cls.shared is None:
            print("made")
            cls.shared = State()
        return cls.shared

class Logger:
    __instance = None

    def __new__(cls):
        if not Logger.__instance:
            print("made")
            Logger.__instance = object.__new__(cls)
            Logger.__instance.level = 2
        return Logger.__instance

{at_import}

@torch.compile(backend="eager")
def f(x: torch.Tensor):
    return x + State.get().size + Logger().level
"""


@pytest.mark.parametrize(
    ("at_import", "expected"),
    [
        ("STATE = State.get()\nlevel = Logger().level", []),
        ("State.get().size\nlevel: int = Logger().level", []),
        ("STATE = State.get()", [23]),
        ("LOGGER = Logger()", [14]),
        ("", [14, 23]),
        ("def made():\n    return State.get(), Logger()", [14, 23]),
        ("get = dict.get\nother = State", [14, 23]),
        ("State()\nsize = State().size\nLogger.mro()", [14, 23]),
    ],
)
def test_made_at_import(at_import: str, expected: list[int]) -> None:
    assert [line for line, _ in breaks(SOURCE.format(at_import=at_import), "f")] == expected


def test_the_region_may_read_what_the_import_made_first() -> None:
    source = SOURCE.format(at_import="STATE, LOGGER = State.get(), Logger()")
    source = source.replace("return x + State", "return x + STATE.size + State")
    assert breaks(source, "f") == []


def test_an_attribute_of_a_subclass_is_another_one() -> None:
    made = "class Own(State):\n    shared = None\n\nSTATE, LOGGER = State.get(), Logger()"
    source = SOURCE.format(at_import=made).replace("+ State.get()", "+ Own.get()")
    assert [line for line, _ in breaks(source, "f")] == [14]


@pytest.mark.parametrize(("at_import", "is_broken"), [("STATE, LOGGER = State.get(), Logger()", False), ("", True)])
def test_dynamo_finds_what_the_import_made(
    at_import: str, is_broken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    name = f"gblint_singletons_{is_broken}"
    (tmp_path / f"{name}.py").write_text(SOURCE.format(at_import=at_import))
    monkeypatch.syspath_prepend(tmp_path)
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    importlib.import_module(name).f(torch.ones(3))
    assert bool(torch._dynamo.utils.counters["graph_break"]) == is_broken
