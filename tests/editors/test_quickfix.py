"""The quickfix list of Vim and Neovim, filled by ``:make`` as docs/editors.md says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "editors.md"
CODE = "import torch\nimport os\n\n\n@torch.compile\ndef f(x):\n    print(x)\n    return x + 1\n"


def settings() -> dict[str, str]:
    """Return the settings on the page, by the program that they run."""
    (block,) = re.findall(r"```vim\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    return {re.split(r"makeprg=|\\? ", line)[2]: line for line in block.splitlines()}


@pytest.mark.parametrize("program", ["flake8", "gblint"])
@pytest.mark.parametrize("editor", ["vim", "nvim"])
def test_make(editor: str, program: str, tmp_path: Path) -> None:
    if shutil.which(editor) is None:
        pytest.skip(f"{editor} is not installed")
    (tmp_path / "net.py").write_text(CODE)
    # Both commands are on PATH, as in an active environment.
    for name in ("flake8", "gblint"):
        (tmp_path / "bin" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "bin" / name).write_text(f'#!/bin/sh\nexec {sys.executable} -m {name} "$@"\n')
        (tmp_path / "bin" / name).chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "XDG_STATE_HOME": str(tmp_path / "cache"),
    }
    found = "[bufname(v:val.bufnr), v:val.lnum, v:val.col, v:val.text, v:val.valid]"
    script = [settings()[program], "silent make", f"call writefile([json_encode(map(getqflist(), {found!r}))], 'said')"]
    commands = [part for line in script for part in ("-c", line)]
    start = ["--clean", "--headless", "-n"] if editor == "nvim" else ["-N", "-u", "NONE", "-i", "NONE", "-n", "-es"]
    command = [editor, *start, *commands, "-c", "qall!"]
    subprocess.run(command, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    listed = [each[:4] for each in json.loads((tmp_path / "said").read_text()) if each[4]]
    text = "`print` writes to the terminal"
    if program == "flake8":
        assert listed == [["./net.py", 2, 1, "F401 'os' imported but unused"], ["./net.py", 7, 5, f"GBL401 {text}"]]
    else:
        assert [each[:3] for each in listed] == [["net.py", 7, 5]]
        assert listed[0][3].startswith(f"GBL401 [certain] {text}")
