"""Dynamo run on the facts: every snippet of facts.txt must have the outcome that the catalogue has for its subject."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import pytest

from gblint.knowledge.catalog import Knowledge
from tests.oracle.facts import disagreement, outcomes

pytestmark = [
    pytest.mark.slow,
    pytest.mark.oracle,
    pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed"),
]


def test_facts(known: Knowledge) -> None:
    found = outcomes(sys.executable)
    assert len(found) > 800
    wrong = {outcome["head"]: why for outcome in found if (why := disagreement(known, outcome)) is not None}
    assert wrong == {}
