"""The first steps of a user who knows other linters."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from gblint import __version__
from gblint.cli.main import gblint as group
from gblint.rules import all_rules
from gblint.runtime.mypyc import is_compiled

Gblint = Callable[..., Any]
Write = Callable[..., Path]
CODE = "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    return x.item()\n"


def test_without_a_command_there_is_help(gblint: Gblint) -> None:
    result = gblint()
    assert result.status == 2
    assert result.out.startswith("Usage: gblint [OPTIONS] COMMAND [ARGS]...\n")
    assert result.err == ""


@pytest.mark.parametrize("name", ["", *group.list_commands(click.Context(group))])
def test_every_command_has_help(gblint: Gblint, name: str) -> None:
    result = gblint(*name.split(), "--help")
    assert result.status == 0
    assert result.out.startswith(f"Usage: gblint {name}".rstrip())
    # Every option says what it is for.
    for line in result.out.splitlines():
        assert not re.fullmatch(r"  -\S+", line), line


def test_options_of_a_check_stand_under_headings(gblint: Gblint) -> None:
    printed = gblint("check", "--help").out
    headings = re.findall(r"^(\S.*):$", printed, re.MULTILINE)
    assert headings[0] == "Files and entry points"
    assert headings[-1] == "Other options"
    rest = printed[printed.index("Other options:") :].splitlines()[1:]
    assert len([line for line in rest if line.startswith("  -")]) <= 3


def test_commands_in_a_list_are_not_cut(gblint: Gblint) -> None:
    for line in gblint("--help").out.partition("Commands:")[2].splitlines():
        assert not line.endswith("...")


@pytest.mark.parametrize(
    ("files", "printed"),
    [
        ({}, "There are no Python files to check.\n"),
        ({"a.py": "import os\n"}, "Nothing was analysed: no entry point in 1 file.\n"),
        (
            {"a.py": "import torch\n\ndef f(x):\n    return x.item()\n"},
            "Nothing was analysed: no entry point in 1 file.\n",
        ),
    ],
)
def test_nothing_to_lint(gblint: Gblint, project: Write, files: dict[str, str], printed: str) -> None:
    project(files)
    result = gblint("check")
    assert (result.status, result.out) == (0, printed)
    assert ("--entry MODULE:NAME adds one" in result.err) == bool(files)


def test_quiet(gblint: Gblint, project: Write) -> None:
    project({"a.py": CODE})
    result = gblint("check", "-q", "--output-format", "concise")
    assert len(result.out.splitlines()) == 1
    assert result.err == ""
    project({"a.py": "def f(:\n"})
    result = gblint("check", "-q")
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("error: a.py:1: ")


def test_what_to_do_next_is_said_on_a_terminal(gblint: Gblint, project: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    project({"a.py": CODE})
    assert gblint("check", "--output-format", "concise").err == ""
    monkeypatch.setattr("gblint.cli.output.sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "dumb")
    printed = gblint("check", "--output-format", "concise", "--color", "never").err
    assert "note: 1 finding may have a fix: --diff shows whether it does" in printed
    assert "--statistics" not in printed
    monkeypatch.setattr("gblint.cli.check.MANY", 0)
    assert "--statistics counts them by rule" in gblint("check", "--output-format", "concise").err
    assert "--diff" not in gblint("check", "--output-format", "json").err
    assert "--diff" not in gblint("check", "--quiet").err


@pytest.mark.parametrize("command", [["check"], ["entries"], ["rules", "GBL101"], ["explain", "GBL101"]])
@pytest.mark.parametrize(
    ("choice", "environment", "colored"),
    [
        ("always", {}, True),
        ("always", {"NO_COLOR": "1"}, True),
        ("never", {"FORCE_COLOR": "1"}, False),
        ("auto", {"FORCE_COLOR": "1"}, True),
        ("auto", {}, False),
    ],
)
def test_color(
    gblint: Gblint,
    project: Write,
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
    choice: str,
    environment: dict[str, str],
    colored: bool,
) -> None:
    project({"a.py": CODE})
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in gblint(*command, "--color", choice).out) == colored


def test_settings_are_shown_with_their_places(gblint: Gblint, project: Write) -> None:
    project({"pyproject.toml": '[tool.gblint]\nignore = ["GBL1"]\n\n[tool.gblint.pins]\n"a:B.c" = "a:C"\n', "a.py": ""})
    lines = gblint("check", "--show-settings", "--min-confidence", "certain").out.splitlines()
    assert lines[0] == "configuration: pyproject.toml"
    assert 'ignore = ["GBL1"]  # pyproject.toml:2' in lines
    assert 'min-confidence = "certain"  # --min-confidence' in lines
    assert any(line.startswith('pins = {"a:B.c" = ["a:C"]}') for line in lines)
    assert 'output-format = "full"' in lines
    lines = gblint("check", "--show-settings", "--isolated").out.splitlines()
    assert lines[0] == "configuration: none"
    assert "ignore = []" in lines
    assert gblint("check", "--isolated", "--config", "pyproject.toml").status == 2


def test_files_are_shown(gblint: Gblint, project: Write) -> None:
    project({"a.py": "", "sub/b.py": "", "sub/c.txt": "", ".gitignore": "gen\n", "gen/d.py": "", ".venv/e.py": ""})
    assert gblint("check", "--show-files").out == "a.py\nsub/b.py\n"
    assert gblint("check", "--show-files", "--extend-exclude", "sub").out == "a.py\n"
    assert gblint("check", "--show-files", "--exclude", "a.py").out == ".venv/e.py\nsub/b.py\n"
    result = gblint("check", "--show-files", "nope")
    assert result.status == 2
    assert result.err == "error: nope: no such file or directory\n"


def test_rules_are_listed(gblint: Gblint) -> None:
    lines = gblint("rules").out.splitlines()
    assert len(lines) == len(all_rules()) + 1
    assert lines[-1] == f"{len(all_rules())} rules."
    assert re.fullmatch(
        r"GBL101  tensor-item +`\.item\(\)` of a tensor  \[fixes\]", gblint("rules", "gbl101").out.split("\n")[0]
    )
    assert any("off by default" in line for line in gblint("rules", "GBL7").out.splitlines())
    (item,) = json.loads(gblint("rules", "GBL101", "--output-format", "json").out)
    assert item["gb_ids"] == ["GB0124"]
    result = gblint("rules", "GBL1", "GBX")
    assert result.status == 2
    assert "no rule has a code that starts with 'GBX'" in result.err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(gblint: Gblint, shell: str) -> None:
    result = gblint("completion", shell)
    assert result.status == 0
    assert "_GBLINT_COMPLETE" in result.out


def test_options_and_values_are_completed() -> None:
    def complete(words: str) -> list[str]:
        environment = {
            **os.environ,
            "_GBLINT_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split(" ")) - 1),
        }
        code = "from gblint.cli.main import main; main()"
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        return [line.partition(",")[2] for line in done.stdout.splitlines()]

    assert complete("gblint exp") == ["explain"]
    assert complete("gblint check --min-c") == ["--min-confidence"]
    assert complete("gblint check --output-format s") == ["sarif"]


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_version_needs_nothing_else(flag: str) -> None:
    code = (
        f"import sys; sys.argv = ['gblint', {flag!r}]; from gblint.cli.start import main; main(); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    printed, loaded = done.stdout.splitlines()
    assert printed == f"gblint {__version__}{' (compiled)' if is_compiled() else ''}"
    assert not {"click", "rich", "gblint.config.settings", "gblint.diagnostics.finding"} & set(loaded.split())


@pytest.mark.parametrize(("typed", "meant"), [("rule", "explain"), ("fix", "check --fix"), ("lsp", "server")])
def test_names_that_other_linters_use(gblint: Gblint, typed: str, meant: str) -> None:
    result = gblint(typed, "GBL101")
    assert (result.status, result.out) == (2, "")
    assert f"there is no command '{typed}'; it is gblint {meant}" in result.err


def test_many_findings_are_summed_up(gblint: Gblint, project: Write) -> None:
    body = "".join(f"    print({n})\n" for n in range(40)) + "    x.tolist()\n"
    project({"net.py": f"import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n{body}    return x\n"})
    printed = gblint("check", "--no-cache").out
    assert "Most frequent rules: GBL401 print-call (40) and GBL102 tensor-tolist (1)." in printed
    project(
        {"net.py": "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    print(1)\n    return x.tolist()\n"}
    )
    assert "Most frequent" not in gblint("check", "--no-cache").out


def test_nothing_to_look_at_is_not_called_the_rest(gblint: Gblint, project: Write) -> None:
    project({"a.txt": ""})
    result = gblint("check", "gone.py")
    assert result.status == 2 and "1 error." in result.out and "the rest" not in result.out


def test_what_comments_silence_can_be_shown(gblint: Gblint, project: Write) -> None:
    line = "    print(1)  # noqa: GBL401\n"
    project({"net.py": f"import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n{line}    return x.tolist()\n"})
    assert "GBL401 [" not in gblint("check", "--no-cache").out
    shown = gblint("check", "--no-cache", "--ignore-noqa", "--output-format", "concise")
    assert shown.status == 1
    assert [part.split(" ")[1] for part in shown.out.splitlines()[:2]] == ["GBL401", "GBL102"]
    assert gblint("check", "--ignore-noqa", "--fix").status == 2
