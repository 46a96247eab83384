"""Tables of handlers by class: base classes, the order of the rows of a table by pair."""

from __future__ import annotations

from gblint.values.base import INT, NONE, TENSOR, Const, Scalar, Tensor, Value
from gblint.values.dispatch import HandlersByClass, HandlersByPair
from gblint.values.objects import ExternalName
from gblint.values.wrapped import StaticMethod, Wrapped


def test_a_class_without_a_handler_has_that_of_its_base():
    table = HandlersByClass({Wrapped: "wrapped", Value: "any"})
    assert table[StaticMethod] == "wrapped"
    assert table[type(StaticMethod(ExternalName("f")))] == "wrapped"
    assert table[Tensor] == "any"


def test_matching_rows_are_asked_in_order():
    table = HandlersByPair(
        (Tensor, Value, "left tensor"),
        (Value, Tensor, "right tensor"),
        ((Const, Scalar), (Const, Scalar), "numbers"),
        (Value, Value, "any"),
    )
    assert table.between(TENSOR, TENSOR) == ("left tensor", "right tensor", "any")
    assert table.between(NONE, TENSOR) == ("right tensor", "any")
    assert table.between(NONE, INT) == ("numbers", "any")


def test_a_handler_in_two_matching_rows_is_asked_once():
    table = HandlersByPair((Tensor, Value, "tensor"), (Value, Tensor, "tensor"))
    assert table.between(TENSOR, TENSOR) == ("tensor",)
    assert table.between(NONE, INT) == ()
