"""Each setting of a project that cannot be used is told, whatever its size, and writes nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.robust.test_untrusted_projects import gblint

NET = "import torch\n\n\n@torch.compile\ndef f(x):\n    return x.item()\n"
LONG = "a" * 5000


def _refused(folder: Path, *arguments: str) -> str:
    (folder / "net.py").write_text(NET)
    run = gblint(folder, "check", "--no-cache", *arguments)
    assert run.returncode == 2, run.stdout + run.stderr
    assert "internal error" not in run.stderr
    assert "Traceback" not in run.stderr
    assert (folder / "net.py").read_text() == NET
    return run.stderr


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        (f'python = "{LONG}"', "gblint.toml:1: no interpreter or virtual environment at"),
        ('python = "~nobody-of-this-name/x"', "gblint.toml:1: no interpreter or virtual environment at"),
        (f'extend = "{LONG}"', "gblint.toml:1: extend: there is no file"),
        ('extend = "~nobody-of-this-name/x"', "gblint.toml:1: extend: there is no file"),
        ("a" + ".a" * 100_000 + " = 1", "gblint.toml:1: a key of more than 1,000 parts"),
        ("[a" + ".a" * 100_000 + "]", "gblint.toml:1: a key of more than 1,000 parts"),
        ("\n".join(f"k{number} = 1" for number in range(20_000)), "19,950 more unknown keys"),
    ],
    ids=["python", "python-of-nobody", "extend", "extend-of-nobody", "key-of-many-parts", "table", "unknown-keys"],
)
def test_settings(tmp_path: Path, setting: str, message: str) -> None:
    (tmp_path / "gblint.toml").write_text(setting)
    assert message in _refused(tmp_path)


def test_a_setting_on_the_command_line(tmp_path: Path) -> None:
    assert "--config: neither a file nor a setting" in _refused(tmp_path, "--config", f"x = {'[' * 3000}")


def test_many_files_that_extend_one_another(tmp_path: Path) -> None:
    (tmp_path / "gblint.toml").write_text('extend = "a0.toml"')
    for number in range(1000):
        (tmp_path / f"a{number}.toml").write_text(f'extend = "a{number + 1}.toml"')
    assert "a18.toml:1: extend: more than 20 files extend one another" in _refused(tmp_path)


def test_a_folder_that_contains_itself(tmp_path: Path) -> None:
    (tmp_path / "gblint.toml").write_text('extend = "d/gblint.toml"')
    (tmp_path / "d").symlink_to(".")
    assert "extend: more than 20 files extend one another" in _refused(tmp_path)


@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "CONDA_PREFIX"])
def test_names_of_environments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    from gblint.project.environment import Environment

    for other in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv(variable, LONG)
    assert Environment.discover(None, tmp_path).search_path


def test_the_home_of_an_environment(tmp_path: Path) -> None:
    from gblint.project.environment import Environment

    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "pyvenv.cfg").write_text(f"home = {LONG}\nversion = 3.11\n")
    assert Environment.discover(None, tmp_path).search_path


@pytest.mark.parametrize("content", [NET, "", "[1]", "{}"])
def test_a_baseline_overwrites_nothing_else(tmp_path: Path, content: str) -> None:
    (tmp_path / "gblint.toml").write_text('baseline = "other.py"')
    (tmp_path / "other.py").write_text(content)
    if content:
        assert "other.py is not a baseline and is not overwritten" in _refused(tmp_path, "--write-baseline")
        assert (tmp_path / "other.py").read_text() == content
        return
    (tmp_path / "net.py").write_text(NET)
    assert gblint(tmp_path, "check", "--no-cache", "--write-baseline").returncode == 0
    assert os.path.getsize(tmp_path / "other.py")
