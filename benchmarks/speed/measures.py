"""The measures: commands of gblint, and the commands that they are compared with."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from benchmarks.speed.tools import Tools

GBLINT = (sys.executable, "-m", "gblint")
PARSE = (
    sys.executable,
    "-c",
    "import ast, pathlib, sys\n"
    "for root in map(pathlib.Path, sys.argv[1:]):\n"
    "    for path in [root] if root.is_file() else root.rglob('*.py'):\n"
    "        ast.parse(path.read_bytes())",
)
START = (sys.executable, "-c", "pass")
# A file of ordinary size without torch.
PLAIN = Path(textwrap.__file__)
IN_TERMINAL = (sys.executable, str(Path(__file__).with_name("terminal.py")))
PROCESSES = 2
FORTY = 40
CHANGED = "models/unets/unet_2d_condition.py"
GIGABYTE = 2**30
MANY = 5
PARSED = "ast.parse of its files"

What = Literal["ratio", "seconds", "memory"]


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure of a command.

    command: the command that is measured.
    most: the limit.
    beside: the command that it is compared with; both are run alternately.
    against: the name of that command.
    what: the measured quantity: the ratio of both, the wall-clock seconds of the command, or the peak memory of its
        largest process.
    scale: the work of the command as a multiple of that of the other one; a ratio is divided by it.
    processes: the number of processes that share the work of the command.
    before: a function that is called before each run, and is not measured.
    runs: the largest number of runs, for a command that takes minutes.
    often: a factor for the number of runs, for a command that takes little time.
    times: the number of runs for each run of the other command.
    """

    name: str
    command: tuple[str, ...]
    most: float
    beside: tuple[str, ...] | None = None
    against: str = ""
    what: What = "ratio"
    scale: float = 1.0
    processes: int = 1
    before: Callable[[], object] | None = None
    runs: int | None = None
    often: int = 1
    times: int = 1


def measures(python: Path, packages: Path, tools: Tools, scratch: Path) -> Iterator[Measure]:
    """Yield the measures; ``packages`` is the folder of the packages of ``python``."""
    yield Measure("start-up: gblint --version", (*GBLINT, "--version"), 2.5, START, "python -c pass", often=MANY)
    yield Measure("one file without torch", check(PLAIN), 4.0, START, "python -c pass", often=MANY)
    diffusers = packages / "diffusers"
    shared = _cold(diffusers)
    parse = (*PARSE, str(diffusers))
    yield Measure("diffusers, cold, two processes", shared, 1.5, parse, PARSED, processes=PROCESSES)
    copy = scratch / "diffusers"
    parse = (*PARSE, str(copy))
    _copied(diffusers, copy)
    yield Measure("diffusers, cold, without bytecode", _cold(copy), 1.5, parse, PARSED, processes=PROCESSES)
    flake8 = (*tools.flake8, "--isolated", "--select=F", "--exit-zero", f"--jobs={PROCESSES}", str(diffusers))
    yield Measure("diffusers, cold, two processes", shared, 1.0, flake8, "flake8 with pyflakes only, two processes")
    forty = spread(diffusers, FORTY)
    torchfix = (*tools.torchfix, f"--jobs={PROCESSES}", "--select=ALL", *forty)
    yield Measure(
        f"{FORTY} files of diffusers", check(*forty), 1 / 30, torchfix, "TorchFix 0.7", runs=3, times=MANY
    )  # fmt: skip
    yield from _reaching(python)
    yield from _again(diffusers, scratch)
    yield from _transformers(packages)


def _reaching(python: Path) -> Iterator[Measure]:
    entry = "transformers.models.llama.modeling_llama:LlamaForCausalLM"
    command = check("--python", python, "--follow", "transformers", "--entry", entry)
    yield Measure("one entry point into transformers", command, 2.0, what="seconds")


def _again(diffusers: Path, scratch: Path) -> Iterator[Measure]:
    """Yield the measures over a copy of diffusers that was linted before."""
    copy, cache = scratch / "diffusers", scratch / "cache"
    file = copy / CHANGED
    command = (*GBLINT, "check", "--cache-dir", str(cache), "--exit-zero", "--output-format", "json", str(copy))

    def changed() -> None:
        _copied(diffusers, copy)
        text = file.read_text(encoding="utf-8")
        file.write_text(f"{text}\n\ndef changed_{len(text)}(x):\n    return x + 1\n", encoding="utf-8")

    yield Measure("diffusers, nothing changed", command, 0.5, what="seconds", before=partial(_copied, diffusers, copy))
    yield Measure("diffusers, one file changed", command, 1.0, what="seconds", before=changed)
    text = (*GBLINT, "check", "--cache-dir", str(cache), "--exit-zero", str(copy))
    pipe = (*IN_TERMINAL, "--pipe", *text)
    yield Measure("diffusers, nothing changed, at a terminal", (*IN_TERMINAL, *text), 1.2, pipe, "in a pipe")


def _copied(package: Path, copy: Path) -> None:
    """Copy a package without its bytecode, unless that was done before."""
    if not copy.exists():
        shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))


def _transformers(packages: Path) -> Iterator[Measure]:
    """Yield the measures over all of transformers, and over every tenth of its models."""
    transformers = packages / "transformers"
    models = sorted(path for path in (transformers / "models").iterdir() if any(path.glob("*.py")))
    tenth = [str(path) for path in models[::10]]
    shared = check("--jobs", PROCESSES, transformers)
    # A part may lack the entry points of the whole; in both, all modules are assumed to be compiled.
    alone = ("--assume-entries", "always", "--jobs", 1)
    scale = _size(models) / _size(models[::10])
    yield Measure("all of transformers, two processes", shared, GIGABYTE, what="memory", runs=1)
    yield Measure("all of transformers, one process", check("--jobs", 1, transformers), GIGABYTE, what="memory", runs=1)
    yield Measure(
        "models of transformers, a character", check(*alone, transformers / "models"), 1.25, check(*alone, *tenth),
        "a tenth of the models", scale=scale, runs=1,
    )  # fmt: skip


def _cold(package: Path) -> tuple[str, ...]:
    return check("--jobs", PROCESSES, package)


def check(*arguments: object) -> tuple[str, ...]:
    """``gblint check`` without its cache."""
    said = map(str, arguments)
    return (*GBLINT, "check", "--no-cache", "--exit-zero", "--output-format", "json", *said)


def spread(package: Path, count: int) -> list[str]:
    """Return this number of files, spread evenly over the models of the package."""
    files = sorted(map(str, (package / "models").rglob("*.py")))
    return files[:: max(1, len(files) // count)][:count]


def _size(folders: Iterable[Path]) -> int:
    return sum(path.stat().st_size for folder in folders for path in folder.rglob("*.py"))
