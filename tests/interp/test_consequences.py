"""Consequences of breaks and the number of graphs of a call, compared with records of Dynamo."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from gblint.config.settings import Config
from gblint.diagnostics.break_event import Category, Confidence
from gblint.diagnostics.count_range import CountRange
from gblint.diagnostics.finding import Finding
from gblint.pipeline.lint import LintRequest, lint
from tests.oracle import record

LEAST_CONSEQUENCES = 0.97
LEAST_EXACT_GRAPHS = 0.9
LEAST_GRAPHS_IN_RANGE = 0.94
RANK = {"resumes": 0, "rest-eager": 1, "frame-eager": 2}

# New findings may add up to this many functions to the lists below.
MOST_UNLISTED = 8
OTHER_CONSEQUENCE: frozenset[str] = frozenset(
    (
        "case_all_generator_tensor",
        "case_counter_most_common",
        "case_id_equal_integer",
        "case_id_less_than",
        "case_nonstrict_inline_decorator",
        "case_pathlib_exists",
        "case_sorted_keys_tensor",
        "method_break",  # Dynamo resumes after the break inside, and gives up at the call
    )
)
"""Functions for which gblint predicts another consequence than Dynamo."""

OTHER_GRAPHS: frozenset[str] = frozenset(
    (
        "break_in_init",
        "case_all_generator_tensor",
        "case_are_det",
        "case_aten_op",
        "case_break_given_comprehension_callee",
        "case_counter_most_common",
        "case_dist_cat",
        "case_dist_init",
        "case_except_tuple_var",
        "case_generator_across_break",
        "case_generator_frame",
        "case_generator_returned_sideeff",
        "case_hessian",
        "case_id_compared",
        "case_itertools_accum",
        "case_itertools_groupby_tensor",
        "case_itertools_starmap",
        "case_jvp",
        "case_match",
        "case_match_dict",
        "case_max_tkey",
        "case_methodcaller",
        "case_ndarray_apply",
        "case_nonstrict_inline_decorator",
        "case_numpy_integer_range",
        "case_numpy_outer",
        "case_numpy_prod_shape",
        "case_numpy_reduce",
        "case_object_equal",
        "case_result_type",
        "case_returned_map",
        "case_reversed_tensor",
        "case_simplens",
        "case_size_equal",
        "case_sorted_item",
        "case_sorted_keys_tensor",
        "case_sorted_tkey",
        "case_stopiter",
        "case_traceback",
        "case_uuid",
        "dataclass_result",
        "forward_hook",
    )
)
"""Functions for which the number of graphs is not even in the range that gblint predicts."""

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="the corpus has `except*`")


@dataclass
class Predicted:
    """The result of gblint for one function: findings by line, and the graphs of a call."""

    graphs: CountRange | None = None
    findings: dict[int, Finding] = field(default_factory=dict)
    breaks: bool = False


@dataclass
class Score:
    """Counts of the agreement between gblint and Dynamo."""

    consequences: int = 0
    right: int = 0
    graphs: int = 0
    exact: int = 0
    in_range: int = 0
    other_consequence: set[str] = field(default_factory=set)
    other_graphs: set[str] = field(default_factory=set)

    def add(self, name: str, predicted: Predicted, seen: dict[str, Any]) -> None:
        """Compare one function; breaks that only one of the two reports are checked in other tests."""
        worst: dict[int, tuple[str, str]] = {}
        for line, frame, how in seen["handled"]:
            # For Dynamo a comprehension is a function, and the loop in it is never compiled after a break.
            if not frame.startswith("<") and (line not in worst or RANK[how] > RANK[worst[line][1]]):
                worst[line] = (frame, how)
        for line, (frame, how) in worst.items():
            finding = predicted.findings.get(line)
            if finding is not None:
                self.consequences += 1
                if _says(finding, frame, how):
                    self.right += 1
                else:
                    self.other_consequence.add(name)
        if predicted.breaks is bool(seen["handled"]) and predicted.graphs is not None:
            self.graphs += 1
            low, high, ran = predicted.graphs.low, predicted.graphs.high, seen["graphs"]
            self.exact += low == high == ran
            if low <= ran and (high is None or ran <= high):
                self.in_range += 1
            else:
                self.other_graphs.add(name)


def _says(finding: Finding, frame: str, how: str) -> bool:
    predicted = finding.consequence
    return predicted is not None and predicted.outcome == how and (how == "resumes" or predicted.frame.endswith(frame))


def _breaks(findings: Iterable[Finding]) -> Iterator[Finding]:
    for finding in findings:
        if finding.category is Category.GRAPH_BREAK and finding.confidence is not Confidence.POSSIBLE:
            yield finding


@pytest.fixture(scope="module")
def seen() -> dict[str, dict[str, Any]]:
    """Return the records of Dynamo."""
    found: dict[str, dict[str, Any]] = json.loads(record.RECORD.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def score(seen: dict[str, dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Score:
    score = Score()
    for name, predicted in _of_snippets(tmp_path_factory.mktemp("snippets")).items():
        if name in seen["snippets"]:
            score.add(name, predicted, seen["snippets"][name])
    for name, predicted in _of_verified().items():
        if name in seen["verified"]:
            score.add(name, predicted, seen["verified"][name])
    return score


def _of_snippets(folder: Path) -> dict[str, Predicted]:
    entries = []
    for job in record.snippets():
        (folder / f"{job.name}.py").write_text(job.source, encoding="utf-8")
        entries.append(f"{job.name}:{'Net' if 'class Net(' in job.source else 'f'}")
    config = Config(folder).with_values(python=sys.executable)
    report = lint(LintRequest((folder,), entries=tuple(entries)), config).report
    assert not report.errors
    predicted = {entry.name.partition(":")[0]: Predicted(entry.graphs) for entry in report.entries}
    for finding in _breaks(report.findings):
        for entry in finding.entries:
            one = predicted[entry.partition(":")[0]]
            one.findings[finding.span.line] = finding
            one.breaks = True
    return predicted


def _of_verified() -> dict[str, Predicted]:
    folder = record.CORPUS / "verified"
    report = lint(LintRequest(tuple(sorted(folder.glob("*.py")))), Config(root=folder)).report
    assert not report.errors
    predicted = {entry.name.partition(":")[2]: Predicted(entry.graphs) for entry in report.entries}
    starts = {entry.name.partition(":")[2]: entry.line for entry in report.entries}
    for finding in _breaks(report.findings):
        for entry in finding.entries:
            name = entry.partition(":")[2]
            predicted[name].findings.setdefault(finding.span.line - starts[name], finding)
            predicted[name].breaks = True
    return predicted


def test_most_consequences_are_right(score: Score) -> None:
    assert score.right / score.consequences >= LEAST_CONSEQUENCES


def test_most_graph_counts_are_right(score: Score) -> None:
    assert score.exact / score.graphs >= LEAST_EXACT_GRAPHS
    assert score.in_range / score.graphs >= LEAST_GRAPHS_IN_RANGE


def test_disagreements_are_the_known_ones(score: Score) -> None:
    assert len(score.other_consequence - OTHER_CONSEQUENCE) <= MOST_UNLISTED
    assert len(score.other_graphs - OTHER_GRAPHS) <= MOST_UNLISTED
    own = {job.name for job in record.snippets()}
    assert sorted((score.other_consequence - OTHER_CONSEQUENCE) & own) == []
    assert sorted((score.other_graphs - OTHER_GRAPHS) & own) == []


@pytest.mark.slow
def test_dynamo_agrees_with_the_record(seen: dict[str, dict[str, Any]]) -> None:
    jobs = [job for job in record.snippets() if job.name in seen["snippets"]]
    again = {job.name: record.recorded(job, answer) for job, answer in zip(jobs, record.answers(jobs), strict=True)}
    assert again == {job.name: seen["snippets"][job.name] for job in jobs}


def test_first_iteration_of_a_loop_hides_no_break(tmp_path: Path) -> None:
    """The number of layers is unknown; the layer is first interpreted with an input, then with its own result."""
    (source,) = (job.source for job in record.snippets() if job.name == "helper_of_modules_in_loop")
    path = tmp_path / "net.py"
    path.write_text(source.replace("n: int = 3", "n: int"), encoding="utf-8")
    (finding,) = lint(LintRequest((path,)), Config(tmp_path).with_values(assume_entries="always")).report.findings
    assert finding.consequence is not None
    assert (finding.consequence.outcome, finding.consequence.frame) == ("frame-eager", "Net.forward")
