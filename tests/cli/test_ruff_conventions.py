"""Options and behaviour that are the same as in ruff."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.programs import BEFORE, ITEM, SIGNED

Write = Callable[..., Path]
Gblint = Callable[..., Any]


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
