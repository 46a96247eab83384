"""Lazy dataclasses behave like dataclasses; only their methods are generated later."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import inspect
import pickle
import pkgutil
import subprocess
import sys
import threading
import typing
from typing import ClassVar

import pytest

import gblint
from gblint.runtime import lazy_dataclasses
from gblint.runtime.lazy_dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True, order=True)
class Point:
    """A place."""

    x: int
    y: int = 2
    kinds: ClassVar[int] = 3


@dataclass(slots=True)
class Bag:
    """Something that changes."""

    name: str
    things: list[int] = field(default_factory=list)
    hidden: int = field(default=0, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Far(Point):
    """A place further off."""

    z: int = 4

    def __repr__(self) -> str:
        return "far"


@dataclass(frozen=True, slots=True, eq=False)
class Own:
    """Equal to itself only."""

    x: int = 0


@dataclass
class Plain:
    """Without slots."""

    x: int
    y: list[int] = field(default_factory=list)


def test_they_behave_like_dataclasses() -> None:
    assert Point(1) == Point(1, 2) and hash(Point(1)) == hash(Point(x=1)) and Point(1) != (1, 2)
    assert Point(1) < Point(2) <= Point(2) and sorted([Point(3), Point(1)])[0].x == 1
    assert repr(Point(1)) == "Point(x=1, y=2)" and Point.kinds == 3
    assert Bag("a").things is not Bag("a").things
    assert Bag("a", hidden=1) == Bag("a") and repr(Bag("a")) == "Bag(name='a', things=[])"
    assert Plain(1) == Plain(1, []) and vars(Plain(1)) == {"x": 1, "y": []}
    assert Own() != Own() and len({Own(), Own()}) == 2
    with pytest.raises(TypeError):
        hash(Bag("a"))
    with pytest.raises(TypeError):
        Point()  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        Point(1).other = 1  # type: ignore[attr-defined]


def test_inheritance() -> None:
    far = Far(1, z=5)
    assert (far.x, far.y, far.z, repr(far)) == (1, 2, 5, "far")
    assert far != Point(1) and far == Far(1, 2, 5) and isinstance(far, Point)
    assert [each.name for each in dataclasses.fields(Far)] == ["x", "y", "z"]


def test_match_replace_copy_and_pickle() -> None:
    match Point(1, 5):
        case Point(1, y):
            assert y == 5
        case _:
            raise AssertionError
    bag = Bag("a", [1])
    assert replace(bag, name="b") == Bag("b", [1]) and replace(Point(1), y=9).y == 9
    assert copy.deepcopy(bag) == bag and pickle.loads(pickle.dumps(bag)) == bag
    assert dataclasses.asdict(bag) == {"name": "a", "things": [1], "hidden": 0}
    assert dataclasses.is_dataclass(Own) and typing.get_type_hints(Own) == {"x": int}


def test_any_first_use_completes_the_class() -> None:
    @dataclass(frozen=True, slots=True)
    class One:
        x: int

    @dataclass(frozen=True, slots=True)
    class Two:
        x: int

    bare = One.__new__(One)
    bare.x = 1  # type: ignore[misc]
    assert hash(bare) == hash(One(1))
    assert Two.__match_args__ == ("x",)  # type: ignore[attr-defined]


def test_every_class_equals_that_of_dataclasses() -> None:
    for _, name, _ in pkgutil.walk_packages(gblint.__path__, "gblint."):
        if not name.startswith(("gblint.confirm", "gblint.pytest")):
            importlib.import_module(name)
    compared = 0
    for cls, own in lazy_dataclasses._declared.items():  # type: ignore[attr-defined]
        if not cls.__module__.startswith("gblint.") or "__init__" in own or not lazy_dataclasses._write_init(cls):  # type: ignore[attr-defined]
            continue
        compared += 1
        written = inspect.signature(cls).parameters
        standard = inspect.signature(lazy_dataclasses._standard(cls, own, {})).parameters  # type: ignore[attr-defined]
        assert [*written] == [*standard], cls
        for mine, theirs in zip(written.values(), standard.values()):
            assert (mine.default is mine.empty) == (theirs.default is theirs.empty), (cls, mine)
            assert mine.kind is theirs.kind, (cls, mine)
    assert compared > 50


def test_first_instances_in_several_threads() -> None:
    for _ in range(20):

        @dataclass(frozen=True, slots=True)
        class Many:
            x: int = 0

        made: list[object] = []
        start = threading.Barrier(4)

        def make(kind: type = Many, made: list[object] = made, start: threading.Barrier = start) -> None:
            start.wait()
            made.append(kind(1))

        threads = [threading.Thread(target=make) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(made) == 4 and set(made) == {Many(1)}


def test_declarations_import_neither_dataclasses_nor_inspect() -> None:
    code = "import sys, gblint.diagnostics.report; print('dataclasses' in sys.modules, 'inspect' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
