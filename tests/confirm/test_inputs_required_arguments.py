"""Arguments that conditions before predicted breaks require."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gblint.confirm.inputs.required_arguments import (
    GIVEN,
    RequiredArgument,
    required_arguments,
    with_keyword,
    with_option,
)
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
        ([("self.config.log", True)], [RequiredArgument("log", True, True, "config")]),
        ([("config.log", True)], [RequiredArgument("log", True, True, "config")]),
        ([("config.mode == 'elem'", True)], [RequiredArgument("mode", "elem", True, "config")]),
        ([("config.log", False)], []),
        ([("config.log is not None", True), ("self.net.config.log", True)], []),
        ([("config.log", True), ("self.log", False)], [RequiredArgument("log", True, True, "config")]),
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


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Net(Config())", "Net(Config(log=True))"),
        ("Net(m.Config(3, log=False), 4)", "Net(m.Config(3, log=True), 4)"),
        ("Net(width=3, config=Config(mode='elem'))", "Net(width=3, config=Config(mode='elem', log=True))"),
        ("Net(config)", None),
        ("Net()", None),
        ("Net(*[3], Config())", None),
        ("Net(Config(**options))", None),
        ("Net(Config()", None),
        ("config", None),
    ],
)
def test_option_of_an_argument_of_a_constructor(before: str, after: str | None) -> None:
    assert with_option(before, RequiredArgument("log", True, True, "config"), ["config", "width"]) == after
    assert with_option(before, RequiredArgument("log", True, True, "config"), ["width", "options"]) is None


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


def test_found_call_has_the_required_options_of_a_configuration() -> None:
    pytest.importorskip("torch")
    from gblint.confirm.inputs.search import FoundCall, find_call
    from tests.confirm.optional_arguments import Configured

    conditions = (("self.config.log", True), ("config.other", True), ("self.absent.log", True))
    found = find_call(Configured, Hints(conditions=conditions), lambda call, args, kwargs: call(*args, **kwargs))
    assert isinstance(found, FoundCall)
    assert "log=True" in found.init and "other" not in found.init
    assert found.call.config.log
