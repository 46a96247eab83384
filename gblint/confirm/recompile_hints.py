"""Recompile hints held against what a run compiled again."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gblint.confirm.jobs import Recompile
from gblint.diagnostics.finding import Finding

_CODE = re.compile(r"`([^`]+)`")
_NAME = re.compile(r"[A-Za-z_]\w*")
_NO_NAMES = frozenset({"self", "cls", "append", "extend", "insert"})
_NUMBER = re.compile(r"^\s*\d+/\d+: ")


def predicted_recompile(finding: Finding, recompiles: Iterable[Recompile]) -> Recompile | None:
    """The recompilation that a hint foretold: of a function of its entry points, for a guard on what the hint names."""
    named = _CODE.search(finding.message)
    names = set(_NAME.findall(named[1]) if named else ()) - _NO_NAMES
    return next((each for each in recompiles if names & set(_NAME.findall(failed_guard(each)))), None)


def of_entry_points(finding: Finding, recompiles: Iterable[Recompile]) -> list[Recompile]:
    """Those of ``recompiles`` that are of the functions that a finding's entry points are."""
    functions = {name.rpartition(":")[2].rpartition(".")[2] for name in finding.entries}
    # A module is compiled as its forward.
    return [each for each in recompiles if each.frame.function in (*functions, "forward", "__call__")]


def failed_guard(again: Recompile) -> str:
    """The guard that failed: ``index == 0``."""
    first = again.reason.strip().partition("\n")[0]
    return _NUMBER.sub("", first).partition("#")[0].strip()
