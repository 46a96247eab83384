"""Large projects are fixed in pieces: what comes of that is what one interpreter for all of it makes."""

from __future__ import annotations

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
AS_TENSOR = "compute with the tensor instead of its number"


def _project(folder: Path, *texts: str) -> Config:
    """A project with a piece for each of the texts, and many more files."""
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
        lambda *told: told[1].applicability != "display",
        resources=Resources(jobs),
    )


def _whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gblint.fix.lint_with_fixes.MAX_FILES_IN_ONE_RUN", 10_000)


def _texts(fixed: FixResult) -> dict[str, str]:
    return {Path(path).name: text for path, text in fixed.texts.items()}


@pytest.mark.parametrize("texts", [(OF_TENSOR, OF_NUMBER), (OF_TENSOR, COMPILED)])
def test_a_large_project_is_fixed_as_a_small_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, texts: tuple[str, ...]
) -> None:
    config = _project(tmp_path, *texts)
    fixed = _fixed(tmp_path, config)
    assert "torch.where" in _texts(fixed)["shared.py"]
    assert len(fixed.applied) > 2
    _whole(monkeypatch)
    whole = _fixed(tmp_path, config)
    assert (fixed.texts, fixed.applied) == (whole.texts, whole.applied)
    assert fixed.outcome.report == whole.outcome.report


def test_the_number_of_processes_makes_no_difference(tmp_path: Path) -> None:
    config = _project(tmp_path, OF_TENSOR, OF_NUMBER)
    one, two = _fixed(tmp_path, config), _fixed(tmp_path, config, jobs=2)
    assert one.applied
    assert (one.texts, one.applied, one.outcome.report) == (two.texts, two.applied, two.outcome.report)


@pytest.mark.parametrize(
    ("texts", "expected"), [((OF_TENSOR,), True), ((OF_TENSOR, OF_NUMBER), False), ((OF_TENSOR, COMPILED), False)]
)
def test_a_fix_is_right_for_every_caller(tmp_path: Path, texts: tuple[str, ...], expected: bool) -> None:
    """``float`` of what is a tensor for one caller and a number for another stays, though another piece traces that."""
    fixed = _fixed(tmp_path, _project(tmp_path, *texts))
    assert (AS_TENSOR in {each.fix.title for each in fixed.applied}) == expected
    assert ("float(limit)" in _texts(fixed)["shared.py"]) != expected


def test_a_round_does_again_what_the_last_one_changed(tmp_path: Path) -> None:
    config = _project(tmp_path, OF_TENSOR, OF_NUMBER)
    totals: list[int] = []

    def progress(done: int, total: int, label: str) -> None:
        if label.endswith(".py") and not done:
            totals.append(total)

    fix_files(LintRequest((tmp_path / "pkg",)), config, lambda *told: told[1].applicability == "unsafe", progress)
    assert totals[0] > MAX_FILES_IN_ONE_RUN
    assert totals[1:]
    assert max(totals[1:]) < MAX_FILES_IN_ONE_RUN / 2


def test_what_gets_around_a_library_is_known_in_pieces_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_a_fault_of_a_recipe_costs_one_vote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_a_fix_is_what_all_have_in_common() -> None:
    one, other = Fix("one", "safe"), Fix("other", "safe")
    assert agreed_fixes([*_votes((one, other), (other,))]) == (other,)
    assert agreed_fixes([*_votes((one, other), ())]) == ()


def test_a_fix_is_as_good_as_it_is_for_the_worst() -> None:
    votes = _votes((Fix("one", "safe"),), (Fix("one", "unsafe", last_resort=True),))
    assert agreed_fixes([*votes]) == (Fix("one", "unsafe", last_resort=True),)


def test_a_second_run_has_the_first_round_from_the_cache(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    config = _project(folder, OF_TENSOR, OF_NUMBER)
    effort = Resources(1, Cache(tmp_path / "cache"))
    told: list[str] = []
    first, second = (
        lint_with_fixes(LintRequest((folder / "pkg",)), config, lambda *step: told.append(step[2]), resources=effort)
        for _ in range(2)
    )
    assert len([each for each in told if "/z1.py" in each]) == 1
    assert any(each.fixes for each in second.outcome.report.findings)
    assert first.outcome.report == second.outcome.report


def test_fixes_are_for_the_torch_that_findings_are_about(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    versions: list[str] = []
    monkeypatch.setattr(
        FixVoter, "_vote", lambda _, finding, proposer, part: versions.append(proposer.options.torch_version)
    )
    report = lint_with_fixes(
        LintRequest((_project(tmp_path, OF_TENSOR).root / "pkg",)),
        Config(tmp_path).with_values(assume_entries="always"),
    )
    assert set(versions) == {report.outcome.report.torch_version}
