"""The command ``gblint confirm``."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

NET = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x, mask=None):
        y = self.linear(x)
        if mask is not None:
            y = y[y > 0]
        if y.sum() > 0:
            y = y + 1
        return y * self.scale(y)

    def scale(self, y):
        return {**globals()}["factor"](y)

def factor(y):
    print("factor")
    return y.max()
"""
TRAIN = """\
import torch
from net import Net

if __name__ == "__main__":
    torch.compile(Net(), backend="eager")(torch.ones(2, 4))
"""
HINTS = """\
import torch

@torch.compile(backend="eager")
def scale(x, index, flag=False):
    if flag:
        x = x * 2
    return x + index

x = torch.ones(2)
scale(x, 1)
for index in range(3):
    scale(x, index)
scale(x, 1, flag=True)
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the verdict store in the folder of the test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))


@pytest.mark.slow
def test_dynamo_agrees_with_the_verdicts(gblint: Callable[..., Any], project: Callable[..., Path]) -> None:
    project({"net.py": NET, "train.py": TRAIN})
    ran = gblint("confirm", "train.py", "--output-format", "json")
    assert ran.status == 1, ran.err
    document = json.loads(ran.out)
    verdicts = {each["line"]: each["confirmation"]["verdict"] for each in document["findings"]}
    assert verdicts[13] == "confirmed"
    assert verdicts[21] == "missed"
    (branch,) = (each for each in document["findings"] if each["line"] == 13)
    assert branch["confirmation"]["gb_ids"] == ["GB0170"]
    assert document["confirmation"]["missed"] >= 1
    (run,) = document["runs"]
    assert run["target"]["name"] == "train.py"

    remembered = gblint("check", "--output-format", "concise")
    assert "GBL201 [certain, confirmed on" in remembered.out
    assert "confirmed on" not in gblint("check", "--output-format", "concise", "--no-cache").out
    only = gblint("check", "--confirmed-only", "--output-format", "concise")
    assert [line.split(":")[1] for line in only.out.splitlines() if "GBL" in line] == ["13", "18"]
    (_, again) = (gblint("check", "--output-format", form).out for form in ("concise", "full"))
    assert "= run: Dynamo says: GB0170" in again
    Path("net.py").write_text(NET.replace("y + 1", "y + 2"))
    changed = gblint("check", "--confirmed-only", "--output-format", "concise")
    assert [line.split(":")[1] for line in changed.out.splitlines() if "GBL" in line] == ["18"]


@pytest.mark.slow
def test_dynamo_agrees_with_an_entry(gblint: Callable[..., Any], project: Callable[..., Path]) -> None:
    project({"net.py": NET})
    ran = gblint("confirm", "--entry", "net:Net", "--inputs", "torch.ones(2, 4)", "--eval", "--output-format", "full")
    assert ran.status == 1, ran.err
    assert "confirmed on" in ran.out
    assert "Not reached:\n  net.py:12: GBL" in ran.out
    assert "net:Net (eval): " in ran.out
    assert "Of this run: recall " in ran.out


ODD = """
class Odd(torch.nn.Module):
    def __init__(self, engine):
        super().__init__()
        assert engine.secret == "word"
        self.engine = engine

    def forward(self, x):
        return self.engine.run(torch.relu(x)) * torch.relu(x).sum().item()
"""


@pytest.mark.slow
def test_dynamo_agrees_with_paths(gblint: Callable[..., Any], project: Callable[..., Path]) -> None:
    project({"net.py": NET + ODD})
    ran = gblint("confirm", "net.py", "--timeout", "60", "--output-format", "concise")
    assert ran.status == 1, ran.err
    assert "net:Net (eval, train): " in ran.out
    assert "--init 'Net()' --inputs " in ran.out
    assert "'mask': torch.ones(" in ran.out  # because a break depends on the mask
    assert "net.py:12:17: GBL302 [likely, confirmed on" in ran.out
    assert "net.py:13:12: GBL201 [certain, confirmed on" in ran.out
    assert "net:Odd: no arguments were found: " in ran.out
    assert "1 not tested" in ran.out
    stub = Path("gblint-inputs/net_Odd.py")
    assert f"; fill in {stub}" in ran.out
    text = stub.read_text()
    assert f"--entry net:Odd --inputs-from {stub}:make" in text
    stub.write_text(
        "import types, torch\nfrom net import Odd\n\ndef make():\n"
        "    engine = types.SimpleNamespace(secret='word', run=torch.abs)\n"
        "    return Odd(engine), (torch.ones(3),), {}\n"
    )
    ran = gblint("confirm", "--entry", "net:Odd", "--inputs-from", f"{stub}:make", "--output-format", "concise")
    assert ran.status == 1, ran.err
    assert re.search(r"GBL101 \[\w+, confirmed on", ran.out)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--inputs", "1"], "--init, --inputs and --inputs-from need exactly one entry point"),
        (["--entry", "net:Net", "--inputs", "1", "--inputs-from", "a:b"], "cannot be combined"),
        (["-m", "net", "--pytest"], "cannot be combined"),
        (["--memory", "much"], "a size such as 8G is expected"),
        (["--device", "tpu"], "'tpu' is not one of auto, cpu, cuda, mps, xpu"),
        (["net.py", "train.py", "--", "1"], "arguments after -- need a script"),
        (["nothing.py", "--", "1"], "there is no file 'nothing.py'"),
        (["--entry", "net:Nut"], "entry point not found"),
    ],
)
def test_wrong_arguments(
    gblint: Callable[..., Any], project: Callable[..., Path], arguments: list[str], message: str
) -> None:
    project({"net.py": NET, "train.py": TRAIN})
    ran = gblint("confirm", *arguments)
    assert ran.status == 2
    assert message in ran.err


def test_nothing_to_run(gblint: Callable[..., Any], project: Callable[..., Path]) -> None:
    project({"net.py": "x = 1\n"})
    ran = gblint("confirm")
    assert (ran.status, ran.out) == (0, "")
    assert "nothing was run" in ran.err


def test_a_script_that_fails(gblint: Callable[..., Any], project: Callable[..., Path]) -> None:
    project({"train.py": "print('so far')\nraise ValueError('no good')\n"})
    ran = gblint("confirm", "train.py", "--")
    assert ran.status == 2
    assert "train.py: it raised ValueError: no good at train.py:2" in ran.out
    assert "    so far" in ran.out


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="what is left is looked up in /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_ends_the_run(
    project: Callable[..., Path],
    number: signal.Signals,
    left_behind: Callable[[], list[str]],
    mark: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    folder = project({"train.py": "import time\nopen('started', 'w').close()\ntime.sleep(1000)\n"})
    command = [sys.executable, "-m", "gblint", "confirm", "train.py", "--"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        _wait_for((folder / "started").exists)
        os.kill(process.pid, number)
        assert process.wait(60) == (130 if number == signal.SIGINT else -number)
        assert process.stderr is not None and "Traceback" not in process.stderr.read().decode()
    if number != signal.SIGKILL:
        assert not list(temporary.glob("gblint-*"))
    _wait_for(lambda: not left_behind())


def _wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.slow
def test_dynamo_agrees_with_recompile_hints(gblint: Callable[..., Any], project: Callable[..., Path]) -> None:
    project({"hints.py": HINTS})
    done = gblint("confirm", "--extend-select", "GBL7", "--output-format", "json", "hints.py", "--")
    found = {each["line"]: each["confirmation"]["verdict"] for each in json.loads(done.out)["findings"]}
    assert found == {12: "confirmed", 13: "confirmed"}
    assert done.status == 0
