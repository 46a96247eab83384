"""The files that ``make new-rule`` writes have the shape of a rule."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from gblint.rules import Rule, all_rules
from tests.oracle.examples import kinds_in
from tests.oracle.marks import flagged
from tools.new_rule import main, problem, texts

NEW = ("GBL498", "my-rule", "untraceable_calls")


def written() -> dict[str, ModuleType]:
    modules = {}
    for path, text in texts(*NEW).items():
        modules[path.parts[0]] = module = ModuleType(path.stem)
        exec(compile(text, str(path), "exec"), vars(module))
    return modules


def test_the_rule_has_the_shape_of_a_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    module = written()["rules"]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    rule = module.MyRule()
    assert isinstance(rule, Rule)
    assert (rule.code, rule.name) == NEW[:2]
    assert rule.on
    assert rule.documentation.splitlines()[0].endswith(".")
    assert "\n**Instead**" in rule.documentation
    assert all(flagged(example.source) for example in rule.BREAKS)
    assert not any(flagged(example.source) for example in rule.CLEAN)


def test_the_examples_are_found_by_name() -> None:
    assert list(kinds_in(written()["tests"])) == ["CLEAN"]


@pytest.mark.parametrize(
    ("code", "name", "family", "shown"),
    [
        ("GBL1", *NEW[1:], "not a code"),
        (NEW[0], "MyRule", NEW[2], "not a name"),
        (*NEW[:2], "no_family", "the families are compile_api, "),
        ("GBL101", *NEW[1:], "GBL101, tensor-item"),
        (NEW[0], "tensor-item", NEW[2], "GBL101, tensor-item"),
    ],
)
def test_a_wrong_argument_is_an_error(
    code: str, name: str, family: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert problem(*NEW) is None
    assert main([code, name, family]) == 1
    assert shown in capsys.readouterr().err
    assert all(rule.code != NEW[0] for rule in all_rules())
