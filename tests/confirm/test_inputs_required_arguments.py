"""Arguments that conditions before predicted breaks require."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gblint.confirm.inputs.required_arguments import GIVEN, RequiredArgument, required_arguments, with_keyword
from gblint.confirm.inputs.target_facts import Hints


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ([("mask is not None", True)], [RequiredArgument("mask", GIVEN)]),
        ([("mask is None", False)], [RequiredArgument("mask", GIVEN)]),
        ([("mask is None", True)], []),
        ([("not mask", False)], [RequiredArgument("mask", GIVEN)]),
        ([("self.log", True)], [RequiredArgument("log", True, of_constructor=True)]),
        ([("self.log", False)], []),
        ([("self.mode == 'elem'", True)], [RequiredArgument("mode", "elem", of_constructor=True)]),
        ([("mode == 'elem'", True)], [RequiredArgument("mode", "elem")]),
        ([("mode != 'elem'", True)], []),
        ([("batch is not None and k", True)], [RequiredArgument("batch", GIVEN), RequiredArgument("k", GIVEN)]),
        ([("batch is not None or k", True)], []),
        ([("batch is None or not k", False)], [RequiredArgument("batch", GIVEN), RequiredArgument("k", GIVEN)]),
        ([("mask is None", True), ("mask is None", False)], []),
        ([("mask is None", True), ("mask is None", False), ("mask", True)], [RequiredArgument("mask", GIVEN)]),
        ([("n > 3", True), ("f(x", True), ("x.sum() > 1", True)], []),
    ],
)
def test_arguments_that_conditions_require(
    conditions: Sequence[tuple[str, bool]], expected: list[RequiredArgument]
) -> None:
    assert required_arguments(conditions) == expected


def test_keyword_of_a_constructor() -> None:
    assert with_keyword("Net(3)", "log", True) == "Net(3, log=True)"
    assert with_keyword("Net(log=False)", "log", True) is None
    assert with_keyword("Net(**options)", "log", True) is None
    assert with_keyword("net", "log", True) is None


def test_hints_with_conditions_as_json() -> None:
    hints = Hints("m:Net", conditions=(("mask is not None", True),))
    assert Hints.from_json(hints.as_json()) == hints


def test_found_call_has_the_required_arguments() -> None:
    pytest.importorskip("torch")
    from gblint.confirm.inputs.search import FoundCall, find_call
    from tests.confirm.optional_arguments import Net

    asked = (("mask is not None", True), ("self.log", True), ("batch is not None", True))
    impossible = (("count is not None", True), ("self.other", True), ("absent is not None", True))
    found = find_call(Net, Hints(conditions=asked + impossible), lambda call, args, kwargs: call(*args, **kwargs))
    assert isinstance(found, FoundCall)
    assert "log=True" in found.init and "other" not in found.init
    assert {"mask", "batch"} <= found.kwargs.keys() and "count" not in found.kwargs
    plain = find_call(Net, Hints(), lambda call, args, kwargs: call(*args, **kwargs))
    assert isinstance(plain, FoundCall) and not plain.kwargs and "log" not in plain.init
