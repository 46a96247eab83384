"""The plugin, mostly through the real flake8."""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gblint.editors.flake8 import Plugin
from gblint.editors.plugin_analyses import project_root
from gblint.editors.plugin_options import mentions_torch

pytest.importorskip("flake8", reason="flake8 is in the extra `test`")

Write = Callable[..., Path]

HELPER = "def scale(x):\n    return x.max().item()\n"
TRAIN = "import torch\nfrom helper import scale\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    return x * scale(x)\n"
FILES = {"pyproject.toml": "[tool.gblint]\n", "helper.py": HELPER, "train.py": TRAIN}
# Records each import of the analysis and of torch, in all processes.
SPY = """\
import os, sys

class Spy:
    def find_spec(self, name, path=None, target=None):
        if name in ("gblint.pipeline.lint", "torch"):
            with open(os.environ["SPIED"], "a") as file:
                file.write(name + chr(10))

sys.meta_path.insert(0, Spy())
"""


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    Plugin.parse_options(argparse.Namespace())


def findings(path: Path, text: str | None = None) -> list[tuple[int, int, str]]:
    source = path.read_text() if text is None else text
    plugin = Plugin(ast.parse(source), str(path), source.splitlines(keepends=True))
    return [(line, column, findings_of) for line, column, findings_of, _ in plugin.run()]


def flake8(folder: Path, *arguments: str, stdin: str = "", start: str = "fork") -> Any:
    """Run flake8 in a process of its own; ``start`` is the start method of its child processes."""
    code = (
        f"import multiprocessing; multiprocessing.set_start_method({start!r}); "
        "import sys; from flake8.main.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    spy = folder.parent / f"{folder.name}-spy"
    spy.mkdir(exist_ok=True)
    (spy / "sitecustomize.py").write_text(SPY)
    environment = {**os.environ, "PYTHONPATH": str(spy), "SPIED": str(spy / "spied"), "TMPDIR": str(spy)}
    environment.pop("GBLINT_PLUGIN", None)
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=folder, input=stdin, capture_output=True, text=True, env=environment)


def spied(folder: Path) -> list[str]:
    file = folder.parent / f"{folder.name}-spy" / "spied"
    return file.read_text().split() if file.exists() else []


def findings_of(run: Any) -> list[str]:
    """Return the findings of gblint without their messages."""
    assert run.stderr == ""
    return [line.split(" ")[0] + line.split(" ")[1] for line in run.stdout.splitlines() if " GBL" in line]


def test_a_break_is_shown_in_the_file_that_it_lies_in(project: Write) -> None:
    root = project(FILES)
    ((line, column, text),) = findings(root / "helper.py")
    assert (line, column) == (2, 11)
    assert text.startswith("GBL101 `x.max().item()`")
    assert findings(root / "train.py") == []


def test_one_analysis_serves_all_files(project: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project(FILES)
    findings(root / "train.py")
    monkeypatch.setattr("gblint.pipeline.lint.lint", None)
    assert len(findings(root / "helper.py")) == 1


def test_the_project_is_the_nearest_folder_with_a_mark(
    project: Write, tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = project({"setup.cfg": "", "a/b/c.py": "", "a/own/gblint.toml": "", "a/own/d.py": ""})
    assert project_root(root / "a" / "b" / "c.py") == root
    assert project_root(root / "a" / "own" / "d.py") == root / "a" / "own"
    (root / "setup.cfg").unlink()
    assert project_root(root / "a" / "b" / "c.py") == root  # the working directory
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    assert project_root(elsewhere / "e.py") == elsewhere


def test_a_fault_of_ours_does_not_end_flake8(project: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> Iterator[None]:
        raise ValueError("no")

    root = project(FILES)
    monkeypatch.setattr("gblint.pipeline.lint.lint", fail)
    assert findings(root / "helper.py") == [(1, 0, "GBL000 gblint cannot run: ValueError: no")]


def test_where_torch_is_mentioned(project: Write) -> None:
    root = project({"a.py": "", "b/c.py": "import torch\n", ".venv/x.py": "torch", "d/site-packages/y.py": "torch"})
    assert mentions_torch(root)
    (root / "b" / "c.py").write_text("import os\n")
    assert not mentions_torch(root)


@pytest.mark.parametrize(("jobs", "start"), [("1", "fork"), ("2", "fork"), ("2", "spawn")])
def test_the_project_is_analysed_once(project: Write, jobs: str, start: str) -> None:
    root = project(FILES)
    assert findings_of(flake8(root, "--isolated", "--jobs", jobs, ".", start=start)) == ["./helper.py:2:12:GBL101"]
    assert spied(root) == ["gblint.pipeline.lint"]
    assert [path.name for path in (root.parent / f"{root.name}-spy").iterdir() if path.name.startswith("gblint")] == []


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_nothing_is_done_without_torch(project: Write, jobs: str) -> None:
    root = project({"setup.cfg": "", "a.py": "import os\n", "b.py": "x = 1\n"})
    run = flake8(root, "--isolated", "--jobs", jobs, ".")
    assert run.stdout == "./a.py:1:1: F401 'os' imported but unused\n"
    assert spied(root) == []


def test_the_text_in_the_editor_counts(project: Write) -> None:
    root = project(FILES)
    run = flake8(root, "--isolated", "--stdin-display-name", "helper.py", "-", stdin="import os\n\n\n" + HELPER)
    assert run.stderr == ""
    assert [line.split()[0:2] for line in run.stdout.splitlines()] == [
        ["helper.py:1:1:", "F401"],
        ["helper.py:5:12:", "GBL101"],
    ]
    # The text of a new file, which is not on disk yet; then a changed text without the break.
    alone = TRAIN.replace("from helper import scale\n", "").replace("scale(x)", "x.item()")
    run = flake8(root, "--isolated", "--stdin-display-name", "new.py", "-", stdin=alone)
    assert findings_of(run) == ["new.py:6:16:GBL101"]
    run = flake8(root, "--isolated", "--stdin-display-name", "helper.py", "-", stdin=HELPER.replace(".item()", ""))
    assert findings_of(run) == []
    # A break that the text reaches in another file is not reported for the text.
    run = flake8(root, "--isolated", "--stdin-display-name", "train.py", "-", stdin=TRAIN)
    assert findings_of(run) == []


def test_a_second_run_finds_what_the_first_one_kept(project: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project(FILES)
    kept = root.parent / "kept"
    monkeypatch.setenv("GBLINT_CACHE_DIR", str(kept))
    arguments = ("--isolated", "--stdin-display-name", "helper.py", "-")
    first, second = (flake8(root, *arguments, stdin=HELPER) for _ in range(2))
    assert findings_of(first) == findings_of(second) == ["helper.py:2:12:GBL101"]
    # A changed text is analysed again, although the results of the file are stored.
    assert findings_of(flake8(root, *arguments, stdin=HELPER.replace(".item()", ""))) == []
    assert findings_of(flake8(root, *arguments, stdin="\n" + HELPER)) == ["helper.py:3:12:GBL101"]
    assert len([*kept.glob("*/*")]) == 1


def test_flake8_has_the_last_word(project: Write) -> None:
    root = project({**FILES, "b.py": TRAIN.replace("from helper import scale", "").replace("scale(x)", "x.item()")})
    assert findings_of(flake8(root, "--isolated", "--extend-ignore", "GBL1", ".")) == []
    assert findings_of(flake8(root, "--isolated", "--select", "F", ".")) == []
    assert len(findings_of(flake8(root, "--isolated", "--select", "GBL", "."))) == 2
    assert findings_of(flake8(root, "--isolated", "--per-file-ignores", "helper.py:GBL101", ".")) == [
        "./b.py:7:16:GBL101"
    ]


def test_noqa(project: Write) -> None:
    root = project({**FILES, "helper.py": HELPER.replace("item()", "item()  # noqa: GBL101")})
    assert findings_of(flake8(root, "--isolated", ".")) == []
    assert findings_of(flake8(root, "--isolated", "--disable-noqa", ".")) == ["./helper.py:2:12:GBL101"]


def test_options_in_the_configuration_of_flake8(project: Write) -> None:
    root = project(
        {
            **FILES,
            ".flake8": "[flake8]\ngblint-entries =\n  helper:scale\n  helper:other\ngblint-min-confidence = possible\n",
            "helper.py": HELPER + "\n\ndef other(x):\n    return x.item()\n",
        }
    )
    assert findings_of(flake8(root, ".")) == ["./helper.py:2:12:GBL101", "./helper.py:6:12:GBL101"]
    assert findings_of(flake8(root, "--gblint-min-confidence", "certain", ".")) == []


def test_another_configuration_of_ours(project: Write) -> None:
    root = project(
        {**FILES, "conf/flake8.cfg": "[flake8]\ngblint-config = ./ours.toml\n", "conf/ours.toml": 'ignore = ["GBL1"]\n'}
    )
    assert findings_of(flake8(root, "--config", "conf/flake8.cfg", ".")) == []
    assert len(findings_of(flake8(root, "."))) == 1


def test_a_rule_that_is_off_can_be_selected(project: Write) -> None:
    text = "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor, n: int):\n    return x * n\n\n\n"
    root = project({**FILES, "b.py": text + "for k in range(9):\n    f(torch.ones(3), k)\n"})
    assert [each for each in findings_of(flake8(root, "--isolated", ".")) if "GBL7" in each] == []
    assert [each for each in findings_of(flake8(root, "--isolated", "--extend-select", "GBL7", ".")) if "GBL7" in each]


def test_a_syntax_error_costs_its_own_file(project: Write) -> None:
    root = project({**FILES, "bad.py": "import torch\ndef f(:\n"})
    run = flake8(root, "--isolated", ".")
    assert findings_of(run) == ["./helper.py:2:12:GBL101"]
    assert "./bad.py:2:" in run.stdout and "E999 SyntaxError" in run.stdout
    run = flake8(root, "--isolated", "--stdin-display-name", "helper.py", "-", stdin=HELPER.replace(":", ""))
    assert "E999" in run.stdout


@pytest.mark.parametrize(("jobs", "start"), [("1", "fork"), ("2", "fork"), ("2", "spawn")])
def test_trouble_is_said_once(project: Write, jobs: str, start: str) -> None:
    many = {f"m{number}.py": "import torch\n\nprint(torch)\n" for number in range(6)}
    root = project({**FILES, **many, "pyproject.toml": "[tool.gblint]\nfolow = []\n"})
    run = flake8(root, "--isolated", "--jobs", jobs, ".", start=start)
    assert run.stderr == ""
    (line,) = run.stdout.splitlines()
    assert " GBL000 gblint cannot run: " in line
    assert line.endswith("pyproject.toml:2: unknown key 'folow' in [tool.gblint]; did you mean 'follow'?")


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [
        ("min-confidence", "likly", "'likly' is not one of certain, likely, possible; did you mean 'likely'?"),
        ("torch-version", "two", "a torch version such as \"2.13\" is expected, not 'two'"),
        ("assume-entries", "yes", "'yes' is not one of auto, always, never"),
    ],
)
def test_options_that_cannot_be_used(project: Write, option: str, value: str, reason: str) -> None:
    root = project(FILES)
    run = flake8(root, "--isolated", f"--gblint-{option}", value, "train.py")
    assert run.stdout == f"train.py:1:1: GBL000 gblint cannot run: --gblint-{option}: {reason}\n"


def test_a_file_that_is_not_there(project: Write) -> None:
    root = project(FILES)
    run = flake8(root, "--isolated", "--gblint-config", "no.toml", "train.py")
    assert "no.toml: cannot be read: No such file or directory" in run.stdout
    assert "E902" in flake8(root, "--isolated", "gone.py").stdout
