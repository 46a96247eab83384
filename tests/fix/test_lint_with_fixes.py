"""Lint runs with fixes: a large project that is divided into work units gets the same fixes as one that is not."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from gblint.cache.store import Cache
from gblint.config.settings import Config
from gblint.diagnostics.fix import Fix
from gblint.diagnostics.span import Span
from gblint.fix.consensus import FixVoter, agreed_fixes
from gblint.fix.fixed_point import FixResult, fix_files
from gblint.fix.lint_with_fixes import MAX_FILES_IN_ONE_RUN, Resources, lint_showing_fixes, lint_with_fixes
from gblint.pipeline.lint import LintRequest
from gblint.pipeline.work_units import FILES_PER_UNIT, FixVote

SHARED = """\
import torch


def clipped(x, limit):
    if x.sum() > 0:
        x = x + 1
    else:
        x = x - 1
    return x * float(limit)
"""
OF_TENSOR = """\
from torch import nn

from pkg.shared import clipped


class First(nn.Module):
    def forward(self, x):
        print("first", x.shape)
        return clipped(x, x.max())
"""
OF_NUMBER = """\
from torch import nn

from pkg.shared import clipped


class Second(nn.Module):
    def forward(self, x):
        return clipped(x, 3)
"""
LIBRARY = """\
import random


def drawn(x):
    return x + random.Random(x.shape[0]).betavariate(1.0, 2.0)
"""
OF_LIBRARY = """\
from torch import nn
from lib_of_others import drawn


class Third(nn.Module):
    def forward(self, x):
        return drawn(x) + self.scale(x)

    def scale(self, x):
        return x * x.max().item()
"""
COMPILED = """\
import torch
from pkg.shared import clipped

quick = torch.compile(clipped)


def run():
    return quick(torch.ones(3), 2.0)
"""
AS_TENSOR = "use the tensor instead of the number"


def _project(folder: Path, *texts: str) -> Config:
    """A project with a work unit for each of the texts, and many more files."""
    files = {f"m{number}": text for number, text in enumerate(texts)}
    files |= {f"m{number}_{rest}": "" for number in range(len(texts)) for rest in range(FILES_PER_UNIT - 1)}
    files |= {f"z{number}": f"X = {number}\n" for number in range(MAX_FILES_IN_ONE_RUN)}
    files |= {"shared": SHARED, "__init__": ""}
    (folder / "pkg").mkdir()
    for name, text in files.items():
        (folder / "pkg" / f"{name}.py").write_text(text)
    return Config(folder).with_values(assume_entries="always")


def _fixed(folder: Path, config: Config, jobs: int = 1) -> FixResult:
    return fix_files(
        LintRequest((folder / "pkg",)),
        config,
        lambda *arguments: arguments[1].applicability != "display",
        resources=Resources(jobs),
    )


def _whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gblint.fix.lint_with_fixes.MAX_FILES_IN_ONE_RUN", 10_000)


def _texts(fixed: FixResult) -> dict[str, str]:
    return {Path(path).name: text for path, text in fixed.texts.items()}


@pytest.mark.parametrize("texts", [(OF_TENSOR, OF_NUMBER), (OF_TENSOR, COMPILED)])
def test_divided_run_equals_single_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, texts: tuple[str, ...]) -> None:
    config = _project(tmp_path, *texts)
    fixed = _fixed(tmp_path, config)
    assert "torch.where" in _texts(fixed)["shared.py"]
    assert len(fixed.applied) == 2
    _whole(monkeypatch)
    whole = _fixed(tmp_path, config)
    assert (fixed.texts, fixed.applied) == (whole.texts, whole.applied)
    assert fixed.outcome.report == whole.outcome.report


def test_number_of_processes_does_not_change_the_result(tmp_path: Path) -> None:
    config = _project(tmp_path, OF_TENSOR, OF_NUMBER)
    one, two = _fixed(tmp_path, config), _fixed(tmp_path, config, jobs=2)
    assert one.applied
    assert (one.texts, one.applied, one.outcome.report) == (two.texts, two.applied, two.outcome.report)


@pytest.mark.parametrize(
    ("texts", "expected"), [((OF_TENSOR,), True), ((OF_TENSOR, OF_NUMBER), False), ((OF_TENSOR, COMPILED), False)]
)
def test_fix_has_to_be_right_for_every_caller(tmp_path: Path, texts: tuple[str, ...], expected: bool) -> None:
    """``float`` of a value that is a tensor for one caller and a number for another stays as it is.

    The two callers are in different work units.
    """
    fixed = _fixed(tmp_path, _project(tmp_path, *texts))
    assert (AS_TENSOR in {each.fix.title for each in fixed.applied}) == expected
    assert ("float(limit)" in _texts(fixed)["shared.py"]) != expected


def test_only_changed_units_are_run_again(tmp_path: Path) -> None:
    config = _project(tmp_path, OF_TENSOR, OF_NUMBER)
    totals: list[int] = []

    def progress(done: int, total: int, label: str) -> None:
        if label.endswith(".py") and not done:
            totals.append(total)

    fix_files(
        LintRequest((tmp_path / "pkg",)), config, lambda *arguments: arguments[1].applicability == "unsafe", progress
    )
    assert totals[0] > MAX_FILES_IN_ONE_RUN
    assert totals[1:]
    assert max(totals[1:]) < MAX_FILES_IN_ONE_RUN / 2


def test_library_overrides_are_the_same_in_a_divided_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "lib" / "python3.11" / "site-packages"
    site.mkdir(parents=True)
    (site / "lib_of_others.py").write_text(LIBRARY)
    (tmp_path / "pyvenv.cfg").write_text("version = 3.11.0\n")
    config = _project(tmp_path, OF_TENSOR, OF_LIBRARY)
    config = Config(tmp_path).with_values(assume_entries="always", python=str(tmp_path))
    request = LintRequest((tmp_path / "pkg",))
    divided = lint_showing_fixes(request, config).report
    assert any(each.chain[-1].path.endswith("lib_of_others.py") for each in divided.findings)
    _whole(monkeypatch)
    assert divided == lint_showing_fixes(request, config).report


def test_exception_in_a_recipe_costs_one_vote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("no fix")

    config = _project(tmp_path, OF_TENSOR)
    monkeypatch.setattr(FixVoter, "_vote", broken)
    report = lint_with_fixes(LintRequest((tmp_path / "pkg",)), config).outcome.report
    assert report.findings
    assert {each.message for each in report.errors} == {
        f"internal error while tracing a fix for {code}: ZeroDivisionError: no fix"
        for code in {each.code for each in report.findings}
    }


def _votes(*each: tuple[Fix, ...]) -> Iterator[FixVote]:
    for fixes in each:
        yield FixVote("GBL101", Span("a.py", 1, 1, 1, 2), "it breaks", fixes, "")


def test_agreed_fixes_are_in_all_votes() -> None:
    one, other = Fix("one", "safe"), Fix("other", "safe")
    assert agreed_fixes([*_votes((one, other), (other,))]) == (other,)
    assert agreed_fixes([*_votes((one, other), ())]) == ()


def test_agreed_fix_has_the_worst_applicability() -> None:
    votes = _votes((Fix("one", "safe"),), (Fix("one", "unsafe", last_resort=True),))
    assert agreed_fixes([*votes]) == (Fix("one", "unsafe", last_resort=True),)


def test_first_round_of_a_second_run_comes_from_the_cache(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    config = _project(folder, OF_TENSOR, OF_NUMBER)
    effort = Resources(1, Cache(tmp_path / "cache"))
    labels: list[str] = []
    first, second = (
        lint_with_fixes(LintRequest((folder / "pkg",)), config, lambda *step: labels.append(step[2]), resources=effort)
        for _ in range(2)
    )
    assert len([each for each in labels if "/z1.py" in each]) == 1
    assert any(each.fixes for each in second.outcome.report.findings)
    assert first.outcome.report == second.outcome.report


def test_fixes_are_for_the_torch_version_of_the_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    versions: list[str] = []
    monkeypatch.setattr(
        FixVoter, "_vote", lambda _, finding, proposer, part: versions.append(proposer.options.torch_version)
    )
    report = lint_with_fixes(
        LintRequest((_project(tmp_path, OF_TENSOR).root / "pkg",)),
        Config(tmp_path).with_values(assume_entries="always"),
    )
    assert set(versions) == {report.outcome.report.torch_version}


def test_no_warnings_about_the_text(tmp_path: Path) -> None:
    """Python warns about invalid escapes and numbers that touch a name; the text is not gblint's."""
    (tmp_path / "net.py").write_text(
        "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n"
        '    y = x * x.sum().item()\n    return y, "\\d", 1if y else 2\n'
    )
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        run = lint_with_fixes(LintRequest((tmp_path,)), Config(tmp_path))
    assert any(finding.fixes for finding in run.outcome.report.findings)
    assert [str(each.message) for each in told] == []
