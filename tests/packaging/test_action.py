"""The GitHub Action: the parts of it that run without GitHub."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    return x.max().item() * x\n"

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="the action is written for bash")


@pytest.fixture(scope="module")
def action() -> Any:
    yaml = pytest.importorskip("yaml", reason="pyyaml is in the extra `test`")
    return yaml.safe_load((ROOT / "action.yml").read_text())


@pytest.fixture
def runner(tmp_path: Path) -> dict[str, str]:
    """Return the environment of a runner: a folder for the action, a file for outputs, a project with a break."""
    (tmp_path / "temp").mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "net.py").write_text(CODE)
    (tmp_path / "output").touch()
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "RUNNER_TEMP": str(tmp_path / "temp"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_WORKSPACE": str(tmp_path / "work"),
    }


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/bash\n{text}\n")
    path.chmod(0o755)


def run(step: Any, runner: dict[str, str], **inputs: str) -> Any:
    # The command by which GitHub starts `shell: bash`.
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    given = dict.fromkeys(step.get("env", {}), "") | inputs
    return subprocess.run(
        command, cwd=runner["GITHUB_WORKSPACE"], env={**runner, **given}, capture_output=True, text=True
    )


def check(action: Any, runner: dict[str, str], **inputs: str) -> Any:
    scripts = Path(runner["RUNNER_TEMP"]) / "gblint" / "bin"
    script(scripts / "python", f'exec {sys.executable} "$@"')
    script(scripts / "gblint", f'exec {sys.executable} -m gblint "$@"')
    return run(action["runs"]["steps"][1], runner, **{"LINTED": ".", "FORMAT": "github", **inputs})


def test_every_step_has_what_github_asks_for(action: Any) -> None:
    assert set(action) == {"name", "description", "branding", "inputs", "outputs", "runs"}
    assert action["runs"]["using"] == "composite"
    for step in action["runs"]["steps"]:
        assert {"name", "shell", "run"} <= set(step)
    used = str(action["runs"]) + str(action["outputs"])
    assert all(f"inputs.{name}" in used for name in action["inputs"])


def test_it_is_installed_into_an_environment_of_its_own(action: Any, runner: dict[str, str], tmp_path: Path) -> None:
    scripts, said = tmp_path / "temp" / "gblint" / "bin", tmp_path / "said"
    script(scripts / "python", f'printf "%s\\n" "$*" >>{said}')
    script(tmp_path / "tools" / "python", f'printf "%s\\n" "$*" >>{said}')
    runner["PATH"] = f"{tmp_path / 'tools'}:{runner['PATH']}"
    done = run(action["runs"]["steps"][0], runner, SOURCE="gblint @ here")
    assert done.returncode == 0, done.stderr
    assert said.read_text().splitlines() == [
        f"-m venv --system-site-packages {scripts.parent}",
        "-m pip install --quiet --disable-pip-version-check gblint @ here",
    ]


def test_it_annotates_and_fails(action: Any, runner: dict[str, str], tmp_path: Path) -> None:
    done = check(action, runner)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("::warning file=net.py,line=6,col=12,")
    assert (tmp_path / "output").read_text() == "status=1\n"


def test_it_writes_sarif_and_takes_arguments(action: Any, runner: dict[str, str], tmp_path: Path) -> None:
    done = check(action, runner, SARIF="a b.sarif", ARGUMENTS="--ignore 'GBL1' --no-cache")
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "work" / "a b.sarif").read_text())["runs"][0]["results"] == []
    assert (tmp_path / "output").read_text() == "status=0\n"


def test_it_compares_with_a_commit(action: Any, runner: dict[str, str], tmp_path: Path) -> None:
    work = tmp_path / "work"
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-qm", "first")):
        subprocess.run(["git", *identity, *arguments], cwd=work, check=True)
    (work / "net.py").write_text(CODE.replace("    return", "    print(1)\n    return"))
    runner["GITHUB_STEP_SUMMARY"] = str(tmp_path / "summary")
    done = check(action, runner, BASE="HEAD", ARGUMENTS="--min-confidence certain")
    assert done.returncode == 1, done.stderr
    assert (tmp_path / "summary").read_text().startswith("**gblint**: 1 new finding, 0 gone, 1 unchanged\n")
    assert f"comparison={tmp_path / 'temp' / 'gblint-comparison.md'}" in (tmp_path / "output").read_text()
    done = check(action, runner, BASE="no-such-commit")
    assert done.returncode == 2 and "no-such-commit is neither a file nor a commit" in done.stderr


def test_a_mistake_in_the_arguments_is_status_2(action: Any, runner: dict[str, str], tmp_path: Path) -> None:
    done = check(action, runner, ARGUMENTS="--nonsense")
    assert done.returncode == 2
    assert "no such option" in done.stderr.lower()
    assert (tmp_path / "output").read_text() == "status=2\n"
