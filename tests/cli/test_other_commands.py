from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gblint as package
from gblint.cli import main as command
from gblint.runtime.mypyc import is_compiled

Write = Callable[..., Path]
Run = Callable[..., Any]

SOURCE = "import torch\n\n\n@torch.compile(fullgraph=True)\ndef f(x):\n    return x.item()\n"


def test_entries(project: Write, gblint: Run, engine: Any) -> None:
    project({"a.py": SOURCE})
    result = gblint("entries")
    assert (result.status, result.out) == (0, "a.py:4: a:f [decorator, fullgraph]\nFound 1 entry point in 1 file.\n")
    assert engine.traced == []


@pytest.mark.usefixtures("engine")
def test_entries_as_json(project: Write, gblint: Run) -> None:
    project({"a.py": SOURCE, "gblint.toml": 'output-format = "concise"\n'})
    document = json.loads(gblint("entries", "--output-format", "json").out)
    assert document["entries"] == [
        {"name": "a:f", "path": "a.py", "line": 4, "kind": "decorator", "region": "fullgraph"}
    ]
    assert document["errors"] == []


def test_version(gblint: Run) -> None:
    assert gblint("--version").out == f"gblint {package.__version__}{' (compiled)' if is_compiled() else ''}\n"


def test_a_mistyped_command(gblint: Run) -> None:
    result = gblint("chek")
    assert (result.status, result.out) == (2, "")
    assert result.err == "error: there is no command 'chek'; did you mean 'check'? (see gblint --help)\n"


def test_help_names_every_command(gblint: Run) -> None:
    out = gblint("--help").out
    assert all(name in out for name in ("check", "entries", "explain"))


def fail(error: BaseException) -> Callable[..., None]:
    def raising(*_: object, **__: object) -> None:
        raise error

    return raising


def replaced(error: BaseException) -> RuntimeError:
    """The error that Python up to 3.11 raises where another one comes up while a class is being made."""
    try:
        raise RuntimeError("Error calling __set_name__ on 'Field' instance 'line' in 'State'") from error
    except RuntimeError as made:
        made.__context__ = error
        return made


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (KeyboardInterrupt(), 130, ""),
        (replaced(KeyboardInterrupt()), 130, ""),
        (replaced(KeyError()), 2, "error: internal error: RuntimeError: Error calling __set_name__"),
        (ValueError("two\nlines"), 2, "error: internal error: ValueError: two lines"),
    ],
)
def test_no_traceback(
    gblint: Run, monkeypatch: pytest.MonkeyPatch, error: BaseException, status: int, message: str
) -> None:
    monkeypatch.setattr(command.gblint, "main", fail(error))
    monkeypatch.delenv("GBLINT_DEBUG", raising=False)
    result = gblint("check")
    assert result.status == status
    assert result.err.startswith(message)
    assert "Traceback" not in result.err


def test_a_reader_that_goes_away_is_no_error() -> None:
    script = f"{sys.executable} -m gblint explain tensor-item | true; echo ${{PIPESTATUS[0]}}"
    run = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert (run.stdout, run.stderr) == ("0\n", "")


def test_starting_is_cheap() -> None:
    code = """if True:
        import sys
        from gblint.cli.main import run
        run(["--version"])
        heavy = {"rich", "torch", "multiprocessing", "gblint.pipeline.lint", "gblint.rules"}
        print(sorted(heavy & set(sys.modules)))
    """
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"


def test_a_check_does_not_load_what_takes_longer_than_the_check(
    project: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    project({"a.py": "import torch\n\n\n@torch.compile\ndef f(x):\n    return x.item()\n"})
    code = """if True:
        import sys
        from gblint.cli.main import run
        run(["check", "--jobs", "1", "a.py"])
        heavy = {"difflib", "libcst", "multiprocessing", "rich", "torch"}
        heavy |= {"dataclasses", "hashlib", "packaging"}
        # click imports uuid, which needs platform; before 3.11 that imports subprocess, and so signal.
        heavy |= {"signal"} if sys.version_info >= (3, 11) else set()
        print(sorted(heavy & set(sys.modules)))
    """
    monkeypatch.setenv("XDG_CACHE_HOME", str(Path("cache").absolute()))  # there are no verdicts of earlier runs
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "GBL101" in run.stdout and run.stdout.splitlines()[-1] == "[]"
