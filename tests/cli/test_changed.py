"""``--changed``: the findings of a project that changed files can affect."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Gblint = Callable[..., Any]
Write = Callable[..., Path]

FILES = {
    "app/__init__.py": "",
    "app/helper.py": "def scale(x):\n    print(1)\n    return x * 2\n\n\ndef size(x):\n    return x.sum()\n",
    "app/flags.py": "from .base import SPEED\n\nFAST = SPEED > 1\n",
    "app/train.py": """\
import torch
from app.flags import FAST
from app.helper import scale, size


@torch.compile
def step(x: torch.Tensor):
    y = scale(x)
    if FAST and size(x) > 0:
        y = y + 1
    return y
""",
    "app/base.py": "SPEED = 3\nCOLOUR = 'red'\n",
    "app/other.py": """\
import torch


@torch.compile
def other(x: torch.Tensor):
    return x.tolist()
""",
    "app/unused.py": "import os\nfrom app.base import COLOUR\nfrom app.train import step\n\nname = COLOUR\n",
}


@pytest.fixture
def check(gblint: Gblint) -> Gblint:
    def run(*arguments: object) -> Any:
        return gblint("check", "--no-cache", "--extend-ignore", "GBL9", "--output-format", "concise", *arguments)

    return run


def places(result: Any) -> list[str]:
    return [":".join(line.split(":")[:2]) for line in result.out.splitlines() if " GBL" in line]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (["app/helper.py"], ["app/helper.py:2", "app/train.py:9"]),
        (["app/train.py"], ["app/helper.py:2", "app/train.py:9"]),
        # The file has only constants, which the files that import it use.
        (["app/flags.py"], ["app/helper.py:2", "app/train.py:9"]),
        # The file from which these constants are computed.
        (["app/base.py"], ["app/helper.py:2", "app/train.py:9"]),
        (["app/other.py"], ["app/other.py:6"]),
        (["app/unused.py"], []),
        (["app/unused.py", "app/other.py", "gone.py"], ["app/other.py:6"]),
        ([], []),
    ],
)
def test_what_changed_files_can_affect(check: Gblint, project: Write, changed: list[str], expected: list[str]) -> None:
    project(FILES)
    result = check("--changed", *changed)
    assert places(result) == expected
    assert result.status == (1 if expected else 0)
    assert ("not shown: these files cannot affect them" in result.err) == (len(expected) < 3)


def test_who_says_what_is_compiled(check: Gblint, project: Write) -> None:
    project(
        {
            "lib.py": "import torch\n\n\ndef fast(model):\n    return torch.compile(model)\n",
            "net.py": """\
from torch import nn


class Net(nn.Module):
    def __init__(self, loud):
        super().__init__()
        self.loud = loud

    def forward(self, x):
        if self.loud:
            print(x)
        return x + 1


class Other(nn.Module):
    def forward(self, x):
        print(x)
        return x
""",
            "train.py": "from lib import fast\nfrom net import Net\n\nnet = fast(Net(True))\n",
            "serve.py": "from lib import fast\nfrom net import Other\n\nother = fast(Other())\n",
            "run.py": "from train import net\n\nnet(1)\n",
        }
    )
    assert places(check("--changed", "train.py")) == ["net.py:11"]
    assert places(check("--changed", "serve.py")) == ["net.py:17"]
    assert places(check("--changed", "lib.py")) == ["net.py:11", "net.py:17"]
    assert places(check("--changed", "run.py")) == []


def test_the_project_is_the_working_directory(check: Gblint, project: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = project({**FILES, "gblint.toml": 'ignore = ["GBL4"]\n', "app/gblint.toml": "nonsense = 1\n"})
    assert places(check("--changed", root / "app" / "helper.py")) == ["app/train.py:9"]


def test_only_the_changed_files_are_fixed(check: Gblint, project: Write) -> None:
    root = project(FILES)
    result = check("--changed", "--fix", "app/train.py")
    assert (root / "app/helper.py").read_text() == FILES["app/helper.py"]
    assert "app/helper.py:2" in places(result)
    result = check("--changed", "--fix", "--unsafe-fixes", "app/helper.py")
    assert (root / "app/helper.py").read_text() != FILES["app/helper.py"]
    assert (root / "app/train.py").read_text() == FILES["app/train.py"]
    assert places(result) == ["app/train.py:9"]


@pytest.mark.parametrize("arguments", [["-"], ["--stdin-filename", "a.py"]])
def test_standard_input_is_no_file_that_changed(check: Gblint, project: Write, arguments: list[str]) -> None:
    project(FILES)
    result = check("--changed", *arguments)
    assert result.status == 2
    assert "--changed cannot be used" in result.err
