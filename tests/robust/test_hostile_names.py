"""Names of files and settings that break a format, a parser or the run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="names of POSIX")
NET = "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    return x.item()\n"
FORMATS = "full concise grouped sarif json gitlab junit azure github html rdjson pylint".split()
# Formats that another program reads line by line from the output.
LINES = ("full", "concise", "grouped", "junit", "pylint")
NAMES = {"latin": b"caf\xe9", "azure": b"##vso[task.x]y", "github": b"::add-mask::x", "bidi": "a\u202eb".encode()}
RUN = """
import sys
from gblint.cli.main import run
for style in sys.argv[1:]:
    status = run(["check", "--no-cache", "--output-format", style, "--output-file", f"../{style}.txt", "."])
    assert status == 1, (style, status)
"""


def gblint(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "gblint", "check", "--no-cache", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, timeout=60, check=False)


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_name_is_no_command_and_no_error(tmp_path: Path, name: bytes) -> None:
    project = tmp_path / "project"
    try:
        os.makedirs(os.path.join(os.fsencode(project), name))
    except OSError:
        pytest.skip("the file system takes no such name")
    Path(project, os.fsdecode(name), "net.py").write_text(NET)
    done = subprocess.run(
        [sys.executable, "-c", RUN, *FORMATS], cwd=project, capture_output=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert b"internal" not in done.stderr
    for style in LINES:
        text = (tmp_path / f"{style}.txt").read_bytes()
        assert not [line for line in text.splitlines() if line.startswith(b"::") or b"##vso[" in line], style
        assert "\u202e".encode() not in text, style


def test_a_number_of_too_many_digits(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    (tmp_path / "gblint.toml").write_text(f"x = {'9' * 5000}\n")
    done = gblint(tmp_path)
    assert done.returncode == 2
    assert b"not valid TOML" in done.stderr and b"internal" not in done.stderr


def test_a_finder_that_the_parser_refuses(tmp_path: Path) -> None:
    packages = tmp_path / ".venv" / "lib" / "python3.11" / "site-packages"
    packages.mkdir(parents=True)
    (tmp_path / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.11.0\n")
    (packages / "__editable___x_finder.py").write_text(f"MAPPING = {{'a': {'-' * 100_000}1}}\n")
    (tmp_path / "net.py").write_text(NET)
    done = gblint(tmp_path)
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_working_directory_that_is_gone(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    folder = tmp_path / "gone"
    folder.mkdir()
    text = f"import os, sys\nos.rmdir({str(folder)!r})\nfrom gblint.cli.main import run\nsys.exit(run(['check', '.']))"
    done = subprocess.run([sys.executable, "-c", text], cwd=folder, capture_output=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr == b"error: the working directory no longer exists\n"
