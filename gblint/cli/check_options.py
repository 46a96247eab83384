"""The options of ``gblint check`` as typed values."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from gblint.cli import verifying
from gblint.cli.accepted_findings import CheckPolicy
from gblint.cli.reports import Contents
from gblint.diagnostics.span import FileLine
from gblint.runtime.lazy_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FixRequest:
    """The fixes that the command line requests.

    ``fix_only``: fix and report nothing else.  ``diff``: print the changes without writing them.  ``fails_on_fix``:
    exit with 1 if anything was fixed.  ``interactive``: ask about each fix.
    """

    fix: bool = False
    fix_only: bool = False
    diff: bool = False
    fails_on_fix: bool = False
    interactive: bool = False

    @property
    def writes(self) -> bool:
        """Whether files are changed, unless ``diff`` prevents it."""
        return self.fix or self.fix_only or self.interactive

    @property
    def is_wanted(self) -> bool:
        """Whether fixes are made or shown."""
        return self.writes or self.diff

    @property
    def reports_nothing(self) -> bool:
        """Whether the remaining findings are not reported."""
        return self.diff or self.fix_only


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The options of one check.

    ``project`` has the arguments of ``gblint.cli.options.gather``; ``trial`` has the options for the runs of
    ``--verify``, or is None without ``--verify``.
    """

    fixes: FixRequest
    policy: CheckPolicy
    trial: dict[str, Any] | None
    project: dict[str, Any]
    output_file: Path | None
    quiet: bool
    why: FileLine | None
    show_settings: bool
    show_files: bool
    show_fixes: bool
    contents: Contents
    only_changed: bool
    confirmed_only: bool
    confirmations: Path | None
    ignore_noqa: bool
    exit_zero: bool
    jobs: int | None
    cache_dir: Path | None
    no_cache: bool

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> CheckOptions:
        """Return the options from the values that click passes; raises UsageError if they contradict each other."""
        left = dict(parameters)
        fixes = FixRequest(
            left.pop("fix"),
            left.pop("fix_only"),
            left.pop("diff"),
            left.pop("exit_non_zero_on_fix"),
            left.pop("interactive"),
        )
        policy = CheckPolicy(
            left.pop("baseline_action"),
            left.pop("strict_baseline"),
            left.pop("max_graph_breaks"),
            left.pop("add_noqa"),
            left.pop("remove_unused_noqa"),
        )
        contents = Contents(left.pop("statistics"), left.pop("show_all"))
        trial = verifying.split(left)
        own = {name: left.pop(name) for name in _OWN}
        options = cls(fixes, policy, trial, left, contents=contents, **own)
        if options.ignore_noqa and (fixes.is_wanted or policy.noqa or policy.action):
            raise click.UsageError("--ignore-noqa cannot be combined with options that write files")
        if trial is not None and not fixes.is_wanted:
            raise click.UsageError("--verify needs --fix or --diff")
        if fixes.interactive and trial is not None:
            raise click.UsageError("--interactive cannot be combined with --verify")
        if fixes.interactive and not sys.stdin.isatty():
            raise click.UsageError("--interactive asks about each fix: standard input must be a terminal")
        return options


# The fields of CheckOptions that have the names of click's parameters.
_OWN = (
    "output_file",
    "quiet",
    "why",
    "show_settings",
    "show_files",
    "show_fixes",
    "only_changed",
    "confirmed_only",
    "confirmations",
    "ignore_noqa",
    "exit_zero",
    "jobs",
    "cache_dir",
    "no_cache",
)
