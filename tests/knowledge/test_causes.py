"""Causes of graph breaks, and the ids that each version of torch gives for them."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

import gblint
from gblint.knowledge.catalog import load
from gblint.knowledge.registry import GbEntry
from gblint.knowledge.version_choice import JUDGED
from gblint.knowledge.versions import available_versions
from tools.knowledge.build import CAUSES, BuildError, Fact, check_events
from tools.knowledge.causes import complete, slug, table

RECORDED: dict[str, str] = json.loads(CAUSES.read_text(encoding="utf-8"))


def entry(gb_id: str, kind: str) -> GbEntry:
    return GbEntry(gb_id, kind, "", "", ())


def test_every_id_has_a_cause_of_its_own() -> None:
    ids = {gb_id for version in available_versions() for gb_id in load(version).registry()}
    assert set(RECORDED) == ids
    assert len(set(RECORDED.values())) == len(RECORDED)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", cause) for cause in RECORDED.values())


@pytest.mark.parametrize("version", available_versions())
def test_ids_of_a_version(version: str) -> None:
    known = load(version)
    assert {known.gb_ids(cause) for gb_id, cause in RECORDED.items() if gb_id in known.registry()} == {
        (gb_id,) for gb_id in known.registry()
    }
    assert known.gb_ids("data-dependent-branching") == ("GB0170",)
    assert known.gb_ids("no-such-cause") == ()
    assert known.ids_of(("data-dependent-branching", "GB0007")) == ("GB0170", "GB0007")


def test_a_cause_that_a_version_lacks_has_the_id_of_the_reference() -> None:
    old = load("2.10")
    assert "GB9316" not in old.registry()
    assert old.gb_ids("comparison-of-compile-time-id") == load(JUDGED).gb_ids("comparison-of-compile-time-id")
    assert load("2.10").gb_ids(RECORDED["GB9493"]) == (), "an id that only later versions have"
    assert not old.gives("GB9316") and load(JUDGED).gives("GB9316")
    assert table({"GB0001": "a", "GB0002": "b"}, {"GB0001": entry("GB0001", "A")}) == {"a": "GB0001"}


def test_an_event_is_found_by_cause_and_by_id() -> None:
    later = load("2.15")
    fact = later.event("operation", "attribute-hook", ("function-not-implemented-in-python",))
    assert fact is not None and fact.gb_ids == ("GB1472",)
    assert later.event("operation", "attribute-hook", ("GB0177",)) == fact
    assert later.event("operation", "attribute-hook", ("observed-exception",)) is None
    assert load(JUDGED).event("operation", "attribute-hook", ("GB0177",)) is None


def test_event_with_an_unknown_cause() -> None:
    with pytest.raises(BuildError, match="no-such-cause"):
        check_events({"operation buffer no-such-cause": Fact("graph")}, {"observed-exception"})


def test_new_ids_get_a_cause_and_recorded_ones_stay() -> None:
    versions = {
        JUDGED: {"GB0001": entry("GB0001", "Data-dependent branching"), "GB0002": entry("GB0002", "Bad {name}")}
    }
    assert complete({"GB0001": "branching"}, versions) == {"GB0001": "branching", "GB0002": "bad"}
    later = {JUDGED: {}, "9.9": {"GB0003": entry("GB0003", "Bad {other}")}}
    assert complete({"GB0002": "bad"}, later)["GB0003"] == "bad-gb0003"


def test_slug() -> None:
    assert slug("Can't extract `message` from torch._check*()") == "cant-extract-message-from-torch-check"
    assert (
        slug("nested function with non-constructible closure in output")
        == "nested-function-with-non-constructible-closure"
    )


SOURCES = Path(gblint.__file__).parent
IN_EXAMPLES = {"cli/explain.py"}  # examples of arguments of the command


def test_no_id_is_written_in_code() -> None:
    found = {
        f"{path.relative_to(SOURCES).as_posix()}:{node.lineno}"
        for path in SOURCES.rglob("*.py")
        if path.relative_to(SOURCES).parts[0] != "rules" and path.relative_to(SOURCES).as_posix() not in IN_EXAMPLES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"GB\d{4}", node.value)
    }
    assert found == set()


def test_every_cause_that_is_emitted_exists() -> None:
    """Check the literals in calls of ``emit``; causes in tables are checked when the rules' examples are linted."""
    emitted = {
        constant.value
        for path in (SOURCES / "interp").rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "emit"
        for argument in call.args[_position(call.func.value) :][:1]
        for constant in ast.walk(argument)
        if isinstance(constant, ast.Constant) and isinstance(constant.value, str) and "-" in constant.value
    }
    assert len(emitted) > 100
    assert emitted <= set(RECORDED.values())


def _position(receiver: ast.expr) -> int:
    """Return the position of the causes in ``ctx.emit(kind, subject, ...)`` or ``m.emit(frame, node, kind, ...)``."""
    return 2 if isinstance(receiver, ast.Name) and receiver.id in ("ctx", "context") else 4
