"""The notation for the result of a call in a fact."""

from __future__ import annotations

import pytest

from gblint.knowledge.returns import (
    ConstSpec,
    EitherSpec,
    NameSpec,
    ReturnsError,
    ReturnSpec,
    ScalarSpec,
    SequenceSpec,
    TensorSpec,
    TupleSpec,
    parse_returns,
)

INDEXED = TupleSpec((TensorSpec("same"), TensorSpec("int")))


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("tensor", TensorSpec()),
        ("tensor[bool]", TensorSpec("bool")),
        ("tensor[same;same]", TensorSpec("same", "same")),
        ("tensor[bool;0]", TensorSpec("bool", 0)),
        ("tensor[;+1]", TensorSpec(None, "+1")),
        ("tensor[;-1]", TensorSpec(None, "-1")),
        ("tensor[number;reduce]", TensorSpec("number", "reduce")),
        ("ndarray[float;2]", TensorSpec("float", 2, ndarray=True)),
        ("(tensor[same],tensor[int])", INDEXED),
        ("(tensor...)", SequenceSpec("tuple", TensorSpec())),
        ("[tensor[int]]", SequenceSpec("list", TensorSpec("int"))),
        ("tensor|(tensor[same],tensor[int])", EitherSpec(TensorSpec(), INDEXED)),
        ("(tensor,(tensor,tensor))", TupleSpec((TensorSpec(), TupleSpec((TensorSpec(), TensorSpec()))))),
        ("size", ScalarSpec("size")),
        ("(size...)|size", EitherSpec(SequenceSpec("tuple", ScalarSpec("size")), ScalarSpec("size"))),
        ("data-int", ScalarSpec("data-int")),
        ("[data-float]", SequenceSpec("list", ScalarSpec("data-float"))),
        ("none", ConstSpec(None)),
        ("const:True", ConstSpec(True)),
        ("const:-1", ConstSpec(-1)),
        ("const:'cpu'", ConstSpec("cpu")),
        ("np-scalar", NameSpec("np-scalar")),
        ("torch.Generator", NameSpec("torch.Generator")),
        ("()", TupleSpec(())),
    ],
)
def test_parses(text: str, spec: ReturnSpec) -> None:
    assert parse_returns(text) == spec


@pytest.mark.parametrize(
    "text",
    ["", "tensr", "tensor[", "tensor[half]", "tensor[bool;many]", "(tensor", "(tensor...", "[tensor", "tensor]", "a b"],
)
def test_refuses(text: str) -> None:
    with pytest.raises(ReturnsError):
        parse_returns(text)
