"""Constructs of the language and of torch, a few lines each: gblint is right for most on whether they are one graph."""

from __future__ import annotations

import importlib.util
import sys

import pytest

from gblint.diagnostics.break_event import Category
from tests.interp.mixed import Snippet, snippets
from tests.oracle import dynamo, linter
from tests.oracle.marks import marked

LEAST_SHARE = 0.88

MISSED = frozenset(
    # break_import imports a module that is not installed; such a finding is only possible.
    """
    break_import
    async_call raise_uncaught try_torch_err try_assert typing_cast_bad kwonly_bad partial_noargs
    undef_local mp_after_mut lib_op_nofake nonexist_op cond_str autograd_fn_kw out_mismatch in_quant
    register_hook_handle wait unknown clip_grad_err gab hook_append
    """.split()
)
"""Snippets that break without a finding."""

FALSE_ALARMS = frozenset("print_in_if_const requires_grad_noop".split())
"""Snippets that are one graph but have a finding."""

if importlib.util.find_spec("sympy") is None:  # without sympy, calls of it look like untraceable ones
    FALSE_ALARMS |= {"sympy"}


@pytest.fixture(scope="module")
def corpus() -> list[Snippet]:
    """Return every snippet."""
    return list(snippets("constructs"))


@pytest.fixture(scope="module")
def wrong(corpus: list[Snippet], tmp_path_factory: pytest.TempPathFactory) -> tuple[frozenset[str], frozenset[str]]:
    """Return the snippets with missed breaks, and those with false alarms."""
    folder = tmp_path_factory.mktemp("constructs")
    missed, false = set(), set()
    for snippet in corpus:
        found = linter.findings(snippet.source, folder)
        reported = any(f.category in (Category.GRAPH_BREAK, Category.COMPILE_ERROR) for f in found)
        if reported != bool(marked(snippet.source)):
            (false if reported else missed).add(snippet.name)
    return frozenset(missed), frozenset(false)


def test_most_agree(corpus: list[Snippet], wrong: tuple[frozenset[str], frozenset[str]]) -> None:
    missed, false = wrong
    assert 1 - len(missed | false) / len(corpus) >= LEAST_SHARE


def test_no_other_disagreements(wrong: tuple[frozenset[str], frozenset[str]]) -> None:
    missed, false = wrong
    assert missed <= MISSED
    assert false <= FALSE_ALARMS


@pytest.mark.skipif(
    importlib.util.find_spec("torch") is None or sys.version_info[:2] != (3, 11),
    reason="the marks were made with Python 3.11",
)
def test_dynamo_agrees(corpus: list[Snippet]) -> None:
    """Check that the marks agree with Dynamo: for each snippet, whether it breaks."""
    verdicts = dynamo.verdicts([(s.source, s.inputs) for s in corpus])
    observed = {s.name: bool(v.breaks) for s, v in zip(corpus, verdicts)}
    assert observed == {s.name: bool(marked(s.source)) for s in corpus}
