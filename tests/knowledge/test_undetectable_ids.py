"""The table of all of torch's ids: an example shows each id, or there is a reason why none can."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from gblint.knowledge.catalog import load
from gblint.knowledge.id_examples import id_examples
from gblint.knowledge.undetectable_ids import KINDS, unseen
from gblint.knowledge.version_choice import JUDGED
from gblint.report.explain_lookup import id_answer, registry


def ids_of_torch() -> frozenset[str]:
    """Return the ids in the registry of the installed torch, or in the extracted data if torch is not installed."""
    found = importlib.util.find_spec("torch")
    if found is None or not found.submodule_search_locations:
        return frozenset(load(JUDGED).registry())
    path = Path(found.submodule_search_locations[0]) / "_dynamo" / "graph_break_registry.json"
    return frozenset(json.loads(path.read_text(encoding="utf-8")))


def test_every_id_has_an_example_or_a_reason() -> None:
    assert sorted(ids_of_torch() - set(id_examples()) - set(unseen())) == []


def test_no_id_has_both_an_example_and_a_reason() -> None:
    both = {gb_id: shown.lines[0].rule for gb_id, shown in id_examples().items() if gb_id in unseen()}
    assert both == {}


def test_only_ids_that_torch_has() -> None:
    assert set(unseen()) <= ids_of_torch()
    assert set(id_examples()) <= set(registry())


def test_retired_ids_are_those_that_no_code_gives() -> None:
    entries = load(JUDGED).registry()
    wrong = {gb_id for gb_id, each in unseen().items() if entries[gb_id].retired != (each.kind == "retired")}
    assert wrong == set()


@pytest.mark.parametrize("gb_id", unseen())
def test_a_reason_is_a_sentence(gb_id: str) -> None:
    reason = unseen()[gb_id]
    assert reason.kind in KINDS
    assert reason.why[0].isupper() or reason.why[0] == "`"
    assert reason.why.endswith(".")
    assert len(reason.why) < 300


def test_ids_of_other_versions_say_so() -> None:
    later = sorted(set(registry()) - set(load(JUDGED).registry()) - set(id_examples()))
    assert later
    reason = id_answer(later[0]).unseen
    assert reason is not None
    assert reason.kind == "version"
