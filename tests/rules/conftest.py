"""The examples of the rules, and the answers of Dynamo for those that this run needs."""

from __future__ import annotations

import importlib.util
import re
import sys

import pytest

from gblint.diagnostics.break_event import Category
from gblint.knowledge.catalog import Knowledge
from gblint.knowledge.version_choice import JUDGED
from gblint.runtime.mypyc import is_compiled
from tests.oracle.dynamo import Verdict, job_of, verdicts_on
from tests.oracle.examples import Case, cases


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a test that takes ``case`` every example that this Python can run."""
    if "case" in metafunc.fixturenames:
        wanted = [case for case in cases() if case.example.is_valid_on(sys.version_info[:2])]
        metafunc.parametrize("case", wanted, ids=[case.name for case in wanted])


@pytest.fixture(autouse=True)
def known_causes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise an error for a cause that no version of torch has; gblint itself would ignore the event."""
    if is_compiled():
        return  # methods of compiled classes cannot be replaced
    ids_of = Knowledge.ids_of

    def checked(knowledge: Knowledge, causes: tuple[str, ...]) -> tuple[str, ...]:
        found = ids_of(knowledge, causes)
        assert all(re.fullmatch(r"GB\d{4}", gb_id) for gb_id in found), causes
        return found

    monkeypatch.setattr(Knowledge, "ids_of", checked)


def runnable(case: Case) -> bool:
    """Return whether the example is valid for the reference version, and torch and its packages are installed."""
    return case.example.is_valid_for(JUDGED) and all(
        importlib.util.find_spec(name) is not None for name in ("torch", *case.example.needs)
    )


@pytest.fixture(scope="session")
def dynamo(request: pytest.FixtureRequest) -> dict[str, Verdict]:
    """Return the verdict of Dynamo on each example of this session, by the name of the case; all run in one batch."""
    asked = {
        item.callspec.params["case"].name: item.callspec.params["case"]
        for item in request.session.items
        if isinstance(item, pytest.Function) and "dynamo" in item.fixturenames and "case" in item.callspec.params
    }
    wanted = [case for case in asked.values() if runnable(case)]
    jobs = {case.name: _job(case, case.example.source) for case in wanted}
    jobs |= {f"{case.name}-instead": _job(case, case.example.instead) for case in wanted if case.example.instead}
    return dict(zip(jobs, verdicts_on(list(jobs.values())), strict=True))


def _job(case: Case, source: str) -> dict[str, object]:
    compare = case.kind == "DIVERGES" or case.rule.category is Category.DIVERGENCE
    example = case.example
    return {**job_of(example), "source": source, "compare": compare}
