"""The packages that are not installed, from the traces of all entry points."""

from __future__ import annotations

from collections.abc import Sequence

from gblint.diagnostics.missing_package import MissingPackage
from gblint.interp import TraceResult, UnseenCall


def missing_packages(traces: Sequence[TraceResult]) -> list[MissingPackage]:
    """Return the packages that the traces call and that are not installed, by name."""
    calls: dict[str, dict[UnseenCall, dict[str, None]]] = {}
    for traced in traces:
        for call in traced.unseen:
            calls.setdefault(call.package, {}).setdefault(call, {})[traced.point.name] = None
    return [_package(package, calls[package]) for package in sorted(calls)]


def _package(package: str, calls: dict[UnseenCall, dict[str, None]]) -> MissingPackage:
    """Return a package with the first of its calls, in the order of files and lines."""
    ordered = sorted(calls, key=lambda call: (call.span.path, call.span.line, call.span.column, call.name))
    functions = tuple(dict.fromkeys([call.name for call in ordered]))
    entries = tuple(dict.fromkeys([name for call in ordered for name in calls[call]]))
    return MissingPackage(package, ordered[0].span.path, ordered[0].span.line, functions, entries)
