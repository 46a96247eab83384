"""The pytest plugin in a run of pytest of its own, with torch; and what it costs those who do not use it."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from pathlib import Path

import pytest

from gblint.pytest_plugin import no_graph_breaks

LOAD = ["-p", "no:gblint", "-p", "gblint.pytest_plugin", "-p", "no:cacheprovider"]
HELPERS = """\
def scale(x):
    return x * x.sum().item()
"""
TESTS = """\
import pytest
import torch

from gblint.pytest_plugin import GraphBreaksFound, no_graph_breaks as watch
from helpers import scale


def breaks(x):
    print(x.shape)
    return scale(x)


def clean(x):
    return x + 1


def mode(x, kind):
    return x + 1 if kind == "a" else x - 1


def compiled(function, **options):
    return torch.compile(function, backend="eager", **options)


X = torch.ones(3)
OLD = compiled(breaks)
OLD(X)


def test_clean():
    with watch():
        compiled(clean)(X)


def test_breaks():
    with watch():
        compiled(breaks)(X)


def test_compiled_before():
    with watch():
        OLD(X)


def test_allowed():
    with watch(max_graph_breaks=2):
        compiled(breaks)(X)


def test_one_too_many(no_graph_breaks):
    with no_graph_breaks(max_graph_breaks=1):
        compiled(breaks)(X)


def test_recompiles():
    function = compiled(mode)
    with watch(max_recompiles=1):
        for kind in "abc":
            function(X, kind)


def test_recompiles_allowed():
    function = compiled(mode)
    with watch(max_recompiles=2):
        for kind in "abc":
            function(X, kind)


def test_recompiles_do_not_matter():
    function = compiled(mode)
    with watch():
        for kind in "abc":
            function(X, kind)


def test_an_error_inside_comes_first():
    with watch():
        compiled(breaks)(X)
        raise KeyError("mine")


def test_fullgraph():
    with watch():
        compiled(breaks, fullgraph=True)(X)


def test_it_can_be_expected():
    with pytest.raises(GraphBreaksFound, match="GBL401 print-call GB0059"):
        with watch():
            compiled(breaks)(X)


@pytest.mark.graph_breaks
def test_marked():
    compiled(breaks)(X)


@pytest.mark.graph_breaks(max=2)
def test_marked_allowed():
    compiled(breaks)(X)


@pytest.mark.graph_breaks(max=0, max_recompiles=0)
def test_marked_clean():
    compiled(clean)(X)


@pytest.mark.graph_breaks(most=1)
def test_marked_wrongly():
    pass


@pytest.mark.graph_breaks
def test_marked_and_failing():
    compiled(breaks)(X)
    assert 1 == 2


@pytest.mark.graph_breaks
@pytest.mark.xfail(strict=True)
def test_marked_and_expected_to_fail():
    assert 1 == 2


def test_what_was_seen(graph_breaks):
    compiled(breaks)(X)
    assert [each.gb_ids for each in graph_breaks.breaks] == [("GB0059",), ("GB0124",)]
    assert graph_breaks.recompiles == []
    assert graph_breaks.graphs >= 1


def test_nothing_compiled():
    with pytest.warns(UserWarning, match="nothing was compiled"):
        with watch():
            clean(X)


class TestMarked:
    pytestmark = pytest.mark.graph_breaks

    def test_in_a_class(self):
        compiled(breaks)(X)
"""
PASS = {
    "test_clean", "test_allowed", "test_recompiles_allowed", "test_recompiles_do_not_matter", "test_it_can_be_expected",
    "test_marked_allowed", "test_marked_clean", "test_what_was_seen", "test_nothing_compiled",
    "test_marked_and_expected_to_fail",
}  # fmt: skip


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Run the tests; return their folder and what pytest printed."""
    folder = tmp_path_factory.mktemp("suite")
    (folder / "helpers.py").write_text(HELPERS, encoding="utf-8")
    (folder / "test_net.py").write_text(TESTS, encoding="utf-8")
    run = [sys.executable, "-m", "pytest", *LOAD, "--strict-markers", "--junitxml=out.xml", "test_net.py"]
    done = subprocess.run(run, cwd=folder, capture_output=True, text=True)
    assert (folder / "out.xml").exists(), done.stdout + done.stderr
    return folder, done.stdout


@pytest.fixture(scope="module")
def outcomes(finished: tuple[Path, str]) -> Mapping[str, str]:
    """Return the outcome of each test of the run: its failure message, or an empty string."""
    folder, _ = finished
    found = {}
    for case in ElementTree.parse(folder / "out.xml").iter("testcase"):
        failure = case.find("failure")
        failed = failure if failure is not None else case.find("error")
        found[case.attrib["name"]] = "" if failed is None else f"{failed.attrib['message']}\n{failed.text}"
    return found


def test_a_report_has_no_records_of_the_trace_of_dynamo(finished: tuple[Path, str]) -> None:
    _, printed = finished
    assert "test_marked" in printed
    assert printed.count("torch.__trace") == 0
    # Torch warns of `.item()` on its own; the report has this break anyway.
    assert "GBL101" in printed and "Graph break from" not in printed


def test_dynamo_agrees_on_what_fails(outcomes: Mapping[str, str]) -> None:
    assert {name for name, failure in outcomes.items() if not failure} == PASS


def test_dynamo_agrees_on_the_message(outcomes: Mapping[str, str]) -> None:
    for name in ("test_breaks", "test_compiled_before", "test_marked", "test_in_a_class"):
        message = outcomes[name]
        for part in (
            "2 graph breaks where none is allowed:",
            "test_net.py:9: GBL401 print-call GB0059: `print(x.shape)`: Failed to trace builtin operator",
            "helpers.py:2: GBL101 tensor-item GB0124: `return x * x.sum().item()`",
            "-> helpers.py:2 in scale",
            "help: ",
            "see: https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0124.html",
        ):
            assert part in message, name
    assert "2 graph breaks where 1 is allowed:" in outcomes["test_one_too_many"]


def test_dynamo_agrees_on_recompiles(outcomes: Mapping[str, str]) -> None:
    message = outcomes["test_recompiles"]
    assert "2 recompilations where 1 is allowed:" in message
    assert "test_net.py:17: GBL703 changing-mode: `mode` is compiled again" in message


def test_dynamo_agrees_on_other_failures(outcomes: Mapping[str, str]) -> None:
    assert "KeyError" in outcomes["test_an_error_inside_comes_first"]
    assert "Unsupported" in outcomes["test_fullgraph"]
    assert "assert 1 == 2" in outcomes["test_marked_and_failing"]
    assert "the mark: graph_breaks() got an unexpected keyword argument" in outcomes["test_marked_wrongly"]
    assert "gblint/pytest_plugin.py" not in outcomes["test_breaks"]


def test_loading_it_costs_nothing() -> None:
    code = (
        "import pytest, sys; before = set(sys.modules); import gblint.pytest_plugin; new = set(sys.modules) - before;"
        "print(sorted(name for name in new if name not in ('gblint', 'gblint.pytest_plugin') and '__' not in name))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("limit", [-1, "1", 1.5])
def test_limits_that_are_none(limit: object) -> None:
    with pytest.raises(ValueError, match="max_graph_breaks is a number from 0 on or None"):
        no_graph_breaks(limit)  # type: ignore[arg-type]
