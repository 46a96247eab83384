"""Verification with simulated runs: the verdicts on fixes, and the search for those that do not hold."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from gblint.config.settings import Config
from gblint.confirm.jobs import CallExpressions, CallTiming, Difference, Job, ObservedBreak, Platform, Result
from gblint.confirm.line_ranges import to_ranges
from gblint.confirm.planning import RunOptions
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.fix import Fix
from gblint.diagnostics.span import ChainLink
from gblint.fix.fixed_point import FixKey
from gblint.fix.trial_runs import TrialSetup
from gblint.fix.verification_report import verification_report
from gblint.fix.verify import VerificationFailed, VerificationStopped, VerifiedFixes, verify
from gblint.pipeline.lint import LintRequest

SOURCE = """\
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    print("a", x)
    print("b", x)
    print("c", x)
    print("d", x)
    return x


@torch.compile
def g(x: torch.Tensor) -> torch.Tensor:
    print("e", x)
    return x
"""
PRINT = re.compile(r'print\("(\w)')


@dataclass
class World:
    """Simulates runs: fixes of the prints in ``bad`` change results, those in ``useless`` leave the break."""

    bad: set[str] = field(default_factory=set)
    useless: set[str] = field(default_factory=set)
    unreached: set[str] = field(default_factory=set)
    unbroken: set[str] = field(default_factory=set)
    uncompiled: set[str] = field(default_factory=set)
    together: set[str] = field(default_factory=set)
    moved: dict[str, str] = field(default_factory=dict)
    helped: set[str] = field(default_factory=set)
    broken_entries: dict[str, str] = field(default_factory=dict)
    jobs: list[Job] = field(default_factory=list)
    source: str = SOURCE

    def run(self, jobs: list[Job]) -> list[Result]:
        self.jobs += jobs
        return [self.one(job) for job in jobs]

    def one(self, job: Job) -> Result:
        name = job.target.name
        trial = job.trial
        assert trial is not None
        if name in self.broken_entries:
            return Result(name, "error", self.broken_entries[name])
        text = next(iter(job.overlays.values()), self.source)
        function = name.partition(":")[2]
        lines = text.splitlines()
        head = next(n for n, line in enumerate(lines, 1) if line.startswith(f"def {function}("))
        mine = {n for n, line in enumerate(lines, 1) if n > head and self._inside(lines, head, n)}
        found = {match[1]: n for n in mine if (match := PRINT.search(lines[n - 1]))}
        fixed = {each for each, n in found.items() if "_higher_order_ops" in lines[n - 1]}
        kept = self.unreached | self.unbroken | self.uncompiled
        broken = {e for e in found if (e not in fixed or e in self.useless) and e not in kept}
        moved = {each for each, by in self.moved.items() if by in fixed and each in found}
        broken |= moved - (self.helped & fixed)
        differs = [e for e in fixed if e in self.bad]
        if len(self.together) > 1 and self.together <= fixed:
            differs.append("together")
        ran = mine - {n for each, n in found.items() if each in self.unreached}
        differences = [Difference("", "given", "eager", f"{e} differs") for e in differs]
        link = {each: ChainLink("m.py", n, function) for each, n in found.items()}
        return Result(
            name,
            "ok",
            platform=Platform("2.13", "3.12", "CPU", "linux"),
            breaks=tuple(ObservedBreak((link[e],), ("GB0059",), "print", link[e]) for e in sorted(broken)),
            compiled={"m.py": to_ranges(ran - {n for each, n in found.items() if each in self.uncompiled})},
            ran={"m.py": to_ranges(ran)},
            timings=(CallTiming(graphs=len(broken) + 1),),
            differences=tuple(differences),
            call=CallExpressions(inputs="(torch.ones(2),)"),
        )

    @staticmethod
    def _inside(lines: list[str], head: int, line: int) -> bool:
        return all(not text or text.startswith("    ") for text in lines[head:line])


def first(finding: Finding, fix: Fix, key: FixKey) -> bool:
    """Only the first way to fix each finding."""
    return fix == finding.fixes[0]


@pytest.fixture
def tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[World], VerifiedFixes]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.py").write_text(SOURCE, encoding="utf-8")

    def run(world: World) -> VerifiedFixes:
        result = verify(
            LintRequest((Path("m.py"),)), Config(root=tmp_path), first, TrialSetup(RunOptions(), (), world.run)
        )
        assert (tmp_path / "m.py").read_text(encoding="utf-8") == SOURCE
        return result

    return run


def verdicts(tried: VerifiedFixes) -> dict[str, str]:
    lines = SOURCE.splitlines()
    found = {}
    for key, (_, verdict) in tried.verdicts.items():
        match = PRINT.search(lines[key.line - 1])
        assert match is not None
        found[match[1]] = verdict.kind
    return found


def made(tried: VerifiedFixes) -> set[str]:
    text = next(iter(tried.fixed.texts.values()), SOURCE)
    return {
        match[1] for match in PRINT.finditer(text) if "_higher_order_ops" in text[: match.start()].rpartition("\n")[2]
    }


Try = Callable[[World], VerifiedFixes]
Gblint = Callable[..., Any]


def test_one_run_suffices_if_all_fixes_hold(tried: Try) -> None:
    world = World()
    result = tried(world)
    assert verdicts(result) == dict.fromkeys("abcde", "holds")
    assert made(result) == set("abcde")
    assert result.runs == 2  # one for each entry point
    data = verification_report(result)
    assert [(each.name, each.breaks, each.graphs) for each in data.entries] == [
        ("m:f", (4, 0), (5, 1)),
        ("m:g", (1, 0), (2, 1)),
    ]
    assert [each.line for each in data.fixes] == [6, 7, 8, 9, 15]


def test_inputs_are_the_same_before_and_after(tried: Try) -> None:
    world = World()
    tried(world)
    after = [job for job in world.jobs if job.overlays]
    assert {job.target.inputs for job in after} == {"(torch.ones(2),)"}
    first = {job.id: job.trial.name for job in world.jobs if job.trial and job.trial.first}
    assert first == {job.id: job.trial.name for job in after if job.trial}


def test_fixes_that_change_results_are_found(tried: Try) -> None:
    result = tried(World(bad={"b"}))
    assert verdicts(result) == dict.fromkeys("acde", "holds") | {"b": "differs"}
    assert made(result) == set("acde")
    (reason,) = (v.reason for _, v in result.verdicts.values() if v.kind == "differs")
    assert "b differs (eager, given)" in reason


@pytest.mark.parametrize("bad", ["a", "d", "ad", "abc", "abcd", "e", "ce"])
def test_any_number_of_bad_fixes_is_found(tried: Try, bad: str) -> None:
    result = tried(World(bad=set(bad)))
    assert verdicts(result) == {each: "differs" if each in bad else "holds" for each in "abcde"}
    assert made(result) == set("abcde") - set(bad)


def test_one_of_two_conflicting_fixes_stays(tried: Try) -> None:
    result = tried(World(together={"a", "c"}))
    assert sorted(verdicts(result).values()) == ["differs", "holds", "holds", "holds", "holds"]
    assert len(made(result) & set("ac")) == 1


def test_ineffective_fix_is_rejected(tried: Try) -> None:
    result = tried(World(useless={"c"}))
    assert verdicts(result) == dict.fromkeys("abde", "holds") | {"c": "breaks"}
    assert made(result) == set("abde")
    assert result.runs == 3  # no search: the line of the break shows which fix it is


def test_fixes_of_broken_lines_are_tried_first(tried: Try) -> None:
    result = tried(World(uncompiled={"d"}, together={"a", "d"}))
    assert verdicts(result) == dict.fromkeys("abce", "holds") | {"d": "differs"}
    assert result.runs == 3  # all fixes, those of the lines that broke, and the other entry point


def test_new_break_elsewhere(tried: Try) -> None:
    result = tried(World(unbroken={"d"}, moved={"d": "a"}))
    assert verdicts(result) == {"a": "new-break", "b": "holds", "c": "holds", "d": "unbroken", "e": "holds"}
    assert made(result) == set("bce")


def test_new_break_elsewhere_that_has_a_fix(tried: Try) -> None:
    """A fix that is useless alone is made if another fix requires it and is kept."""
    result = tried(World(unbroken={"d"}, moved={"d": "a"}, helped={"d"}))
    assert verdicts(result) == dict.fromkeys("abcde", "holds")
    result = tried(World(unbroken={"d"}, moved={"d": "a"}, helped={"d"}, bad={"a"}))
    assert verdicts(result) == {"a": "differs", "b": "holds", "c": "holds", "d": "unbroken", "e": "holds"}
    result = tried(World(unbroken={"d"}, moved={"d": "a"}, helped={"d"}, bad={"b"}))
    assert verdicts(result) == {"a": "holds", "b": "differs", "c": "holds", "d": "holds", "e": "holds"}


class Settings(World):
    """A setting of torch makes another line break that ran compiled before."""

    def one(self, job: Job) -> Result:
        result = super().one(job)
        lines = next(iter(job.overlays.values()), self.source).splitlines()
        captured = any("capture_" in line for line in lines)
        said = ("    return x", "GB0170", "branch") if captured else ("    seen(", "GB0124", "item")
        links = [ChainLink("m.py", n, "f") for n, line in enumerate(lines, 1) if line.startswith(said[0])]
        more = [ObservedBreak((link,), (said[1],), said[2], link) for link in links[: 1 if captured else None]]
        return replace(result, breaks=(*result.breaks, *more))


def test_conflicting_kind_of_fix_is_found_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    source = SOURCE.replace("    return x\n", "    seen(x.max().item())\n    seen(x.min().item())\n    return x\n", 1)
    source = source.replace("import torch\n", "import torch\n\nseen = [].append\n", 1)
    (tmp_path / "m.py").write_text(source, encoding="utf-8")
    result = verify(
        LintRequest((Path("m.py"),), ("m:f",)),
        Config(root=tmp_path),
        first,
        TrialSetup(RunOptions(), (), Settings(source=source).run),
    )
    found = {key.title.partition(" ")[0]: verdict for key, (_, verdict) in result.verdicts.items()}
    assert {kind: verdict.kind for kind, verdict in found.items()} == {"print": "holds", "set": "new-break"}
    assert "branch (GB0170)" in found["set"].reason
    assert result.runs == 3  # all fixes, then all without each kind


def test_setting_that_another_entry_point_needs_is_left_out_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    item = "    seen(x.max().item())\n    return x\n"
    source = SOURCE.replace("    return x\n", item).replace("import torch\n", "import torch\n\nseen = [].append\n", 1)
    (tmp_path / "m.py").write_text(source, encoding="utf-8")
    result = verify(
        LintRequest((Path("m.py"),)),
        Config(root=tmp_path),
        first,
        TrialSetup(RunOptions(), (), Settings(source=source).run),
    )
    found = [(key.title.partition(" ")[0], verdict.kind) for key, (_, verdict) in result.verdicts.items()]
    assert sorted(found) == [("print", "holds")] * 5 + [("set", "new-break")] * 2


def test_line_that_did_not_run(tried: Try) -> None:
    result = tried(World(unreached={"b"}))
    assert verdicts(result)["b"] == "not-reached"
    assert made(result) == set("acde")


def test_entry_point_that_cannot_run_is_not_fixed(tried: Try) -> None:
    result = tried(World(broken_entries={"m:g": "no arguments were found for it"}))
    assert verdicts(result) == dict.fromkeys("abcd", "holds") | {"e": "not-run"}
    assert made(result) == set("abcd")
    assert [each.reason for each in verification_report(result).entries] == ["", "no arguments were found for it"]


def test_remaining_findings_carry_verdicts(tried: Try) -> None:
    result = tried(World(bad={"b"}))
    findings = result.fixed.outcome.report.findings
    (fix,) = (fix for finding in findings for fix in finding.fixes if fix.verdict is not None)
    assert fix.verdict is not None
    assert fix.verdict.kind == "differs"


def test_interruption_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gblint: Gblint) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.py").write_text(SOURCE, encoding="utf-8")

    def interrupted(*arguments: object) -> list[Result]:
        raise KeyboardInterrupt

    monkeypatch.setattr("gblint.confirm.planning.run_all", interrupted)
    with contextlib.suppress(KeyboardInterrupt):
        assert gblint("check", "--fix", "--verify", "m.py").status != 0
    assert (tmp_path / "m.py").read_text(encoding="utf-8") == SOURCE


def test_a_file_that_its_runs_change_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gblint: Gblint
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.py").write_text(SOURCE, encoding="utf-8")
    world = World()

    def run(jobs: list[Job], *arguments: object) -> list[tuple[Job, Result]]:
        (tmp_path / "m.py").write_text(f"{SOURCE}# changed\n", encoding="utf-8")
        return list(zip(jobs, world.run(jobs), strict=True))

    monkeypatch.setattr("gblint.cli.remote_runs.run_jobs", run)
    ran = gblint("check", "--fix", "--verify", "--unsafe-fixes", "m.py")
    assert ran.status == 2
    assert "m.py: not fixed: another program has changed it meanwhile" in ran.err
    assert (tmp_path / "m.py").read_text(encoding="utf-8") == f"{SOURCE}# changed\n"


def test_error_shows_the_verdicts_until_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gblint: Gblint) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.py").write_text(SOURCE, encoding="utf-8")
    world = World(bad={"b"}, useless={"e"})

    def run(jobs: list[Job], *arguments: object) -> list[tuple[Job, Result]]:
        if len(world.jobs) > 4:
            raise ValueError("lost")
        return list(zip(jobs, world.run(jobs), strict=True))

    monkeypatch.setattr("gblint.cli.remote_runs.run_jobs", run)
    ran = gblint("check", "--fix", "--verify", "--unsafe-fixes", "m.py")
    assert ran.status == 2
    assert "m.py:15: " in ran.err
    assert "an error ended the runs; nothing is written" in ran.err
    assert "internal error: ValueError: lost" in ran.err
    assert (tmp_path / "m.py").read_text(encoding="utf-8") == SOURCE


def test_unsaved_text_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.py").write_text("raise OSError", encoding="utf-8")
    world = World()
    request = LintRequest((Path("m.py"),), overlays={Path("m.py"): SOURCE})
    result = verify(request, Config(root=tmp_path), first, TrialSetup(RunOptions(), (), world.run))
    assert set(verdicts(result).values()) == {"holds"}
    assert all(job.overlays for job in world.jobs)


@pytest.mark.parametrize("end", [KeyboardInterrupt, OSError])
def test_verdicts_until_the_end_of_the_runs_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: type[BaseException]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.py").write_text(SOURCE, encoding="utf-8")
    world = World(bad={"b"}, useless={"e"})

    def run(jobs: list[Job]) -> list[Result]:
        if len(world.jobs) > 4:
            raise end
        return world.run(jobs)

    with pytest.raises((VerificationStopped, VerificationFailed)) as stopped:
        verify(LintRequest((Path("m.py"),)), Config(root=tmp_path), first, TrialSetup(RunOptions(), (), run))
    assert isinstance(stopped.value, VerificationStopped) == (end is KeyboardInterrupt)
    found = {key.line: verdict.kind for key, (_, verdict) in stopped.value.verified.verdicts.items()}
    assert found[15] == "breaks"
    assert set(found.values()) <= {"holds", "breaks", "differs"}
    assert verification_report(stopped.value.verified).runs > 0
