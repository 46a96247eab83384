"""The work on the fixes of a file is bounded, and a run says whose fixes were not worked out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gblint.cli.main import run
from gblint.config.settings import Config
from gblint.fix import budget, fixed_point
from gblint.fix.lint_with_fixes import MAX_FILES_IN_ONE_RUN, FileState, FixRun, lint_with_fixes
from gblint.pipeline.lint import LintRequest
from gblint.runtime.mypyc import is_compiled

pytestmark = pytest.mark.skipif(is_compiled(), reason="replaces constants")

COUNT = 30
PROGRAM = "import torch\n\n\n@torch.compile\ndef f(x):\n" + "    print(x)\n" * COUNT + "    return x\n"
TOLD = re.compile(r"^the fixes of (\d+) findings in this file were not worked out: that takes too long$")


@pytest.fixture(autouse=True)
def little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "MAX_FIX_WORK", 300 * len(PROGRAM))


def _run(folder: Path) -> FixRun:
    return lint_with_fixes(LintRequest((folder,)), Config(root=folder))


def _told(outcome_warnings: list[str]) -> int:
    (warning,) = outcome_warnings
    found = TOLD.match(warning)
    assert found is not None, warning
    return int(found[1])


@pytest.mark.parametrize("files", [1, MAX_FILES_IN_ONE_RUN + 1], ids=["one interpreter", "divided"])
def test_findings_without_fixes_are_counted(files: int, tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(PROGRAM)
    (tmp_path / "other.py").write_text(PROGRAM.replace("print(x)\n" + "    print(x)\n" * (COUNT - 1), "print(x)\n"))
    for number in range(files):
        (tmp_path / f"n{number}.py").write_text("x = 1\n")
    done = _run(tmp_path)
    mine = [each for each in done.outcome.report.findings if Path(each.span.path).name == "m.py"]
    assert len(mine) == COUNT
    without = [each.span.line for each in mine if not each.fixes]
    assert 5 < len(without) < COUNT - 5
    assert without == list(range(without[0], 6 + COUNT))
    assert _told([each.message for each in done.outcome.warnings]) == len(without) == len(done.left_out)
    (warning,) = done.outcome.warnings
    assert (Path(warning.path).name, warning.line) == ("m.py", without[0])
    (other,) = [each for each in done.outcome.report.findings if Path(each.span.path).name == "other.py"]
    assert other.fixes


def test_enough_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "MAX_FIX_WORK", 1_000_000)
    (tmp_path / "m.py").write_text(PROGRAM)
    done = _run(tmp_path)
    assert all(each.fixes for each in done.outcome.report.findings)
    assert done.outcome.warnings == []


@pytest.mark.parametrize(
    "bound, most", [("propose.MAX_FIX_CHARACTERS", len(PROGRAM) - 1), ("cst_file.MAX_FIX_NODES", 4 * COUNT)]
)
def test_large_file(bound: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"gblint.fix.{bound}", most)
    (tmp_path / "m.py").write_text(PROGRAM)
    done = _run(tmp_path)
    assert _told([each.message for each in done.outcome.warnings]) == COUNT
    assert not any(each.fixes for each in done.outcome.report.findings)


@pytest.mark.parametrize("option", ["--show-fixes", "--diff", "--fix"])
def test_each_command_tells(option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.py").write_text(PROGRAM)
    run(["check", str(tmp_path), "--isolated", "--no-cache", "--unsafe-fixes", option, "--output-format", "json"])
    shown = capsys.readouterr().err
    assert re.search(r"warning: .*m\.py:\d+: the fixes of \d+ findings in this file were not worked out", shown), shown
    text = (tmp_path / "m.py").read_text()
    assert (text == PROGRAM) == (option != "--fix")


def test_no_round_after_one_that_reached_the_bound(tmp_path: Path) -> None:
    """The next round would take as long."""
    (tmp_path / "m.py").write_text(PROGRAM)
    rounds: list[FixRun] = []
    request = LintRequest((tmp_path,))
    fixed = fixed_point.fix_files(request, Config(root=tmp_path), lambda *_: True, on_round=rounds.append)
    assert len(rounds) == 1
    assert 5 < len(fixed.applied) < COUNT - 5


@pytest.mark.parametrize("files", [1, MAX_FILES_IN_ONE_RUN + 1], ids=["one interpreter", "divided"])
@pytest.mark.parametrize("again", [False, True], ids=["rounds", "rounds begun again"])
def test_rounds_are_bounded_together(files: int, again: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rounds and a half are worked out, whether each makes another fix possible or causes a finding."""
    monkeypatch.setattr(budget, "MAX_FIX_WORK", 1_000_000_000)
    (tmp_path / "m.py").write_text(PROGRAM)
    for number in range(files):
        (tmp_path / f"n{number}.py").write_text("x = 1\n")
    config, request = Config(root=tmp_path), LintRequest((tmp_path,))
    once = lint_with_fixes(request, config)
    (work,) = once.spent.values()
    assert work > COUNT * len(PROGRAM)
    monkeypatch.setattr(budget, "MAX_FIX_WORK", work * 5 // 2)
    if again:
        # In each attempt the first of the fixes is said to cause a finding.
        monkeypatch.setattr(
            fixed_point, "_harmful", lambda result: {each.key: "causes a finding" for each in result.applied[:1]}
        )
    chosen: set[int] = set()
    runs: list[FixRun] = []

    def one_more(finding: object, fix: object, key: fixed_point.FixKey) -> bool:
        if again:
            return key.line % 2 == 0
        if key.line not in chosen and len(chosen) >= len(runs):
            return False
        chosen.add(key.line)
        return True

    done = fixed_point.fix_files(request, config, one_more, on_round=lambda run: runs.append(run))
    different = [*{id(run): run for run in runs}.values()]
    assert 2 * work < sum(sum(run.spent.values()) for run in different) < 3 * work
    assert any(run.left_out for run in different)
    assert again or len(different) == len(done.applied) == 3


def test_a_file_whose_work_is_spent_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "m.py").write_text(PROGRAM)
    request, config = LintRequest((tmp_path,)), Config(root=tmp_path)
    (path,) = {each.span.path for each in _run(tmp_path).outcome.report.findings}
    read: list[str] = []
    monkeypatch.setattr("gblint.fix.propose.SyntaxTree", lambda path, text: read.append(path))
    state = FileState(spent={path: budget.MAX_FIX_WORK})
    assert len(lint_with_fixes(request, config, state=state).left_out) == COUNT
    assert read == []


def test_bad_fixes_are_found_by_halving(monkeypatch: pytest.MonkeyPatch) -> None:
    checks: list[str] = []

    def problem_of(old: str, new: str) -> str | None:
        checks.append(new)
        return "bad" if "b" in new else None

    monkeypatch.setattr(fixed_point, "problem_of", problem_of)
    patches = [fixed_point.Patch(((2 * n, 2 * n + 1, "b" if n in (7, 40) else "g"),)) for n in range(64)]
    search = fixed_point._SoundPart("x " * 64, patches)
    assert search.extended([], [*range(64)]) == [n for n in range(64) if n not in (7, 40)]
    assert search.problems == {7: "bad", 40: "bad"}
    assert len(checks) < 30
    worst = [fixed_point.Patch(((2 * n, 2 * n + 1, "b"),)) for n in range(500)]
    search, checks[:] = fixed_point._SoundPart("x " * 500, worst), []
    assert search.extended([], [*range(500)]) == []
    assert len(search.problems) == 500
    assert len(checks) < 2 * fixed_point.MAX_CHECKS
