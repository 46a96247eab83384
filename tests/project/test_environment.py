from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

import pytest

from gblint.project.environment import Environment, EnvironmentProblem
from tests.project.trees import grow

STDLIB = "base/lib/python3.12"


@pytest.fixture(autouse=True)
def _outside_any_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.delenv("CONDA_PREFIX", raising=False)


def virtual(root: Path, name: str = ".venv", **files: str) -> Path:
    """Create a virtual environment of Python 3.12 with its base interpreter beside it."""
    site = f"{name}/lib/python3.12/site-packages"
    grow(root, {f"{STDLIB}/os.py": "", f"{STDLIB}/lib-dynload/x.so": "", f"{STDLIB}/site-packages/sys_only.py": ""})
    grow(
        root, {f"{name}/pyvenv.cfg": f"home = {root / 'base/bin'}\nversion = 3.12.4\n", f"{name}/bin/python": "\x7fELF"}
    )
    grow(root, {f"{site}/{path}": text for path, text in {"pkg/__init__.py": "", **files}.items()})
    return root / name


def shown(environment: Environment, root: Path) -> list[str]:
    return [folder.relative_to(root).as_posix() for folder in environment.search_path]


EXPECTED = [".venv/lib/python3.12/site-packages", STDLIB, f"{STDLIB}/lib-dynload"]


@pytest.mark.parametrize("python", [".venv", ".venv/bin/python"])
def test_requested(tmp_path: Path, python: str) -> None:
    virtual(tmp_path)
    environment = Environment.discover(str(tmp_path / python), tmp_path)
    assert shown(environment, tmp_path) == EXPECTED
    assert environment.version == (3, 12)
    assert environment.python == str(tmp_path / ".venv/bin/python")


def test_interpreter_that_is_a_link(tmp_path: Path) -> None:
    virtual(tmp_path)
    grow(tmp_path, {"base/bin/python3.12": "\x7fELF"})
    (tmp_path / ".venv/bin/python").unlink()
    (tmp_path / ".venv/bin/python").symlink_to(tmp_path / "base/bin/python3.12")
    assert shown(Environment.discover(str(tmp_path / ".venv/bin/python"), tmp_path), tmp_path) == EXPECTED


def test_environment_of_pre_commit_is_not_the_active_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    monkeypatch.setenv("PRE_COMMIT", "1")
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.prefix, "bin")), "/usr/bin"]))
    virtual(tmp_path)
    assert shown(Environment.discover(None, tmp_path), tmp_path) == EXPECTED
    # The user's active environment takes precedence over the project's.
    other = virtual(tmp_path, "other")
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.prefix, "bin")), str(other / "bin"), "/usr/bin"]))
    assert shown(Environment.discover(None, tmp_path), tmp_path)[0] == "other/lib/python3.12/site-packages"


def test_project_environment_then_the_active_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    virtual(tmp_path)
    assert shown(Environment.discover(None, tmp_path), tmp_path) == EXPECTED
    active = virtual(tmp_path, "active")
    monkeypatch.setenv("VIRTUAL_ENV", str(active))
    assert shown(Environment.discover(None, tmp_path), tmp_path)[0] == "active/lib/python3.12/site-packages"
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "gone"))
    assert shown(Environment.discover(None, tmp_path), tmp_path) == EXPECTED


def test_running_interpreter_is_the_last_choice(tmp_path: Path) -> None:
    environment = Environment.discover(None, tmp_path)
    assert environment.python == sys.executable
    assert environment.version == sys.version_info[:2]
    assert Path(sysconfig.get_path("stdlib")) in environment.search_path
    assert environment.distribution_version("pytest") == pytest.__version__


def test_system_site_packages(tmp_path: Path) -> None:
    folder = virtual(tmp_path)
    config = folder / "pyvenv.cfg"
    config.write_text(config.read_text() + "include-system-site-packages = true\n")
    environment = Environment.discover(str(folder), tmp_path)
    assert shown(environment, tmp_path) == [EXPECTED[0], f"{STDLIB}/site-packages", *EXPECTED[1:]]


def test_debian(tmp_path: Path) -> None:
    grow(
        tmp_path,
        {
            "usr/bin/python3.11": "\x7fELF",
            "usr/lib/python3.11/os.py": "",
            "usr/lib/python3.9/os.py": "",
            "usr/lib/python3/dist-packages/numpy/__init__.py": "",
            "usr/local/lib/python3.11/dist-packages/torch/__init__.py": "",
            "usr/local/lib/python3.9/dist-packages/old.py": "",
        },
    )
    (tmp_path / "usr/bin/python3").symlink_to("python3.11")
    environment = Environment.discover(str(tmp_path / "usr/bin/python3"), tmp_path)
    assert shown(environment, tmp_path) == [
        "usr/local/lib/python3.11/dist-packages",
        "usr/lib/python3/dist-packages",
        "usr/lib/python3.11",
    ]


def test_conda(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(tmp_path, {"c/bin/python": "", "c/lib/python3.10/os.py": "", "c/lib/python3.10/site-packages/x.py": ""})
    monkeypatch.setenv("CONDA_PREFIX", str(tmp_path / "c"))
    environment = Environment.discover(None, tmp_path)
    assert shown(environment, tmp_path) == ["c/lib/python3.10/site-packages", "c/lib/python3.10"]


def test_windows_layout(tmp_path: Path) -> None:
    grow(
        tmp_path,
        {"base/Lib/os.py": "", "base/DLLs/_x.pyd": "", "v/Lib/site-packages/x.py": "", "v/Scripts/python.exe": ""},
    )
    grow(tmp_path, {"v/pyvenv.cfg": f"home = {tmp_path / 'base'}\nversion_info = 3.13.1.final.0\n"})
    for given in ("v", "v/Scripts/python.exe"):
        environment = Environment.discover(str(tmp_path / given), tmp_path)
        assert shown(environment, tmp_path) == ["v/Lib/site-packages", "base/Lib", "base/DLLs"]
        assert environment.version == (3, 13)


def test_pth_files(tmp_path: Path) -> None:
    folder = virtual(
        tmp_path,
        **{"a.pth": f"# note\n{tmp_path / 'src'}\nimport os; os.x()\nnope\n\n", "sub/x.py": "", "b.pth": "sub\n"},
    )
    grow(tmp_path, {"src/mine.py": ""})
    environment = Environment.discover(str(folder), tmp_path)
    assert shown(environment, tmp_path)[:3] == [EXPECTED[0], "src", f"{EXPECTED[0]}/sub"]


def test_editable_finders(tmp_path: Path) -> None:
    finder = f"import sys\nMAPPING: dict[str, str] = {{'mine': {str(tmp_path / 'x')!r}}}\n"
    broken = "MAPPING = make()\n"
    folder = virtual(
        tmp_path, **{"__editable___mine_0_1_finder.py": finder, "__editable___other_0_1_finder.py": broken}
    )
    assert Environment.discover(str(folder), tmp_path).editable == (("mine", tmp_path / "x"),)


def test_distribution_versions(tmp_path: Path) -> None:
    folder = virtual(
        tmp_path,
        **{
            "torch-2.13.0.dist-info/METADATA": "",
            "Typing_Extensions-4.1.dist-info/METADATA": "",
            "old-1.0-py3.12.egg-info/PKG-INFO": "",
            "linked.egg-info/PKG-INFO": "",
        },
    )
    environment = Environment.discover(str(folder), tmp_path)
    assert environment.distribution_version("torch") == "2.13.0"
    assert environment.distribution_version("typing.extensions") == "4.1"
    assert environment.distribution_version("old") == "1.0"
    assert environment.distribution_version("linked") is None
    assert environment.distribution_version("nope") is None


@pytest.mark.parametrize("python", ["nope/bin/python", "no-such-command", "empty", "text.txt", "python-broken"])
def test_bad_requests_get_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, python: str) -> None:
    monkeypatch.chdir(grow(tmp_path, {"empty/x": "", "text.txt": "hello", "python-broken": "\x7fELF"}))
    with pytest.raises(EnvironmentProblem) as caught:
        Environment.discover(python, tmp_path)
    assert "\n" not in str(caught.value)
    assert python in str(caught.value)


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
def test_wrapper_scripts_are_run(tmp_path: Path) -> None:
    shim = tmp_path / "python3"
    shim.write_text(f"#!/bin/sh\nexec '{sys.executable}' \"$@\"\n")
    shim.chmod(0o755)
    environment = Environment.discover(str(shim), tmp_path)
    assert environment.version == sys.version_info[:2]
    assert environment.python == str(shim)
