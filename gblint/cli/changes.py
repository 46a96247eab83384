"""``gblint check --changed``: the findings of a project that changed files can affect."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gblint.cli.options import Inputs
from gblint.cli.output import Streams
from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.finding import Finding
from gblint.report.summary import counted
from gblint.runtime.lazy_dataclasses import replace

if TYPE_CHECKING:
    from gblint.pipeline.lint import LintResult


def take(options: dict[str, Any]) -> frozenset[str]:
    """Remove the paths from the options, so that the whole project is linted, and return them."""
    paths: tuple[Path, ...] = options.pop("paths")
    if options["stdin_filename"] is not None or any(str(path) == "-" for path in paths):
        raise click.UsageError("--changed cannot be used with standard input")
    options["paths"] = ()
    return frozenset(os.path.abspath(path) for path in paths)


def only(inputs: Inputs, changed: frozenset[str] | None) -> Inputs:
    """Return the inputs with the changed files; fixes may change only these files."""
    return inputs if changed is None else replace(inputs, changed=changed)


def narrow(outcome: LintResult, changed: frozenset[str] | None, streams: Streams) -> None:
    """Remove the findings that none of the changed files can affect from the report."""
    if changed is None:
        return
    from gblint.project.dependents import dependents

    report = outcome.report
    found = dependents(changed, map(str, outcome.files))
    if not found.is_complete:
        streams.note("too many files depend on these files: only the nearest dependents were followed")
    untouched = {point.name for point in report.entries if not _depends(point, found.files, outcome)}
    kept = [each for each in report.findings if _can_be_affected(each, changed, untouched)]
    left = len(report.findings) - len(kept)
    report.findings = kept
    report.unresolved = [each for each in report.unresolved if os.path.abspath(each.path) in found.files | changed]
    report.missing_packages = [each for each in report.missing_packages if not untouched.issuperset(each.entries)]
    if left:
        streams.note(f"{counted(left, 'finding')} not shown: these files cannot affect them")


def _can_be_affected(finding: Finding, changed: frozenset[str], untouched: set[str]) -> bool:
    if os.path.abspath(finding.span.path) in changed:
        return True
    return any(name not in untouched for name in finding.entries)


def _depends(point: EntryPoint, touched: frozenset[str], outcome: LintResult) -> bool:
    """Return whether the entry point is in one of the files, or runs functions of one."""
    reach = outcome.reach.get(point)
    return reach is None or os.path.abspath(point.path) in touched or not reach.isdisjoint(touched)
