"""The code that confirm runs can forge files in the folder of its run; this harms only the result of that run."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gblint.confirm.jobs import Job, Target
from gblint.confirm.plan_files import MachinePaths, PlanError, read_results
from gblint.confirm.run.runner import _result

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")
END = {"how": "exit", "status": 0, "seconds": 1.0, "memory": 1}
FORGED: dict[str, Callable[[Path], object]] = {
    "nothing": lambda path: path.write_text(""),
    "no object": lambda path: path.write_text("[]"),
    "other types": lambda path: path.write_text(
        '{"final": 1, "id": [], "status": 5, "breaks": 7, "how": {}, "seconds": "1"}'
    ),
    "no end": lambda path: path.write_text('{"how": "exit"}'),
    "no detail": lambda path: path.write_text('{"how": "not started", "status": "ok"}'),
    "no number": lambda path: path.write_text('{"how": "exit", "status": 0, "seconds": NaN, "final": true}'),
    "deep": lambda path: path.write_text("[" * 200_000),
    "a pipe": lambda path: os.mkfifo(path),
    "without end": lambda path: path.symlink_to("/dev/zero"),
    "a folder": lambda path: path.mkdir(),
    "binary": lambda path: path.write_bytes(b"\xff\xfe\x00"),
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("forge", FORGED.values(), ids=[*FORGED])
@pytest.mark.parametrize("name", ["result.json", "end.json", "child-1.json", "output", "supervisor.log"])
def test_a_forged_file(tmp_path: Path, name: str, forge: Callable[[Path], object]) -> None:
    job = Job("job", Target("script", "train.py"), root=str(tmp_path))
    (tmp_path / "end.json").write_text(json.dumps(END))
    (tmp_path / name).unlink(missing_ok=True)
    forge(tmp_path / name)
    result = _result(job, tmp_path, None)
    assert result.job == "job"
    assert result.status in ("crash", "error")


@pytest.mark.parametrize("text", ["", "[" * 200_000, "[]", '{"results": [[]]}', "9" * 5000])
def test_forged_results_of_another_machine(tmp_path: Path, text: str) -> None:
    (tmp_path / "results.json").write_text(text)
    with pytest.raises(PlanError):
        read_results(tmp_path / "results.json", MachinePaths(str(tmp_path), ""))
