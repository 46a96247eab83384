"""Runs of gblint on examples: writes an example to a file and lints it from its entry point."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

from gblint.config.settings import Config
from gblint.diagnostics.finding import Finding
from gblint.fix.fixed_point import FixResult, fix_files
from gblint.knowledge.version_choice import JUDGED
from gblint.pipeline.lint import LintRequest, lint

# The version of torch to lint for: the installed one, or the one that the examples are valid for.
TORCH = None if importlib.util.find_spec("torch") else JUDGED


def findings(
    source: str,
    folder: Path,
    select: tuple[str, ...] = (),
    torch_version: str | None = TORCH,
    files: tuple[tuple[str, str], ...] = (),
) -> list[Finding]:
    """Return the findings in ``source``, starting where :mod:`tests.oracle.worker` starts; AssertionError if it fails.

    ``select`` adds rules to those that are selected; ``torch_version`` is the torch to lint for, by default
    :data:`TORCH`; ``files`` are modules beside the example.
    """
    path = folder / "example.py"
    path.write_text(source, encoding="utf-8")
    for name, text in files:
        (folder / name).write_text(text, encoding="utf-8")
    entries = () if compiles_itself(source) else (f"example:{entry(source)}",)
    config = Config(folder).with_values(python=sys.executable, extend_select=select, torch_version=torch_version)
    outcome = lint(LintRequest((path,), entries=entries), config)
    assert not outcome.report.errors, outcome.report.errors
    return outcome.report.findings


def compiles_itself(source: str) -> bool:
    """Return whether ``source`` applies ``torch.compile`` itself."""
    return re.search(r"torch\.compile\b|torch\._dynamo\.(optimize|export)|torch\.export\.export", source) is not None


def entry(source: str) -> str:
    """Return the entry of an example: its class ``Net``, else its function ``f``."""
    return "Net" if re.search(r"^class Net\b", source, re.MULTILINE) else "f"


def fixed(source: str, folder: Path, applicabilities: tuple[str, ...] = ("safe",)) -> FixResult:
    """Return what ``--fix`` makes of the function ``f`` of a source; AssertionError if it fails."""
    path = folder / "fixed.py"
    path.write_text(source, encoding="utf-8")
    request = LintRequest((path,), entries=("fixed:f",))
    config = Config(folder).with_values(torch_version=TORCH)
    result = fix_files(request, config, lambda finding, fix, key: fix.applicability in applicabilities)
    assert not result.problems, result.problems
    return result
