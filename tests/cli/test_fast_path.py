"""The fast path prints the same as the command."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click
import pytest

from gblint.cli import fast_path
from gblint.cli.check import check

CODE = "import sys; from gblint.cli.{home} import {name}; sys.exit({name}(sys.argv[1:]))"
PLAIN = {
    "empty.py": "",
    "text.py": '"""To forward what torch.compile took from the environment."""\n',
    "pattern.py": "import re\nWORD = re.compile('x')\ntorch_version = None\n",
    "bytes.py": "x = b'\\d'\nprint('ä')\n",
    "torch_only.py": "import math\n\ndef f(x):\n    return math.sqrt(x.item())\n",
    "returns.py": "return 1\n",
}
OTHERS = {
    "compiles.py": "import torch\n@torch.compile\ndef f(x):\n    return x.item()\n",
    "helper.py": "from lib import compile_it\nfast = compile_it(len)\n",
    "aliased.py": "from torch import compile as fast\nf = fast(len)\n",
    "assumed.py": "from lib import Base\nclass Net(Base):\n    def forward(self, x):\n        return x\n",
    "lent.py": "from lib import Base, forward\nclass Net(Base):\n    forward = forward\n",
    "settings.py": "import torch._dynamo\ntorch._dynamo.config.suppress_errors = True\n",
    "variable.py": "import os, torch\nos.environ['TORCH_COMPILE_DISABLE'] = '1'\n",
    "broken.py": "def\n",
    "null.py": "x = '\0'\n",
    "latin.py": "# -*- coding: latin-1 -*-\nx = 1\n",
    "noqa.py": "x = 1  # noqa: GBL999\n",
    "stance.py": "from torch.compiler import set_stance\nset_stance('force_eager')\n",
    "trainer.py": "from transformers import TrainingArguments\nTrainingArguments(torch_compile=True)\n",
    "core.py": "import core\ncore.compile(len)\n",
    "optimizer.py": "import re, lib\nre.compile('x')\nlib.optimize(len)\n",
}
COMMANDS: Sequence[Sequence[str]] = (
    (),
    ("-q",),
    ("--output-format", "json"),
    ("--output-format", "json", "--quiet", "--no-cache"),
    ("--output-format", "concise", "--exit-zero"),
    ("--isolated",),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (PLAIN | OTHERS).items():
        (tmp_path / name).write_text(text)
    (tmp_path / "lib.py").write_text(
        "import torch\nBase = torch.nn.Module\nforward = None\ndef compile_it(f):\n    return torch.compile(f)\n"
    )
    return tmp_path


def run(home: str, name: str, folder: Path, *arguments: str) -> tuple[int, str, str]:
    environment = {key: value for key, value in os.environ.items() if key not in ("FORCE_COLOR", "NO_COLOR")}
    command = [sys.executable, "-c", CODE.format(home=home, name=name), *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_the_command_says_the_same(folder: Path, arguments: Sequence[str]) -> None:
    paths = [*PLAIN, "text.py", str(folder / "empty.py")]
    assert run("fast_path", "attempt", folder, *arguments, *paths) == run(
        "main", "run", folder, "check", *arguments, *paths
    )


@pytest.mark.parametrize("name", PLAIN)
def test_files_that_are_looked_at_no_further(folder: Path, name: str) -> None:
    text = fast_path._text(str(folder / name))
    assert text is not None and fast_path._is_plain(text)


@pytest.mark.parametrize("name", OTHERS)
def test_files_that_are_left_to_the_command(folder: Path, name: str) -> None:
    text = fast_path._text(str(folder / name))
    assert text is None or not fast_path._is_plain(text)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        (".",),
        ("missing.py",),
        ("-",),
        ("--", "empty.py"),
        ("empty.py", "compiles.py"),
        ("empty.py", "--statistics"),
        ("empty.py", "--output-format", "xml"),
        ("empty.py", "--output-format"),
        ("empty.py", "--output-format=json"),
        ("--exit", "empty.py"),
        ("empty.py", "--help"),
    ],
    ids=" ".join,
)
def test_whatever_else_is_asked_is_left_to_the_command(
    folder: Path, arguments: Sequence[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert fast_path.attempt([*arguments]) is None


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("gblint.toml", ""),
        ("pyproject.toml", "[tool.gblint]\n"),
        ("pyproject.toml", "[project]\nname = 'gblint'\n["),
        ("pyproject.toml", "[project\n"),
    ],
)
def test_a_configuration_is_read_by_the_command(
    folder: Path, file: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / file).write_text(text)
    assert fast_path.attempt(["empty.py"]) is None
    (folder / file).unlink()
    (folder / "pyproject.toml").write_text("[project]\nname = 'other'\n")
    assert fast_path.attempt(["--quiet", "empty.py"]) == 0


def test_the_options_are_those_of_the_command() -> None:
    known = {name: param for param in check.params if isinstance(param, click.Option) for name in param.opts}
    for name in fast_path.SWITCHES:
        assert known[name].is_flag, name
    for name, values in fast_path.CHOICES.items():
        kind = known[name].type
        assert isinstance(kind, click.Choice) and set(values) <= set(kind.choices)
    assert all({"-q", "--quiet"} == {*known[name].opts} for name in fast_path.QUIET)


def test_it_loads_little(folder: Path) -> None:
    code = "import sys; from gblint.cli.fast_path import attempt; attempt(['-q', 'pattern.py']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert loaded.isdisjoint(
        ("click", "dataclasses", "typing", "gblint.interp", "gblint.diagnostics.finding", "gblint.pipeline.lint")
    )
