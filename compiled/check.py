"""Build the compiled wheel as a user does, from the tracked files and in a new environment, and check it.

The number of extension modules must be that of the listed sources, and the findings must be those of plain Python.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from compiled.build import modules
from tools.clean_builds import copy_tracked, new_environment, pip

_LIST = "from gblint.runtime.mypyc import compiled_modules; print(*compiled_modules(), sep='\\n')"


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0; 1 if the wheel is not as it should be.  A command that fails raises CalledProcessError."""
    parser = argparse.ArgumentParser(prog="python -m compiled.check", description=__doc__)
    parser.add_argument("--release", action="store_true", help="build as for a release, optimized by profile")
    options = parser.parse_args(arguments)
    level = {"GBLINT_PROFILE": "1"} if options.release else {"GBLINT_PROFILE": "0", "GBLINT_MYPYC_OPT": "0"}
    with tempfile.TemporaryDirectory() as name:
        source, python = Path(name, "source"), new_environment(Path(name, "environment"))
        copy_tracked(source)
        start = time.monotonic()
        pip(python, "wheel", "--no-deps", "--wheel-dir", name, str(source), GBLINT_USE_MYPYC="1", **level)
        print(f"built in {time.monotonic() - start:.0f} s", flush=True)
        (wheel,) = Path(name).glob("*.whl")
        pip(python, "install", str(wheel))
        found, expected = _compiled_modules(python, Path(name)), sorted(modules())
        print(f"{len(found)} of {len(expected)} modules are compiled", flush=True)
        # The sources in the working directory would be imported instead of the installed wheel.
        shutil.move(source / "rules", source / "gblint" / "rules")
        plain = _findings(python, source, Path(name, "plain"))
        shutil.rmtree(source / "gblint")
        same = _findings(python, source, Path(name, "compiled")) == plain
        print(f"the findings are {'the same' if same else 'not those of plain Python'}", flush=True)
    for difference in sorted(set(found) ^ set(expected)):
        print(f"{'not listed' if difference in found else 'not compiled'}: {difference}")
    return 0 if same and found == expected else 1


def _compiled_modules(python: Path, folder: Path) -> list[str]:
    run = subprocess.run([python, "-c", _LIST], cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    return sorted(run.stdout.split())


def _findings(python: Path, source: Path, target: Path) -> dict[str, str]:
    """Return the findings on the fixed sources of ``benchmarks.frozen``, by the name of the set."""
    subprocess.run([python, "-m", "benchmarks.frozen", "--keep", target], cwd=source, stdout=subprocess.DEVNULL)
    return {path.name: path.read_text(encoding="utf-8") for path in target.iterdir()}


if __name__ == "__main__":
    sys.exit(main())
