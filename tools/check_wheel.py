"""Build the wheel and the source archive as a user does, check, install and try them.

The build and the trial each have a new environment: the first with pip and twine only, the second with the wheel and
its dependencies only.  There the demo must have its findings, without torch.  With ``--compiled`` the wheel is built
from the source archive, by the Python that it is for; ``--tests`` then runs the tests that need no torch on it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from packaging.requirements import Requirement

from gblint import __version__
from gblint.config.toml import loads
from tools import pythons
from tools.clean_builds import ROOT, copy_tracked, new_environment, pip

_WITHOUT_TORCH = ("--ignore=tests/confirm", "--ignore=tests/knowledge", "--ignore=tests/packaging")
# Requirements of the tests that only those with torch or a browser need.
_NOT_NEEDED = ("torch", "playwright")
_IS_COMPILED = "from gblint.runtime.mypyc import is_compiled; print(is_compiled())"


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0; 1 if a wheel is not as it should be.  A command that fails raises CalledProcessError."""
    options = _options(arguments)
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, built = folder / "source", folder / "built"
        copy_tracked(source)
        builder = new_environment(folder / "builder")
        pip(builder, "install", "build", "twine")
        subprocess.run([builder, "-m", "build", "--outdir", built, source], check=True, stdout=subprocess.DEVNULL)
        wheels = dict.fromkeys(options.python, next(built.glob("*.whl")))
        if options.compiled:
            archive = next(built.glob("*.tar.gz"))
            wheels = {
                python: _compile(python, archive, folder / f"compiled-{number}")
                for number, python in enumerate(options.python)
            }
        files = sorted({*built.iterdir(), *wheels.values()})
        subprocess.run([builder, "-m", "twine", "check", "--strict", *files], check=True)
        for number, (python, wheel) in enumerate(wheels.items()):
            user = new_environment(folder / f"user-{number}", python)
            pip(user, "install", str(wheel))
            problems = _problems(user, source / "examples" / "demo", options.compiled)
            problems += [f"{file.name} is not of {__version__}" for file in files if f"-{__version__}" not in file.name]
            if options.tests and not _tests_pass(user, folder / f"suite-{number}", options.arguments):
                problems.append("tests failed")
            failed |= _told(f"{wheel.name} on {python}", problems, options.tests)
    return 1 if failed else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.check_wheel", description=__doc__)
    parser.add_argument("--python", action="append", help="a Python to install into (default: this one)")
    parser.add_argument("--all-pythons", action="store_true", help="install into each Python that tools.pythons finds")
    parser.add_argument("--compiled", action="store_true", help="the compiled wheel instead of that of plain Python")
    parser.add_argument("--tests", action="store_true", help="run the tests that need no torch as well")
    parser.add_argument("arguments", nargs="*", help="arguments of pytest, after --")
    options = parser.parse_args(arguments)
    if options.all_pythons:
        found = {version: pythons.find(version) for version in pythons.supported()}
        print(*(f"there is no Python {version} here" for version in found if not found[version]), sep="\n")
        options.python = [str(path) for path in found.values() if path]
    options.python = options.python or [sys.executable]
    return options


def _compile(python: str, archive: Path, folder: Path) -> Path:
    """Build the compiled wheel in a new environment of this Python; return its path."""
    builder = new_environment(folder / "environment", python)
    pip(builder, "wheel", "--no-deps", "--wheel-dir", str(folder), str(archive), GBLINT_USE_MYPYC="1")
    return next(folder.glob("*.whl"))


def _problems(python: Path, demo: Path, compiled: bool) -> list[str]:
    """Return what is wrong with the installed wheel."""
    command = python.with_name("gblint")
    found = []
    said = subprocess.run([command, "--version"], capture_output=True, text=True, cwd=demo, check=True).stdout
    if __version__ not in said:
        found.append(f"gblint --version says {said.strip()!r}")
    asked = subprocess.run([python, "-c", _IS_COMPILED], capture_output=True, text=True, cwd=demo, check=True).stdout
    if asked.strip() != str(compiled):
        found.append("it is plain Python" if compiled else "it is compiled")
    torch = subprocess.run([python, "-c", "import torch"], capture_output=True, cwd=demo, check=False)
    if torch.returncode == 0:
        found.append("torch is installed with it")
    run = subprocess.run([command, "check", "--output-format", "json", "."], capture_output=True, text=True, cwd=demo)
    if run.returncode != 1 or not json.loads(run.stdout or "{}").get("findings"):
        found.append(f"the demo has no findings: status {run.returncode}, {run.stderr.strip()}")
    return found


def _tests_pass(python: Path, suite: Path, arguments: Sequence[str]) -> bool:
    """Run the tests that need no torch in a folder of links to all but the package: they see the installed one."""
    pip(python, "install", *_requirements())
    suite.mkdir()
    for path in ROOT.iterdir():
        if path.name not in ("gblint", "build", "dist") and not path.name.startswith("."):
            (suite / path.name).symlink_to(path)
    selection = ("-k", "not dynamo and not oracle", "-p", "no:cacheprovider")
    command = [str(python), "-m", "pytest", *_WITHOUT_TORCH, *selection, *arguments]
    return subprocess.run(command, cwd=suite, env={**os.environ, "PYTHONSAFEPATH": "1"}, check=False).returncode == 0


def _requirements() -> list[str]:
    """Return the requirements of the tests that need no torch."""
    metadata = loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = metadata["project"]["optional-dependencies"]["test"]
    return [each for each in listed if Requirement(each).name not in _NOT_NEEDED]


def _told(name: str, problems: list[str], tested: bool) -> bool:
    """Print the outcome of one wheel; return whether it has problems."""
    for problem in problems:
        print(problem)
    good = f"built, installed, the demo has its findings{', and the tests pass' if tested else ''}"
    print(f"{name}: {'not as it should be' if problems else good}", flush=True)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
