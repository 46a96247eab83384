"""The comparison of two reports."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gblint.project.source_text import Style
from gblint.report import comparison


def item(line: int, mark: str | None = "m", path: str = "a.py", **values: Any) -> dict[str, Any]:
    """A finding of a JSON report."""
    found = {
        "path": path,
        "line": line,
        "column": 5,
        "code": "GBL101",
        "confidence": "certain",
        "severity": "warning",
        "message": "`x.item()` takes a number out of a tensor",
        **values,
    }
    return found if mark is None else {**found, "fingerprint": mark}


def report(*findings: dict[str, Any], **values: Any) -> dict[str, Any]:
    return {"version": 1, "findings": list(findings), "entries": [], "unresolved": [], **values}


def compared(before: dict[str, Any], after: dict[str, Any]) -> tuple[list[int], list[int], int]:
    """Return the lines of new findings and of those that are gone, and the number of the others."""
    found = comparison.compare(before, after)
    return [each["line"] for each in found.new], [each["line"] for each in found.gone], found.unchanged


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([], [], ([], [], 0)),
        ([item(3)], [item(8)], ([], [], 1)),
        ([item(3)], [item(3, "other")], ([3], [3], 0)),
        ([item(3)], [item(3), item(4)], ([4], [], 1)),
        ([item(3), item(4)], [item(4)], ([], [4], 1)),
        ([item(3)], [item(3, path="b.py")], ([], [], 1)),
        ([item(3), item(4, path="b.py")], [item(4, path="b.py"), item(9, path="c.py")], ([], [], 2)),
        ([item(3, None)], [item(5, None)], ([], [], 1)),
        ([item(3, None)], [item(5, None, message="another")], ([5], [3], 0)),
    ],
    ids=["empty", "moved", "other", "added", "removed", "renamed", "renamed-beside", "older", "older-other"],
)
def test_findings_are_matched_by_their_fingerprint(
    before: list[dict[str, Any]], after: list[dict[str, Any]], expected: object
) -> None:
    assert compared(report(*before), report(*after)) == expected


def test_graphs_and_places_that_are_no_longer_analysed() -> None:
    target = {"path": "a.py", "line": 3, "expression": "model", "message": "not known"}
    before = report(entries=[{"name": "a:f", "graphs": {"low": 2, "high": 2}}, {"name": "a:g", "graphs": None}])
    after = report(
        entries=[{"name": "a:f", "graphs": {"low": 2, "high": None}}, {"name": "a:g", "graphs": None}],
        unresolved=[target, {**target, "line": 9}],
    )
    found = comparison.compare({**before, "unresolved": [target]}, after)
    assert found.graphs == (comparison.ChangedGraphs("a:f", "2", "2 to many"),)
    assert [each["line"] for each in found.unresolved] == [9]
    assert list(comparison.as_text(found, Style())) == [
        "No longer analysed:",
        "  a.py:9: not known",
        "Graphs per call (estimated):",
        "  a:f: 2 -> 2 to many",
        "0 new findings, 0 gone, 0 unchanged, 1 compiled object no longer analysed.",
    ]


def test_text() -> None:
    found = comparison.compare(report(item(3, "gone")), report(item(7, "new", raised_by={"line": 1})))
    assert list(comparison.as_text(found, Style())) == [
        "New:",
        "  a.py:7:5: GBL101 [certain] `x.item()` takes a number out of a tensor (raises)",
        "Gone:",
        "  a.py:3:5: GBL101 [certain] `x.item()` takes a number out of a tensor",
        "1 new finding, 1 gone, 0 unchanged.",
    ]
    document = json.loads(comparison.as_json(found))
    assert (document["new"][0]["line"], document["gone"][0]["line"], document["unchanged"]) == (7, 3, 0)


def test_texts_of_a_report_stay_in_their_cell() -> None:
    found = comparison.compare(report(), report(*(item(n, str(n), message="a | b\n<img> \u202e") for n in range(25))))
    lines = list(comparison.as_markdown(found))
    rows = [line for line in lines if line.startswith("| `a.py")]
    assert len(rows) == 20 and "| ... and 5 more | | |" in lines
    assert all(line.count("|") - line.count("\\|") == 4 and "<" not in line and "\u202e" not in line for line in rows)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "not a report"),
        ('{"findings": 1}', "not a report"),
        ('{"version": 2, "findings": []}', "a report of version 2, not 1"),
        ('{"version": 1, "findings": [{}]}', "damaged findings"),
    ],
)
def test_other_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(comparison.NoReportError, match=message):
        comparison.parse(text)
