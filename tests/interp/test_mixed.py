"""Everyday snippets, written independently of the rules: gblint and Dynamo agree on them."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gblint.diagnostics.break_event import Category
from tests.interp.mixed import Snippet, snippets
from tests.oracle import dynamo, linter
from tests.oracle.marks import marked

pytestmark = pytest.mark.slow

LEAST_SHARE = 0.97
FOLDERS = ("mixed", "mixed_more")

MASKED = "the break before it makes the rest of the function run eagerly, so that Dynamo does not come to this one"
NO_TORCH = "which torch is installed decides, and there is none"
OTHER_ARGUMENTS = "the run that was judged does not take the path"
NO_KIND = "nothing says what the parameter is"
TO_LEARN = "the interpreter does not know of it yet"
UNKNOWN_RANK = "whether an index is a scalar is not known"

DISAGREEMENTS = {
    "kv_cache_slice_by_tensor": MASKED,
    "context_manager_timer": MASKED,
    "debug_off": OTHER_ARGUMENTS,
    "loss_not_logged_this_step": OTHER_ARGUMENTS,
    "tensor_or_none_arguments": OTHER_ARGUMENTS,
    "warn_not_reached": OTHER_ARGUMENTS,
    "warn_on_range": OTHER_ARGUMENTS,
    "list_index_by_tensor": NO_KIND,
    "singledispatch": TO_LEARN,
    "nms_loop": UNKNOWN_RANK,
    **({} if importlib.util.find_spec("torch") else {"versions_of_torch_python_and_packages": NO_TORCH}),
    **({"functools_cached_property": "it takes a lock before Python 3.12"} if sys.version_info >= (3, 12) else {}),
}
"""Snippets on which gblint and Dynamo disagree, with the reason."""


def _all() -> Iterator[Snippet]:
    for folder in FOLDERS:
        yield from snippets(folder)


@pytest.fixture(scope="module")
def corpus() -> list[Snippet]:
    """Return every snippet; the names are unique."""
    found = list(_all())
    assert len({s.name for s in found}) == len(found)
    return found


@pytest.fixture(scope="module")
def reported(corpus: list[Snippet], tmp_path_factory: pytest.TempPathFactory) -> dict[str, frozenset[int]]:
    """Return the lines of each snippet on which gblint reports a break."""
    folder = tmp_path_factory.mktemp("mixed")
    return {s.name: _lines(s, folder) for s in corpus}


def _lines(snippet: Snippet, folder: Path) -> frozenset[int]:
    found = linter.findings(snippet.source, folder)
    return frozenset(f.span.line for f in found if f.category in (Category.GRAPH_BREAK, Category.COMPILE_ERROR))


@pytest.fixture(scope="module")
def wrong(corpus: list[Snippet], reported: dict[str, frozenset[int]]) -> list[str]:
    """Return the snippets with a missed break or a false alarm."""
    return [s.name for s in corpus if reported[s.name] != frozenset(marked(s.source))]


def test_there_are_enough(corpus: list[Snippet]) -> None:
    breaking = sum(bool(marked(s.source)) for s in corpus)
    assert len(corpus) >= 200
    assert 0.25 < breaking / len(corpus) < 0.75


def test_lines_agree(corpus: list[Snippet], wrong: list[str]) -> None:
    assert 1 - len(wrong) / len(corpus) >= LEAST_SHARE


def test_no_other_disagreements(wrong: list[str]) -> None:
    assert set(wrong) <= DISAGREEMENTS.keys()


@pytest.mark.skipif(
    importlib.util.find_spec("torch") is None or sys.version_info[:2] != (3, 11),
    reason="the marks were made with Python 3.11",
)
def test_dynamo_agrees(corpus: list[Snippet]) -> None:
    """Check that the marks agree with Dynamo."""
    verdicts = dynamo.verdicts([(s.source, s.inputs) for s in corpus])
    observed = {s.name: v.breaks for s, v in zip(corpus, verdicts)}
    assert observed == {s.name: marked(s.source) for s in corpus}
