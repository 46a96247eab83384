"""``gblint check --changed``: of a whole project, only what the files that were named can affect."""

from __future__ import annotations

import ast
import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gblint.cli.options import Inputs
from gblint.cli.output import Streams
from gblint.findings import EntryPoint, Finding
from gblint.records import replace
from gblint.report.summary import counted

if TYPE_CHECKING:
    from gblint.lint import Outcome


def take(options: dict[str, Any]) -> frozenset[str]:
    """Take the paths out of the options of the command, so that the project is linted and not they."""
    paths: tuple[Path, ...] = options.pop("paths")
    if options["stdin_filename"] is not None or any(str(path) == "-" for path in paths):
        raise click.UsageError("--changed is about files; it cannot be used with standard input")
    options["paths"] = ()
    return frozenset(os.path.abspath(path) for path in paths)


def only(inputs: Inputs, changed: frozenset[str] | None) -> Inputs:
    """What is gathered, with the note that only these files are to be changed."""
    return inputs if changed is None else replace(inputs, changed=changed)


def narrow(outcome: Outcome, changed: frozenset[str] | None, streams: Streams) -> None:
    """Take out of the report what none of the files can affect."""
    if changed is None:
        return
    report = outcome.report
    untouched = {point.name for point in report.entries if not _depends(point, changed, outcome)}
    kept = [each for each in report.findings if _can_be_affected(each, changed, untouched)]
    left = len(report.findings) - len(kept)
    report.findings = kept
    if left:
        streams.note(f"{counted(left, 'finding')} not shown: not in what these files can affect")


def _can_be_affected(finding: Finding, changed: frozenset[str], untouched: set[str]) -> bool:
    if os.path.abspath(finding.span.path) in changed:
        return True
    return any(name not in untouched for name in finding.entries)


def _depends(point: EntryPoint, changed: frozenset[str], outcome: Outcome) -> bool:
    """Whether one of the files is among those whose functions the entry point runs, or is imported by one of these."""
    reach = outcome.reach.get(point)
    if reach is None:  # nobody knows
        return True
    if os.path.abspath(point.path) in changed or reach & changed:
        return True
    names = {_module_name(path) for path in changed}
    return any(_imports(outcome.source.text(path), names) for path in reach)


def _module_name(path: str) -> str:
    """The last part of the name of the module that a file is."""
    file = Path(path)
    return file.parent.name if file.stem == "__init__" else file.stem


def _imports(text: str, names: Iterable[str]) -> bool:
    """Whether the text imports a module that is called by one of the names, whichever package it is in."""
    wanted = {name for name in names if name in text}
    if not wanted:
        return False
    found: set[str] = set()
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                found.update(part for alias in node.names for part in alias.name.split("."))
            if isinstance(node, ast.ImportFrom):
                found.update((node.module or "").split("."))
    return bool(found & wanted)
