"""Records made from the tests of a package."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[2] / "benchmarks" / "accuracy"
NET = """\
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if x.sum() > 0:
            return x + 1
        return x


class Failing(torch.nn.Module):
    def forward(self, x):
        raise ValueError("not this")
"""
TESTS = """\
import pytest
import torch
from net import Failing, Net


def test_net():
    net = Net()
    for _ in range(5):
        net(torch.ones(3))
    assert net.calls == 5
    net.eval()(torch.ones(3))


def test_failing():
    with pytest.raises(ValueError):
        Failing()(torch.ones(3))


def test_of_torch():
    torch.nn.Linear(3, 3)(torch.ones(3))
"""
# The package lies in this folder instead of site-packages.
RUN = """\
import sys
from pathlib import Path

sys.path[:0] = [{here!r}, {folder!r}]
import capture
import pytest

capture.SITE = Path({folder!r})
options = ["--record-package", "net", "--record-out", {out!r}]
sys.exit(pytest.main(["-q", "-p", "record_tests", "-p", "no:cacheprovider", *options, {tests!r}]))
"""


def test_calls_of_modules_are_recorded_and_dynamo_breaks_are_found(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    if sys.platform == "win32":
        pytest.skip("the recorder forks")
    (tmp_path / "net.py").write_text(NET)
    (tmp_path / "test_net.py").write_text(TESTS)
    out = tmp_path / "net.jsonl"
    folder, tests = str(tmp_path), str(tmp_path / "test_net.py")
    program = RUN.format(here=str(HERE), folder=folder, out=str(out), tests=tests)
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(each["entry"], each["mode"], each["status"]) for each in records] == [
        ("net:Net", "train", "ok"),
        ("net:Net", "train", "ok"),
        ("net:Net", "eval", "ok"),
        ("net:Failing", "train", "eager-error"),
    ]
    assert records[0]["lines"] == {"net.py": ["10-12"]}
    assert [(each["file"], each["line"]) for each in records[0]["breaks"]] == [("net.py", 11)]


def test_without_its_options_the_plugin_says_what_it_needs(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    program = (
        f"import sys; sys.path.insert(0, {str(HERE)!r}); import pytest; sys.exit(pytest.main(['-p', 'record_tests']))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert run.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--record-package and --record-out are needed" in run.stderr
