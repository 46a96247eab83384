"""Lint and fix one file in memory, on request with every function in it as an entry point."""

from __future__ import annotations

import ast
import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gblint.config.settings import Config
from gblint.diagnostics.break_event import Confidence
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.fix import Fix
from gblint.diagnostics.report import Report
from gblint.fix.fixed_point import FixKey, fix_files
from gblint.pipeline.lint import LintRequest, lint, project_of
from gblint.project.source import SourceProblem, parse_source

UNIT = 1 if sys.platform == "darwin" else 1024


@dataclass(slots=True)
class Outcome:
    """The outcome for one file.

    seconds: the processor time of the longest run.
    memory: the peak memory of the process in bytes.
    faults: sentences about crashes, exceeded limits, and fixes that cannot be parsed.
    unread: the reason why the file could not be read.
    """

    path: str
    seconds: float = 0.0
    memory: int = 0
    entries: int = 0
    findings: int = 0
    fixed: int = 0
    unread: str = ""
    faults: list[str] = field(default_factory=list)


def go_through(path: str, *, functions: bool, fixes: bool) -> Outcome:
    """Lint the file from assumed entry points, and with ``functions`` also from each function in it."""
    outcome = Outcome(path)
    try:
        _go_through(Path(path), outcome, functions, fixes)
    except Exception as error:
        outcome.faults.append(f"{type(error).__name__}: {error}"[:300])
    outcome.memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * UNIT
    return outcome


def _go_through(path: Path, outcome: Outcome, functions: bool, fixes: bool) -> None:
    config = Config(path.parent).with_values(assume_entries="always", min_confidence=Confidence.POSSIBLE)
    _one_run(LintRequest((path,)), config, outcome, fixes)
    if not functions or outcome.unread:
        return
    (module,) = project_of(LintRequest((path,)), config).user_modules()
    names = tuple(f"{module.name}:{name}" for name in dict.fromkeys(_functions(module.tree)))
    if names:
        _one_run(LintRequest((path,), entries=names), config, outcome, fixes)


def _functions(tree: ast.Module | ast.ClassDef, inside: str = "") -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield inside + node.name
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{inside}{node.name}.")


def _one_run(request: LintRequest, config: Config, outcome: Outcome, fixes: bool) -> None:
    start = time.process_time()
    try:
        _lint(request, config, outcome, fixes)
    finally:
        outcome.seconds = max(outcome.seconds, time.process_time() - start)


def _lint(request: LintRequest, config: Config, outcome: Outcome, fixes: bool) -> None:
    if not fixes:
        _see(lint(request, config).report, outcome)
        return
    fixed = fix_files(request, config, _any)
    assert fixed.first is not None
    _see(fixed.first.report, outcome)
    _see(fixed.outcome.report, Outcome(outcome.path, faults=outcome.faults))
    outcome.fixed += len(fixed.applied)
    for name in fixed.changed:
        try:
            parse_source(fixed.texts[name])
        except SourceProblem as problem:
            outcome.faults.append(f"fixed, {name} cannot be parsed: {problem.line}: {problem.message}")


def _any(finding: Finding, fix: Fix, key: FixKey) -> bool:
    return fix.applicability in ("safe", "unsafe")


def _see(report: Report, outcome: Outcome) -> None:
    outcome.entries += len(report.entries)
    outcome.findings += len(report.findings)
    for error in report.errors:
        if "internal error" in error.message:
            outcome.faults.append(f"{error.line}: {error.message}")
        elif error.path.endswith(Path(outcome.path).name):
            outcome.unread = f"{error.line}: {error.message}"
