"""The table of events is complete: it has what the interpreter emits, and what the rules describe."""

from __future__ import annotations

from typing import get_args

import pytest

from gblint.rules import all_rules
from gblint.rules.events import EVENTS, EventKind
from tests.oracle.emitted import Emitted, emitted

# The subjects of each kind whose list of subjects is complete.
EXHAUSTIVE = {kind: description.subjects for kind, description in EVENTS.items() if description.exhaustive}


@pytest.fixture(scope="module")
def events() -> list[Emitted]:
    return emitted()


def test_each_kind_has_a_description() -> None:
    assert tuple(EVENTS) == get_args(EventKind)
    for description in EVENTS.values():
        assert description.description.endswith(".")
        assert len(set(description.subjects)) == len(description.subjects) > 0


def test_each_emitted_kind_is_in_the_table(events: list[Emitted]) -> None:
    assert [event for event in events if event.kind not in EVENTS] == []


def test_each_emitted_subject_is_in_the_table(events: list[Emitted]) -> None:
    literal = [event for event in events if event.subject is not None]
    assert [event for event in literal if event.subject not in EXHAUSTIVE.get(event.kind, (event.subject,))] == []


def test_each_kind_is_emitted(events: list[Emitted]) -> None:
    assert set(EVENTS) - {event.kind for event in events} == set()


def test_each_kind_and_subject_is_described_by_a_rule() -> None:
    """Each kind and subject has a rule that does not depend on the context."""
    conditions = [on for rule in all_rules() for on in rule.on if on.kind != "*"]
    without = [
        (kind, subject)
        for kind, description in EVENTS.items()
        for subject in description.subjects
        if not any(on.kind == kind and on.specificity(subject, frozenset()) >= 0 for on in conditions)
    ]
    assert without == []


def test_each_subject_of_a_rule_is_in_the_table() -> None:
    wrong = [
        (rule.code, on.kind, subject)
        for rule in all_rules()
        for on in rule.on
        for subject in on.subjects
        if subject != "*" and subject not in EXHAUSTIVE.get(on.kind, (subject,))
    ]
    assert wrong == []


def test_the_reader_finds_calls_of_all_forms(events: list[Emitted]) -> None:
    """A literal, a conditional expression, a table, and a function that passes its parameter on."""
    pairs = {(event.kind, event.subject) for event in events}
    assert ("generator", "entry") in pairs
    assert ("operation", "weakref") in pairs
    assert ("operator-arguments", "torch.compile") in pairs
    assert ("config", None) in pairs
