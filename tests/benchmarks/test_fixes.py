"""The benchmark of fixes, on a small made-up package."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from benchmarks.accuracy import environment
from benchmarks.fixes import __main__ as fixes
from benchmarks.fixes import library_files
from benchmarks.fixes.calls import CALLS

SOURCE = dedent(
    """\
    import torch
    from torch import nn


    class Net(nn.Module):
        def forward(self, x: torch.Tensor):
            if torch.isnan(x).any():
                raise ValueError("not a number")
            return torch.equal(x, x)
    """
)
RECORD = {
    "entry": "made.up:Net", "mode": "eval", "status": "ok", "versions": "torch 2.13.0, made 1.0",
    "lines": {"made/up.py": ["7", "9"]},
    "breaks": [
        {"file": "made/up.py", "line": 7, "gb": ["GB0170"], "primary": True},
        {"file": "made/up.py", "line": 9, "gb": ["GB0033"], "primary": True},
    ],
}  # fmt: skip


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the package; the benchmarks use it instead of the interpreter's site-packages."""
    pytest.importorskip("torch")
    folder = tmp_path / "packages"
    (folder / "made").mkdir(parents=True)
    (folder / "made" / "__init__.py").touch()
    (folder / "made" / "up.py").write_text(SOURCE)
    monkeypatch.setattr(environment, "site_packages", lambda python: folder)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "truth.jsonl").write_text(json.dumps(RECORD) + "\n")
    return folder


def run(tmp_path: Path, *options: str) -> int:
    files = {"truth": "truth.jsonl", "work": "work", "json": "out.json"}
    given = [part for name, file in files.items() for part in (f"--{name}", str(tmp_path / file))]
    return fixes.main([*given, "--python", sys.executable, *options])


def test_what_holds_is_counted_and_what_is_done_is_not_done_again(
    tmp_path: Path, packages: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, "--show", "--markdown", str(tmp_path / "page.md")) == 0
    shown = capsys.readouterr().out
    assert "1/1 made.up:Net: 7: removed, 9: not proposed" in shown
    assert "removed: made/up.py:7: GB0170: if torch.isnan(x).any():" in shown
    assert (packages / "made" / "up.py").read_text() == SOURCE
    assert "| all | 2 | 1 | 1 | 50% | 0 |" in (tmp_path / "page.md").read_text()
    before = json.loads((tmp_path / "out.json").read_text())
    assert run(tmp_path, "--resume") == 0
    assert "1/1" not in capsys.readouterr().out
    assert run(tmp_path, "--only", "nothing") == 2
    assert json.loads((tmp_path / "out.json").read_text()) == before


def test_proposals_alone_run_nothing(
    tmp_path: Path, packages: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fixes, "verify", None)
    assert run(tmp_path, "--proposals") == 0
    assert "7: proposed, 9: not proposed" in capsys.readouterr().out


def test_all_files_of_a_package_are_fixed_once(
    tmp_path: Path, packages: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["made", "--python", sys.executable, "--work", str(tmp_path / "work"), "--json", "counts.json"]
    for _ in range(2):
        assert library_files.main(arguments) == 0
        assert "all: 2 files, 1 changed, 1 fixes; 0 unparseable, 0 changed by a second run, 0 faults" in (
            capsys.readouterr().out
        )
        assert (tmp_path / "work" / "made" / "up.py").read_text() == SOURCE


def test_libraries_are_called_in_ways_that_have_names() -> None:
    assert all(":" in name and makes for name, makes in CALLS.items())
