"""Runs planned on one machine and run on another, and tables of measured times."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gblint.confirm.plan_files import MachinePaths, read_results
from gblint.project.environment import Environment

Write = Callable[..., Path]
Gblint = Callable[..., Any]

APP = """\
import torch


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.linear(x)
        print("hello")
        if x.dim() == 5:
            return y * y.sum().item()
        return y * 2


model = torch.compile(Net())
"""
ENTRY = ("--entry", "app:Net", "--inputs", "(torch.ones(2, 8),)")


def test_plan_run_and_report(project: Write, gblint: Gblint, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    home = project({"home/app.py": APP, "there/app.py": APP}) / "home"
    monkeypatch.chdir(home)
    planned = gblint("confirm", *ENTRY, "--eval", "--plan", "plan.json")
    assert (planned.status, planned.out) == (0, "")
    assert "1 job in plan.json" in planned.err
    monkeypatch.chdir(home.with_name("there"))
    run = gblint(
        "confirm", "--run", home / "plan.json", "--results", home / "r.json", "--measure", "--backend", "eager"
    )
    assert run.status == 1
    assert "app:Net: 1 graph break, 2 graphs (CPU, torch" in run.out
    monkeypatch.chdir(home)
    shown = gblint("check", *ENTRY[:2], "--confirmations", "r.json", "--output-format", "json")
    verdicts = {f["line"]: f["confirmation"]["verdict"] for f in json.loads(shown.out)["findings"]}
    assert verdicts == {11: "confirmed", 13: "not-reached"}
    ((job, result),) = read_results(
        home / "r.json", MachinePaths.of_this_machine(home, Environment.discover(None, home))
    )
    assert (job.modes, job.backend) == (("eval",), "eager")
    (timing,) = result.timings
    assert timing.error == ""
    assert timing.eager is not None
    assert timing.compiled is not None
    assert 0 < timing.eager.low <= timing.eager.median <= timing.eager.high
    assert (timing.name, timing.backend, timing.graphs) == ("eval", "eager", 2)


def test_measured_times_are_a_table() -> None:
    from gblint.confirm.jobs import CallTiming, Job, Result, Target, TimeQuartiles
    from gblint.confirm.report import ConfirmReport, render
    from gblint.confirm.verdicts import Verdicts
    from gblint.diagnostics.report import Report
    from gblint.project.source_text import Source, Style

    job = Job("app:Net", Target("entry", "app:Net"), "/")
    spreads = TimeQuartiles(0.004, 0.003, 0.0051, 50), TimeQuartiles(0.002, 0.0019, 0.0021, 50)
    timings = (
        CallTiming("eval", "inductor", *spreads, first=3.21, graphs=2),
        CallTiming("train", "inductor", error="no compiler"),
    )
    runs = [(job, Result("app:Net", "ok", timings=timings))]
    lines = list(render(ConfirmReport(Report("2.13"), Verdicts(), runs), Style(), Source(), "concise"))
    assert (
        "  app:Net (eval)   eager 4 ms (3 to 5.1), inductor 2 ms (1.9 to 2.1), 2.00x, first call 3.2 s, 2 graphs"
        in lines
    )
    assert "  app:Net (train)  not measured: no compiler" in lines


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--results", "r.json"), "--results needs --run"),
        (("--run", "plan.json", "app.py"), "--run takes everything from the plan"),
        (("--run", "none.json"), "none.json: cannot be read: no such file"),
        (("--run", "app.py"), "app.py: not JSON"),
    ],
)
def test_wrong_arguments(project: Write, gblint: Gblint, arguments: tuple[str, ...], message: str) -> None:
    project({"app.py": APP})
    result = gblint("confirm", *arguments)
    assert (result.status, result.out) == (2, "")
    assert message in result.err


def test_a_file_without_results(project: Write, gblint: Gblint) -> None:
    project({"app.py": APP})
    result = gblint("check", "--confirmations", "app.py")
    assert result.status == 2
    assert "app.py: not JSON" in result.err
