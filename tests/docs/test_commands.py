"""Every command that the README and the pages show exists, and works in a project like the one described."""

from __future__ import annotations

import io
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from gblint.cli.main import gblint as group

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "tests" / "runtime_logs" / "samples"
LOG = (SAMPLES / "torch-2.10.txt").read_text(encoding="utf-8")
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
# These run code or wait for a client; the tests of their pages are elsewhere.
ELSEWHERE = ("confirm", "server")
MODEL = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        y = self.linear(x)
        if y.sum() > 0:
            y = y + 1
        return y * y.max().item()
"""
TRAIN = """\
import torch
from app.model import Net

@torch.compile
def step(x):
    return Net()(x)

compiled = torch.compile(Net())
"""
FILES = {
    "app/__init__.py": "",
    "app/model.py": MODEL,
    "app/train.py": TRAIN,
    "net.py": MODEL,
    "train.py": TRAIN,
    "src/app/__init__.py": "",
    "src/app/model.py": MODEL,
    "path/to/your/project/net.py": MODEL,
    "run.log": LOG,
    "traces/dedicated_log_torch_trace_rank_0.log": (SAMPLES / "torch-2.10-trace.log").read_bytes(),
    "tests/test_nothing.py": "",
}


def shown() -> list[tuple[str, str]]:
    """Return each page with a command, without the comment after it."""
    found = []
    for page in PAGES:
        for line in re.findall(r"^\$ (.*\bgblint\b.*)$", page.read_text(encoding="utf-8"), re.MULTILINE):
            command = re.sub(r"\$\(.*?\)", "app/model.py", line.split(" # ")[0].rpartition("| ")[2].strip())
            if command.startswith("gblint "):
                found.append((page.name, command))
    return found


def test_there_are_some() -> None:
    assert len(shown()) > 40


@pytest.mark.parametrize(("page", "command"), shown())
def test_its_options_exist(page: str, command: str) -> None:
    name, *arguments = shlex.split(command)[1:]
    known = group.get_command(click.Context(group), name)
    assert known is not None
    options = {option for parameter in known.params for option in (*parameter.opts, *parameter.secondary_opts)}
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    used = {each.partition("=")[0] for each in own if each.startswith("-") and each != "-"}
    assert used <= {*options, "-h", "--help"}


@pytest.mark.parametrize(("page", "command"), shown())
def test_it_does_something(
    gblint: Callable[..., Any],
    project: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    page: str,
    command: str,
) -> None:
    name, *arguments = shlex.split(command)[1:]
    if name in ELSEWHERE or not {"--verify", "--watch", "--interactive"}.isdisjoint(arguments):
        pytest.skip("it runs code, or does not end by itself")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    project(FILES)
    if page == "baseline.md":
        project({"gblint.toml": 'baseline = "gblint-baseline.json"\n'})
        gblint("check", "--write-baseline")
    if name == "compare":
        identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
        for git in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-qm", "first")):
            subprocess.run(["git", *identity, *git], check=True)
    missing = [each for each in arguments if each in NEEDED]
    if missing:
        pytest.skip(f"{missing[0]} comes from another command")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(LOG.encode())))
    done = gblint(name, *arguments)
    assert done.status in (0, 1), done.err
    assert done.out or done.err or "--output-file" in arguments


NEEDED = ("r.json", "tl_out/", "run.log.gz")
