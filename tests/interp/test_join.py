"""The join of many values."""

from __future__ import annotations

from gblint.values.base import NONE, STR, UNKNOWN, Const, Scalar, Tensor, Union, Value, members
from gblint.values.containers import Seq
from gblint.values.lattice import join, join_all


def texts(count: int) -> list[Value]:
    return [Const(f"name_{n}") for n in range(count)]


def test_few_strings_are_kept() -> None:
    assert join_all(texts(8)) == Union(tuple(texts(8)))
    assert join_all(texts(9)) == STR


def test_tuple_of_strings_is_forgotten_with_the_strings() -> None:
    pair = Seq("tuple", (Const("a"), Const("b")))
    assert members(join_all([*texts(2), pair])) == (*texts(2), pair)
    assert set(members(join_all([*texts(9), pair]))) == {STR, Seq("tuple", (STR, STR))}
    mixed = Seq("tuple", (Const("a"), NONE))
    assert set(members(join_all([*texts(9), mixed]))) == {STR, mixed}


def test_scalar_absorbs_constants_of_its_kind_on_either_side() -> None:
    number = Scalar("int")
    assert join_all([Const(1), Const("a"), number, Const(2)]) == Union((Const("a"), number))
    assert join_all([number, Const(1), Const("a"), Const("a")]) == Union((number, Const("a")))
    assert join(Scalar("int", likely=Const(1)), Const(2)) == number


def test_values_of_different_types_stay_apart() -> None:
    assert members(join_all([Const(1), Const(True), Const(1.0), Const(1)])) == (Const(1), Const(True), Const(1.0))
    assert set(members(join_all([Tensor(rank=2), NONE, Tensor(rank=3), UNKNOWN]))) == {Tensor(), NONE, UNKNOWN}
