"""Neovim itself as the client, set up as docs/editors.md says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.editors.server.conftest import write

NEOVIM = shutil.which("nvim")
LIMIT = 180
SCRIPT = Path(__file__).with_name("neovim.lua")
PAGE = Path(__file__).resolve().parents[3] / "docs" / "editors.md"
HELPER = "def scale(x):\n    return x * 2\n"
TRAIN = """import torch
from helper import scale


@torch.compile
def f(x: torch.Tensor):
    y = scale(x)
    print("größe 😀", y)
    return y + 1
"""


def version() -> tuple[int, int]:
    assert NEOVIM is not None
    said = subprocess.run([NEOVIM, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.match(r"NVIM v(\d+)\.(\d+)", said)
    assert found is not None, said
    return int(found[1]), int(found[2])


def setup() -> str:
    """Return the configuration for this Neovim from the page."""
    blocks = re.findall(r"```lua\n(.*?)```", PAGE.read_text("utf-8").partition("\n## Neovim\n")[2], re.DOTALL)
    now = version()
    return str(blocks[0 if now >= (0, 11) else 1 if now >= (0, 8) else 2])


@pytest.mark.skipif(NEOVIM is None, reason="Neovim (nvim) is not installed")
def test_a_session_in_neovim(tmp_path: Path) -> None:
    assert NEOVIM is not None
    root = tmp_path / "project"
    write(root, {"gblint.toml": "", "helper.py": HELPER, "train.py": TRAIN})
    (tmp_path / "init.lua").write_text(setup(), encoding="utf-8")
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "SAID": str(tmp_path / "said"),
        **{f"XDG_{each}_HOME": str(tmp_path / each.lower()) for each in ("CACHE", "CONFIG", "DATA", "STATE")},
    }
    command = [
        NEOVIM,
        "--headless",
        "--clean",
        "-n",
        "--cmd",
        f"luafile {tmp_path / 'init.lua'}",
        "train.py",
        "-S",
        str(SCRIPT),
    ]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=LIMIT)
    said: dict[str, Any] = dict(map(json.loads, (tmp_path / "said").read_text("utf-8").splitlines()))
    assert said.get("quits"), (said, done.stdout, done.stderr)
    assert done.returncode == 0

    # Neovim counts columns in bytes, the protocol in UTF-16 code units.
    assert said["opened"] == [["GBL401", 8, 4, 8, 28]]
    assert said["hover"].startswith("**GBL401** print-call")
    assert "**In compiled code**" in said["hover"]
    assert said["lenses"] == [[6, "1 graph break, 2 graphs"]]
    assert "GBL401" in said["listed"][0]
    assert said["offered"][0].startswith("GBL401: print from the graph")
    assert any("noqa" in title for title in said["offered"])
    assert said["fixed"] == '    torch._higher_order_ops.print("größe 😀 {!s}", y)'
    assert said["after the fix"] == []

    # An edit in one buffer changes the findings of another one, also if nothing is saved.
    assert said["after typing in the helper"] == [["GBL101", 2, 19, 2, 33]]
    assert said["after undoing it"] == []
    assert said["with lines put in above"] == [["GBL101", 5, 19, 5, 33]]
    assert said["after taking one out and back"] == said["after saving and closing"] == said["with lines put in above"]
    assert said["said besides"] == []
    assert said["stops"]
