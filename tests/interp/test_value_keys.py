"""Keys of values: each field of each class of values tells two values apart."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator as Iterable
from pathlib import Path
from typing import Any

import pytest

from gblint.diagnostics.entry_point import OptionSource
from gblint.project.module_names import ModuleName
from gblint.project.modules import Module
from gblint.values.base import FALSE, INT, NONE, STR, TENSOR, TRUE, UNKNOWN, Const, Value
from gblint.values.containers import Iterator, Mapping, Seq
from gblint.values.keys import key
from gblint.values.objects import Class, ExternalName, Function, Instance, Scope, Super, Toggle

MODULE = Module(ModuleName("m", False, Path(), Path()), Path("m.py"), "m.py", origin="user")
NODE = ast.parse("def f(): ...").body[0]
CLASS = ast.parse("class C: ...").body[0]
assert isinstance(NODE, ast.FunctionDef) and isinstance(CLASS, ast.ClassDef)
FIRST, SECOND = ExternalName("torch.add"), ExternalName("torch.sub")
# Two values for a field, by the name of its class and field, or of the field alone.
SAMPLES: dict[str, tuple[Any, Any]] = {
    "function": (FIRST, SECOND),
    "receiver": (TENSOR, STR),
    "reference": (FIRST, SECOND),
    "setter": (None, FIRST),
    "form": ("recursive", "skip"),
    "manager": ("a", "b"),
    "cause": ("a", "b"),
    "grid": (TENSOR, STR),
    "refused": ("hook", "cuda-graph"),
    "settings": ((), (("capture_scalars", True),)),
    "option": ("a", "b"),
    "stance": ("a", "b"),
    "toggle": (Toggle(TRUE, OptionSource("m.py", 1, "")), Toggle(FALSE, OptionSource("m.py", 1, ""))),
    "on": (TRUE, FALSE),
    "source": (OptionSource("m.py", 1, ""), OptionSource("m.py", 2, "")),
    "name": ("a", "b"),
    "referent": (TENSOR, STR),
    "path": ("a.py", "b.py"),
    "ContextVariable.default": (Const(1), None),
    "FileObject.path": (Const("a.json"), Const("b.json")),
    "args": ((), (TRUE,)),
    "kwargs": ((), (("a", TRUE),)),
    "after": (Class(CLASS, MODULE, "B", None), Class(CLASS, MODULE, "C", None)),
    "cls": ("a", "b"),
    "item": (STR, INT),
    "returned": (NONE, TRUE),
    "count": (None, 2),
    "start": (0, 1),
    "step": (1, 2),
    "lower": (TRUE, FALSE),
    "upper": (TRUE, FALSE),
    "Slice.step": (TRUE, FALSE),
    "members": ((TRUE, NONE), (TRUE, STR)),
    "items": ((TRUE,), (FALSE,)),
    "Iterator.items": (None, (TRUE,)),
    "entries": ((), ((Const("a"), TRUE),)),
    "rest": (STR, INT),
    "keys": (STR, INT),
    "optional": (frozenset(), frozenset([Const("a")])),
    "kind": ("int", "float"),
    "origin": ("python", "size"),
    "likely": (None, TRUE),
    "rank": (None, 1),
    "dtype": (None, "int"),
    "requires_grad": (None, True),
    "length": (None, 1),
    "operand_id": (0, 1),
    "layout": ("", "sparse"),
    "grad_provenance": ("", "leaf"),
    "hint": ("", "tensor"),
    "maker": ("numba.jit", "numba.njit"),
    "first": ((), (TRUE,)),
    "later": (STR, INT),
}
# Fields that the comparison of values leaves out; they only serve to compute the reach of an event.
NOT_COMPARED = {"Scalar.usual", "Union.usual", "Mapping.added"}
# Classes with a test of their own.
BY_IDENTITY = {"Function", "Class", "Instance", "Const", "Seq", "Bottom", "Value"}


def classes_of_values() -> Iterable[type]:
    """Yield each class of values of the package."""
    found, waiting = set(), [Value]
    while waiting:
        cls = waiting.pop()
        if cls not in found:
            found.add(cls)
            waiting += [each for each in cls.__subclasses__() if each.__module__.startswith("gblint.values")]
    # ``dataclass(slots=True)`` makes a copy of a class; the original remains in ``__subclasses__``.
    known = (each for each in found if getattr(sys.modules[each.__module__], each.__name__, None) is each)
    yield from sorted(known, key=lambda each: each.__qualname__)


FIELDS = [
    (cls, name)
    for cls in classes_of_values()
    if cls.__name__ not in BY_IDENTITY
    for name in getattr(cls, "__match_args__", ())
    if f"{cls.__name__}.{name}" not in NOT_COMPARED
]


def sample(cls: type, name: str) -> tuple[Any, Any]:
    """Return two values of a field."""
    if str(next(each.__annotations__[name] for each in cls.__mro__ if name in each.__annotations__)) == "bool":
        return False, True
    return SAMPLES.get(f"{cls.__name__}.{name}") or SAMPLES[name]


@pytest.mark.parametrize(("cls", "name"), FIELDS, ids=lambda each: getattr(each, "__name__", each))
def test_a_field_is_in_the_key(cls: Any, name: str) -> None:
    others = {each: sample(cls, each)[0] for each in cls.__match_args__ if f"{cls.__name__}.{each}" not in NOT_COMPARED}
    one, other = (cls(**{**others, name: value}) for value in sample(cls, name))
    assert key(one) != key(other)
    assert key(one) == key(cls(**others))


@pytest.mark.parametrize(
    "other",
    [
        Seq("list", None, STR),
        Seq("tuple", None, INT),
        Seq("list", None, INT, 3),
        Seq("list", (INT,)),
        Seq("list", None, INT, None, (INT,)),
        Seq("list", None, INT, None, (INT,), STR),
    ],
)
def test_sequences_differ(other: Seq) -> None:
    assert key(other) != key(Seq("list", None, INT))


def test_functions_differ() -> None:
    plain = Function(NODE, MODULE, "f")
    assert key(plain) == key(Function(NODE, MODULE, "f"))
    owner = Class(CLASS, MODULE, "C", None)
    others = [
        Function(NODE, MODULE, "f", Scope({}, None)),
        Function(NODE, MODULE, "f", owner=owner),
        Function(NODE, MODULE, "f", marks=frozenset(["a"])),
        Function(NODE, MODULE, "f", defaults=(TRUE,)),
        Function(NODE, MODULE, "f", defaults=(FALSE,)),
        Function(NODE, MODULE, "f", kw_defaults=(None,)),
        Function(NODE, MODULE, "f", kw_defaults=(TRUE,)),
    ]
    assert len({key(each) for each in (plain, *others)}) == len({plain, *others}) == 8


def test_a_changed_object_has_another_key_also_inside_others() -> None:
    instance = Instance(Class(CLASS, MODULE, "C", None))
    inside = [Seq("list", (instance,)), Mapping((), instance), Iterator("map", instance), Super(instance.cls, instance)]  # type: ignore[arg-type]
    before = [key(each) for each in (instance, *inside)]
    instance.version += 1
    assert all(key(each) != old for each, old in zip((instance, *inside), before, strict=True))


def test_what_lies_deep_is_left_out() -> None:
    value: Value = UNKNOWN
    for _ in range(20):
        value = Seq("list", (value,))
    hash(key(value))
    assert len(repr(key(value))) < 200
