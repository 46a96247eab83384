"""What is measured: each a command of gblint's, and what it is held against."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

GBLINT = (sys.executable, "-m", "gblint")
PARSE = "import ast, pathlib, sys\nfor path in sys.argv[1:]:\n    ast.parse(pathlib.Path(path).read_bytes())"
START = (sys.executable, "-c", "pass")
# A file of ordinary size without torch.
PLAIN = Path(__file__).resolve().parents[2] / "gblint/config.py"


@dataclass(frozen=True, slots=True)
class Measure:
    """``command`` is measured, ``beside`` is run in turn with it; ``most`` is the ratio that is aimed at, if any."""

    name: str
    command: tuple[str, ...]
    beside: tuple[str, ...]
    against: str
    most: float | None = None


def measures(python: Path, packages: Path) -> Iterator[Measure]:
    """Everything that is measured, with the packages that ``python`` has in the folder ``packages``."""
    yield Measure("start-up", (*GBLINT, "--version"), START, "python -c pass", 2.5)
    yield Measure("one file without torch", _check(str(PLAIN)), START, "python -c pass", 4.0)
    models = packages / "diffusers/models"
    yield Measure("diffusers/models", _check(str(models)), _parse(models.rglob("*.py")), "ast.parse of its files")
    near = [*(packages / "transformers").glob("*.py"), *(packages / "transformers/models/llama").glob("*.py")]
    yield Measure(
        "an entry point into transformers",
        _check(
            "--python", str(python), "--follow", "transformers",
            "--entry", "transformers.models.llama.modeling_llama:LlamaForCausalLM",
        ),
        _parse(iter(near)),
        "ast.parse of the files around it",
    )  # fmt: skip


def _check(*arguments: str) -> tuple[str, ...]:
    return (*GBLINT, "check", "--no-cache", "--exit-zero", "--output-format", "json", *arguments)


def _parse(files: Iterator[Path]) -> tuple[str, ...]:
    return (sys.executable, "-c", PARSE, *map(str, sorted(files)))
