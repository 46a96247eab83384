"""gblint for other versions of torch: its findings in the examples are the breaks that Dynamo of that version made."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.knowledge.version_choice import JUDGED
from gblint.rules import Example, Rule
from tests.oracle.examples import cases
from tests.oracle.linter import findings
from tests.oracle.versions import digest, recorded, says
from tools.knowledge.build import SOURCES

RECORD = recorded()
EXAMPLES = [(case.rule, case.example) for case in cases() if case.kind in ("BREAKS", "CLEAN")]
OLD, NEW = "2.10", "2.15"
MOST_UNSAID = 0.08


def asked(version: str) -> list[tuple[Rule, Example]]:
    """Return the examples that were run under a version, and for which gblint should agree with it."""
    row = RECORD[version]
    return [
        (rule, example)
        for rule, example in EXAMPLES
        if row.expected(example) is not None and digest(example) not in row.unsaid
    ]


def wrong(version: str, examples: list[tuple[Rule, Example]], folder: Path) -> list[str]:
    """Return the examples for which gblint and the version disagree."""
    row = RECORD[version]
    expected = [(rule, example, row.expected(example)) for rule, example in examples]
    return [
        f"{rule.code} {digest(example)}"
        for rule, example, breaks in expected
        if breaks is not None and not says(rule, example, breaks, version, folder)
    ]


@pytest.mark.parametrize("version", RECORD)
def test_where_dynamo_changed(version: str, tmp_path: Path) -> None:
    """See ``oracle/versions.py`` for how the record was made; of the versions between, one example in four is tried."""
    changed = [(rule, example) for rule, example in asked(version) if digest(example) in RECORD[version].differs]
    assert len(changed) > 10
    every = 1 if version in (OLD, NEW) else 4
    assert wrong(version, changed[::every], tmp_path) == []


@pytest.mark.parametrize("version", [OLD, NEW])
def test_where_dynamo_did_not_change(version: str, tmp_path: Path) -> None:
    """One example in eight is tried."""
    same = [(rule, example) for rule, example in asked(version) if digest(example) in RECORD[version].same]
    assert wrong(version, same[::8], tmp_path) == []


def test_the_versions_differ(tmp_path: Path) -> None:
    """Dynamo of three versions on one function, as recorded."""
    source = """\
import random

import torch


def f(x: torch.Tensor, stop: torch.Tensor) -> torch.Tensor:
    x = x * random.random()
    steps = list(range(stop))
    x = torch.combinations(x)
    return x * [1, 2][stop], steps
"""
    found = {version: findings(source, tmp_path, torch_version=version) for version in (OLD, JUDGED, NEW)}
    reported = {version: {(f.span.line, f.gb_ids) for f in each} for version, each in found.items()}
    assert reported[OLD] == {(7, ("GB0007",)), (8, ("GB0059",)), (9, ("GB0036",)), (10, ("GB0218", "GB0070"))}
    assert reported[JUDGED] == {(7, ("GB0007",)), (8, ("GB0059",)), (9, ("GB0036",)), (10, ("GB0124",))}
    assert reported[NEW] == {(8, ("GB0124",)), (10, ("GB0124",))}


@pytest.mark.parametrize("version", RECORD)
def test_little_is_left_unsaid(version: str) -> None:
    row = RECORD[version]
    assert len(row.unsaid) <= MOST_UNSAID * (len(row.same) + len(row.differs))


@pytest.mark.skipif(not SOURCES.is_dir(), reason="what was measured is not part of an installed package")
def test_every_version_that_was_measured_is_on_record() -> None:
    measured = {path.stem.removeprefix("overlay-") for path in SOURCES.glob("overlay-*.json")}
    assert set(RECORD) == measured - {JUDGED}
