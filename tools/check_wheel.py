"""Build the wheel of plain Python and the source archive as a user does, check, install and try them.

The build and the trial each have a new environment: the first with pip and twine only, the second with the wheel and
its dependencies only.  There the demo must have its findings, without torch.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from gblint import __version__
from tools.clean_builds import copy_tracked, new_environment, pip


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0; 1 if the wheel is not as it should be.  A command that fails raises CalledProcessError."""
    parser = argparse.ArgumentParser(prog="python -m tools.check_wheel", description=__doc__)
    parser.add_argument("--python", default=sys.executable, help="the Python to install into (default: this one)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        source, built = Path(name, "source"), Path(name, "built")
        copy_tracked(source)
        builder = new_environment(Path(name, "builder"))
        pip(builder, "install", "build", "twine")
        subprocess.run([builder, "-m", "build", "--outdir", built, source], check=True, stdout=subprocess.DEVNULL)
        files = sorted(built.iterdir())
        subprocess.run([builder, "-m", "twine", "check", "--strict", *files], check=True)
        (wheel,) = built.glob("*.whl")
        user = new_environment(Path(name, "user"), options.python)
        pip(user, "install", str(wheel))
        problems = _problems(user, source / "examples" / "demo", [file.name for file in files])
    for problem in problems:
        print(problem)
    print(f"{wheel.name}: {'not as it should be' if problems else 'built, installed, and the demo has its findings'}")
    return 1 if problems else 0


def _problems(python: Path, demo: Path, files: list[str]) -> list[str]:
    """Return what is wrong with the installed wheel."""
    command = python.with_name("gblint")
    found = [f"{name} is not of version {__version__}" for name in files if f"gblint-{__version__}" not in name]
    said = subprocess.run([command, "--version"], capture_output=True, text=True, cwd=demo, check=True).stdout
    if __version__ not in said:
        found.append(f"gblint --version says {said.strip()!r}")
    torch = subprocess.run([python, "-c", "import torch"], capture_output=True, cwd=demo, check=False)
    if torch.returncode == 0:
        found.append("torch is installed with it")
    run = subprocess.run([command, "check", "--output-format", "json", "."], capture_output=True, text=True, cwd=demo)
    if run.returncode != 1 or not json.loads(run.stdout or "{}").get("findings"):
        found.append(f"the demo has no findings: status {run.returncode}, {run.stderr.strip()}")
    return found


if __name__ == "__main__":
    sys.exit(main())
