"""Plan files: the same jobs and results, with the paths of another machine."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gblint.confirm.jobs import Job, ObservedBreak, Result, Target
from gblint.confirm.plan_files import MachinePaths, PlanError, read_plan, read_results, write_plan, write_results
from gblint.diagnostics.span import ChainLink

HOME = MachinePaths("/home/me/project", "/home/me/env/site-packages")
THERE = MachinePaths("/cluster/project", "/opt/python/site-packages")
JOB = Job(
    "app:Net",
    Target("entry", "app:Net", inputs="(1,)"),
    "/home/me/project",
    paths=("/home/me/project/src",),
    watch=("/home/me/project/app.py", "/home/me/env/site-packages/timm/", "/elsewhere/x.py"),
    device="cuda",
    python="/home/me/env/bin/python",
)
LINK = ChainLink("/cluster/project/app.py", 3, "f")


def test_a_plan_has_the_paths_of_the_local_project(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    write_plan(path, [JOB], HOME)
    assert "/home/me" not in path.read_text()
    (job,) = read_plan(path, THERE, "python3")
    assert job == replace(
        JOB,
        root="/cluster/project",
        paths=("/cluster/project/src",),
        watch=("/cluster/project/app.py", "/opt/python/site-packages/timm/", "/elsewhere/x.py"),
        python="python3",
    )


def test_results_have_the_paths_of_this_machine(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    result = Result(
        "app:Net",
        "ok",
        breaks=(
            ObservedBreak((LINK,), ("GB0124",), "message", replace(LINK, path="/opt/python/site-packages/timm/a.py")),
        ),
        ran={"app.py": ("1-3",), "/opt/python/site-packages/timm/a.py": ("7",)},
    )
    write_results(path, [(replace(JOB, root=THERE.root), result)], THERE)
    ((job, back),) = read_results(path, HOME)
    assert job.root == HOME.root
    assert back.breaks[0].place.path == "/home/me/project/app.py"
    assert back.breaks[0].frame.path == "/home/me/env/site-packages/timm/a.py"
    assert back.ran == {"app.py": ("1-3",), "/home/me/env/site-packages/timm/a.py": ("7",)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("[]", "not a plan of gblint"),
        ('{"version": 1, "results": []}', "no list 'jobs'"),
        ('{"version": 7, "jobs": []}', "version 7"),
        ('{"version": 1, "jobs": [{"id": 3}]}', "no Job"),
        ('{"version": 1, "jobs": [5]}', "no Job"),
    ],
)
def test_invalid_plans_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "plan.json"
    path.write_text(text)
    with pytest.raises(PlanError, match=message):
        read_plan(path, HOME)
    with pytest.raises(PlanError, match="no such file"):
        read_results(tmp_path / "none.json", HOME)


def test_a_plan_is_plain_json(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    write_plan(path, [JOB], HOME)
    document = json.loads(path.read_text())
    assert (document["version"], document["jobs"][0]["target"]["name"]) == (1, "app:Net")
