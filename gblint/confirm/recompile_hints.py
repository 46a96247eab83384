"""Comparison of recompile hints with the recompilations of a run."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gblint.confirm.jobs import Recompile
from gblint.diagnostics.finding import Finding

_NAME = re.compile(r"[A-Za-z_]\w*")
_IGNORED_NAMES = frozenset({"self", "cls", "append", "extend", "insert"})
_COMPILE_ID = re.compile(r"^\s*\d+/\d+: ")


def predicted_recompile(finding: Finding, recompiles: Iterable[Recompile]) -> Recompile | None:
    """Return the recompilation that a hint predicted: one whose guard is on a name in the hint's expression."""
    names = set(_NAME.findall(finding.expression)) - _IGNORED_NAMES
    return next((each for each in recompiles if names & set(_NAME.findall(failed_guard(each)))), None)


def of_entry_points(finding: Finding, recompiles: Iterable[Recompile]) -> list[Recompile]:
    """Return the recompilations of the functions that are a finding's entry points."""
    functions = {name.rpartition(":")[2].rpartition(".")[2] for name in finding.entries}
    # The compiled function of a module is its forward method.
    return [each for each in recompiles if each.frame.function in (*functions, "forward", "__call__")]


def failed_guard(recompile: Recompile) -> str:
    """Return the guard that failed: ``index == 0``."""
    first = recompile.reason.strip().partition("\n")[0]
    return _COMPILE_ID.sub("", first).partition("#")[0].strip()
