"""Options and behaviour that are the same as in ruff."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Write = Callable[..., Path]
Gblint = Callable[..., Any]
BEFORE = """\
import torch


@torch.compile
def f(x):
    positive = x.is_signed()
    return x[: x.sum().item()]
"""
ITEM, SIGNED = "GBL101", "GBL610"


def codes(result: Any) -> list[str]:
    return [each["code"] for each in json.loads(result.out)["findings"]]


@pytest.fixture
def here(project: Write) -> Path:
    return project({"m.py": BEFORE, "gblint.toml": ""})


def test_a_setting_on_the_command_line(here: Path, gblint: Gblint) -> None:
    setting = ("check", "--output-format", "json", "--config")
    assert codes(gblint(*setting, 'ignore = ["GBL6"]')) == [ITEM]
    assert codes(gblint(*setting, 'ignore = ["GBL6"]', "--ignore", "GBL1")) == [SIGNED]
    assert codes(gblint(*setting, 'ignore = ["GBL6"]', "--isolated")) == [ITEM]
    (here / "own.toml").write_text('ignore = ["GBL1"]\n')
    assert codes(gblint(*setting, "own.toml")) == [SIGNED]
    assert codes(gblint(*setting, "own.toml", "--config", 'ignore = ["GBL6"]')) == [ITEM]


def test_bad_settings_on_the_command_line(here: Path, gblint: Gblint) -> None:
    result = gblint("check", "--config", "ignore = GBL6")
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("error: --config: neither a file nor a setting such as")
    result = gblint("check", "--config", 'ignore = ["GBL999"]')
    assert result.status == 2
    assert "error: --config: ignore: no rule has the code 'GBL999'" in result.err
    assert "cannot be read" in gblint("check", "--config", "nowhere.toml").err
    assert "one file, not 2" in gblint("check", "--config", "gblint.toml", "--config", "b.toml").err
    assert "cannot be combined with a file" in gblint("check", "--isolated", "--config", "gblint.toml").err


def test_settings_say_where_they_are_from(here: Path, gblint: Gblint) -> None:
    (here / "gblint.toml").write_text('extend = "base.toml"\n')
    (here / "base.toml").write_text('\nfollow = ["timm"]\n')
    result = gblint("check", "--show-settings", "--config", "unsafe-fixes = true", "--ignore", "GBL6")
    lines = result.out.splitlines()
    assert 'follow = ["timm"]  # base.toml:2' in lines
    assert "unsafe-fixes = true  # --config" in lines
    assert 'ignore = ["GBL6"]  # --ignore' in lines
    assert 'extend = "base.toml"  # gblint.toml:1' in lines


def test_rules_left_out_in_some_files(here: Path, gblint: Gblint) -> None:
    check = ("check", "--output-format", "json")
    assert codes(gblint(*check, "--per-file-ignores", "m.py:GBL6")) == [ITEM]
    assert codes(gblint(*check, "--per-file-ignores", "m.py:GBL6,*.py:GBL1")) == []
    assert codes(gblint(*check, "--per-file-ignores", "n.py:GBL6")) == [SIGNED, ITEM]
    (here / "gblint.toml").write_text('per-file-ignores = {"m.py" = ["GBL1"]}\n')
    assert codes(gblint(*check)) == [SIGNED]
    assert codes(gblint(*check, "--extend-per-file-ignores", "m.py:GBL6")) == []
    (here / "gblint.toml").write_text('extend-per-file-ignores = {"m.py" = ["GBL1"]}\n')
    assert codes(gblint(*check, "--per-file-ignores", "n.py:GBL6")) == [SIGNED]
    assert "PATTERN:CODE is expected" in gblint("check", "--per-file-ignores", "GBL6").err
    result = gblint("check", "--per-file-ignores", "m.py:GBL999")
    assert "error: --per-file-ignores: no rule has the code 'GBL999'" in result.err


@pytest.mark.parametrize(
    ("options", "fixed"),
    [
        ([], True),
        (["--unfixable", "GBL6"], False),
        (["--unfixable", "GBL", "--fixable", SIGNED], True),
        (["--fixable", "GBL1"], False),
        (["--fixable", "GBL1", "--extend-fixable", SIGNED], True),
        (["--unfixable", "ALL"], False),
        (["--config", 'unfixable = ["GBL610"]'], False),
    ],
)
def test_which_rules_are_fixed(here: Path, gblint: Gblint, options: list[str], fixed: bool) -> None:
    result = gblint("check", "--fix", *options)
    assert ("x.dtype.is_signed" in (here / "m.py").read_text()) is fixed
    assert f"fixed {fixed:d} finding" in result.err


def test_unfixable_findings_show_no_fixes(here: Path, gblint: Gblint) -> None:
    result = gblint("check", "--show-fixes", "--output-format", "json", "--unfixable", "GBL6")
    assert [bool(each["fixes"]) for each in json.loads(result.out)["findings"]] == [False, True]
    assert "no rule has the code 'GBL999'" in gblint("check", "--unfixable", "GBL999").err


def test_fix_only(here: Path, gblint: Gblint) -> None:
    result = gblint("check", "--fix-only")
    assert (result.status, result.out) == (0, "")
    assert result.err.startswith("note: fixed 1 finding in 1 file")
    assert "x.dtype.is_signed" in (here / "m.py").read_text()
    (here / "broken.py").write_text("def")
    assert gblint("check", "--fix-only").status == 2


def test_having_fixed_may_be_a_failure(here: Path, gblint: Gblint) -> None:
    strict = ("check", "--fix-only", "--exit-non-zero-on-fix")
    assert gblint(*strict).status == 1
    assert gblint(*strict).status == 0
    assert gblint("check", "--fix", "--exit-non-zero-on-fix", "--ignore", "GBL1").status == 0


def test_unsafe_fixes_of_the_configuration_are_refused(here: Path, gblint: Gblint) -> None:
    (here / "gblint.toml").write_text("unsafe-fixes = true\n")
    assert gblint("check", "--diff", "--no-unsafe-fixes", "--ignore", "GBL6").out == ""
    assert gblint("check", "--diff", "--ignore", "GBL6").out


def test_clean(here: Path, gblint: Gblint, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    gblint("check", "--cache-dir", cache)
    (cache / "mine.txt").write_text("")
    (entries,) = cache.glob("scans-*")
    kept = entries / "mine.txt"
    kept.write_text("")
    result = gblint("clean", "--cache-dir", cache)
    assert (result.status, result.out) == (0, "")
    assert result.err.startswith(f"note: {cache}: 1 entry removed, ")
    assert [*entries.iterdir()] == [kept]
    kept.unlink()
    assert gblint("clean", "--cache-dir", cache).err.startswith(f"note: {cache}: 0 entries removed")
    assert [each.name for each in cache.iterdir()] == ["mine.txt"]
    assert gblint("clean", "-q", "--cache-dir", tmp_path / "nowhere").err == ""


class Watch:
    """``gblint check --watch`` in a process of its own, with its output so far."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        command = [sys.executable, "-m", "gblint", "check", "--watch", "--output-format", "concise", *arguments]
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", "XDG_CACHE_HOME": str(folder / ".cache")}
        # A background job of a shell ignores this signal, and its children inherit that.
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.process = subprocess.Popen(command, cwd=folder, env=environment, **pipes)
        signal.signal(signal.SIGINT, handler)
        self.lines: list[str] = []
        threading.Thread(target=lambda: self.lines.extend(self.process.stdout or ()), daemon=True).start()

    def report(self, number: int) -> list[str]:
        """Return the lines of one of its reports; the first report has the number 1."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            text = "".join(self.lines).split("note: watching for changes")
            if len(text) > number:
                return text[number - 1].splitlines()[1 if number > 1 else 0 :]
            time.sleep(0.05)
        raise AssertionError(self.lines)


@pytest.fixture
def watch(here: Path) -> Iterator[Callable[..., Watch]]:
    started: list[Watch] = []

    def start(*arguments: str) -> Watch:
        started.append(Watch(here, *arguments))
        return started[-1]

    yield start
    for each in started:
        each.process.kill()
        each.process.wait()


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGINT for one process")
def test_watch(here: Path, watch: Callable[..., Watch]) -> None:
    running = watch()
    assert [line.split()[1] for line in running.report(1) if line.startswith("m.py:")] == [SIGNED, ITEM]
    (here / "m.py").write_text(BEFORE.replace("    positive = x.is_signed()\n", ""))
    changed, *lines = running.report(2)
    assert changed == "note: changed: m.py"
    assert [line.split()[1] for line in lines if line.startswith("m.py:")] == [ITEM]
    # A new Python file, and a new file of another kind, which is ignored.
    (here / "notes.txt").write_text("")
    (here / "n.py").write_text(BEFORE)
    assert running.report(3)[0] == "note: changed: n.py"
    # An invalid configuration does not end the watch.
    (here / "gblint.toml").write_text("ignor = []\n")
    assert "unknown key 'ignor'" in "\n".join(running.report(4))
    (here / "gblint.toml").write_text('ignore = ["GBL"]\n')
    assert any("No graph breaks" in line or "Found" not in line for line in running.report(5))
    (here / "n.py").unlink()
    assert running.report(6)[0] == "note: changed: n.py"
    running.process.send_signal(signal.SIGINT)
    assert running.process.wait(30) == 130
    assert not any("Traceback" in line for line in running.lines)


@pytest.mark.parametrize(
    "options",
    [["--fix"], ["--diff"], ["--add-noqa"], ["--output-file", "x"], ["--changed"], ["-"], ["--output-format", "json"]],
)
def test_what_does_not_go_with_watch(here: Path, gblint: Gblint, options: list[str]) -> None:
    result = gblint("check", "--watch", *options)
    assert result.status == 2
    assert result.err.startswith("error: --watch ")


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gblint.cli.output.Streams.is_terminal", True)


def last(result: Any) -> str:
    return str((result.err.splitlines() or [""])[-1])


@pytest.mark.usefixtures("watched")
def test_the_last_line_says_how_many_may_have_a_fix(
    here: Path, gblint: Gblint, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the fixes were computed")

    # The line at a terminal must not cost the time of computing the fixes.
    monkeypatch.setattr("gblint.fix.lint_with_fixes.lint_with_fixes", refuse)
    assert last(gblint("check")) == "note: 2 findings may have a fix: --diff shows which do"
    assert last(gblint("check", "--ignore", "GBL6")) == "note: 1 finding may have a fix: --diff shows whether it does"
    assert "a fix" not in gblint("check", "--unfixable", "ALL").err
    for option in ("--statistics", "--quiet", "--output-format=github", "--output-file=x", "--select=GBL2"):
        assert "a fix" not in gblint("check", option).err


def test_in_a_script_there_is_no_such_line(here: Path, gblint: Gblint) -> None:
    assert gblint("check").err == ""
