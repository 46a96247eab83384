"""The JSON format, version 1. Other tools read it, so it changes only by additions."""

from __future__ import annotations

import json
from typing import Any

from gblint.diagnostics.break_event import Consequence
from gblint.diagnostics.count_range import CountRange
from gblint.diagnostics.entry_point import EntryPoint, OptionSource
from gblint.diagnostics.finding import Confirmation, Finding
from gblint.diagnostics.fix import Fix, FixTiming, FixVerdict
from gblint.diagnostics.missing_package import MissingPackage
from gblint.diagnostics.reach import ReachCondition
from gblint.diagnostics.report import FileError, Report
from gblint.diagnostics.span import ChainLink
from gblint.diagnostics.unresolved import UnresolvedTarget
from gblint.diagnostics.verification import Verification
from gblint.project.source_text import Source, display_path, located
from gblint.report import no_entry_points
from gblint.report.fingerprints import fingerprints
from gblint.report.no_entry_points import VERSION as VERSION
from gblint.report.no_entry_points import head as head


def render(report: Report, source: Source, *, statistics: list[dict[str, Any]] | None = None) -> str:
    """Return the document for a run of ``gblint check``; ``source`` has the texts of the files."""
    marks = fingerprints(report.findings, source)
    document = no_entry_points.document(
        report.torch_version,
        [{**entry(point), "graphs": _graphs(point.graphs)} for point in report.entries],
        [{**finding(item), "fingerprint": mark} for item, mark in zip(report.findings, marks)],
        [error(item) for item in report.errors],
        [unresolved(item) for item in report.unresolved],
        [missing_package(item) for item in report.missing_packages],
    )
    if report.verification is not None:
        document["verification"] = _verification(report.verification)
    if statistics is not None:
        document["statistics"] = statistics
    return json.dumps(document, indent=2)


def lines(report: Report) -> str:
    """Return each finding, each error, each unresolved target and each missing package as an object on its own line."""
    items = [{"error": error(item)} for item in report.errors]
    items += [{"unresolved": unresolved(item)} for item in report.unresolved]
    items += [{"missing_package": missing_package(item)} for item in report.missing_packages]
    items += map(finding, report.findings)
    return "\n".join(map(json.dumps, items))


def strict(document: Any) -> str:
    """Return ``document`` as JSON; an unpaired surrogate, which other readers reject, becomes ``?``."""
    text = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
    return json.dumps(json.loads(text), indent=2)


def entry(point: EntryPoint) -> dict[str, Any]:
    """Return an entry point and its region."""
    return {
        "name": point.name,
        **_place(point.path, point.line),
        "kind": point.kind,
        "region": point.region.name,
    }


def _graphs(count: CountRange | None) -> dict[str, int | None] | None:
    return None if count is None else {"low": count.low, "high": count.high}


def error(item: FileError) -> dict[str, Any]:
    """Return an error about something that could not be read, parsed or found."""
    return {**_place(item.path, item.line), "message": item.message}


def unresolved(item: UnresolvedTarget) -> dict[str, Any]:
    """Return a compiled object that was not analysed."""
    return {
        **_place(item.path, item.line),
        "column": item.column,
        "expression": item.expression,
        "kind": item.kind,
        "reason": item.reason,
        "message": item.explanation,
        "hint": item.hint,
        "partly": item.partly,
    }


def missing_package(item: MissingPackage) -> dict[str, Any]:
    """Return a package that is not installed, and that compiled code calls."""
    return {
        "package": item.package,
        **_place(item.path, item.line),
        "functions": list(item.functions),
        "entries": list(item.entries),
        "message": item.message,
    }


def finding(item: Finding) -> dict[str, Any]:
    """Return a finding."""
    span = item.span
    return {
        "code": item.code,
        "rule": item.rule,
        "category": item.category.value,
        "severity": item.severity.value,
        "confidence": item.confidence.value,
        **_place(span.path, span.line),
        "column": span.column,
        "end_line": located(span.path, span.end_line or span.line)[1],
        "end_column": span.end_column or span.column,
        "message": item.message,
        "help": item.help,
        "gb_ids": list(item.gb_ids),
        "entries": list(item.entries),
        "chain": [_link(link) for link in item.chain],
        "allowed": item.is_allowed,
        "raised_by": option_source(item.raised_by),
        "allowed_by": option_source(item.allowed_by),
        "fixes": [_fix(fix) for fix in item.fixes],
        "confirmation": _confirmation(item.confirmation),
        "consequence": _consequence(item.consequence, span.path),
        "cost": item.cost if item.consequence is not None else None,
        "reach": item.reach,
        "when": [_condition(each) for each in item.when],
    }


def _condition(item: ReachCondition) -> dict[str, Any]:
    """Return a condition on the path to a finding."""
    return {"text": item.text, **_place(item.path, item.line), "holds": item.holds, "reach": item.reach}


def option_source(item: OptionSource | None) -> dict[str, Any] | None:
    """Return the line that makes a break an error or allows it."""
    return None if item is None else {**_place(item.path, item.line), "option": item.option}


def _consequence(item: Consequence | None, path: str) -> dict[str, Any] | None:
    if item is None:
        return None
    return {
        "outcome": item.outcome,
        "frame": item.frame,
        "reason": item.reason or None,
        "line": located(path, item.line)[1] or None,
        "repeats": item.repeats,
        "layers": item.layers or None,
        "entry": item.entry,
        "behind": _earlier_break(item.behind),
    }


def _earlier_break(item: ChainLink | None) -> dict[str, Any] | None:
    return None if item is None or not item.line else _place(item.path, item.line)


def _confirmation(item: Confirmation | None) -> dict[str, Any] | None:
    if item is None:
        return None
    return {
        "verdict": item.verdict,
        "device": item.device,
        "torch_version": item.torch_version,
        "gb_ids": list(item.gb_ids),
        "message": item.message or None,
        "reason": item.reason or None,
        "by": _link(item.by) if item.by is not None else None,
        "count": item.count or None,
        "remembered": item.remembered,
    }


def _link(link: ChainLink) -> dict[str, Any]:
    return {**_place(link.path, link.line), "function": link.function}


def _place(path: str, line: int) -> dict[str, Any]:
    """Return a place; in a notebook the line counts in the cell."""
    cell, line = located(path, line)
    return {"path": display_path(path), **({} if cell is None else {"cell": cell}), "line": line}


def _fix(fix: Fix) -> dict[str, Any]:
    edits = [
        {
            **_place(edit.span.path, edit.span.line),
            "column": edit.span.column,
            "end_line": located(edit.span.path, edit.span.end_line)[1],
            "end_column": edit.span.end_column,
            "content": edit.content,
        }
        for edit in fix.edits
    ]
    verified = None if fix.verdict is None else _verified(fix.verdict)
    return {
        "title": fix.title,
        "applicability": fix.applicability,
        "edits": edits,
        "verified": verified,
        "measured": [_measured(each) for each in fix.measured],
    }


def _measured(item: FixTiming) -> dict[str, Any]:
    seconds = None if item.seconds is None else {"before": item.seconds[0], "after": item.seconds[1]}
    return {
        "entry": item.entry,
        "mode": item.mode,
        "backend": item.backend,
        "seconds": seconds,
        "graphs": _both(item.graphs),
        "error": item.error or None,
    }


def _verified(item: FixVerdict) -> dict[str, Any]:
    return {"verdict": item.kind, "reason": item.reason or None, "entries": list(item.entries)}


def _verification(item: Verification) -> dict[str, Any]:
    """Return the verdicts on the fixes; lines count in the files before fixing."""
    return {
        "device": item.device,
        "torch_version": item.torch_version,
        "runs": item.runs,
        "entries": [
            {
                "name": each.name,
                "reason": each.reason or None,
                "breaks": _both(each.breaks),
                "graphs": _both(each.graphs),
                "inputs": list(each.inputs),
                "latencies": [
                    {"mode": one.mode, "backend": one.backend, "before": one.before, "after": one.after}
                    for one in each.latencies
                ],
            }
            for each in item.entries
        ],
        "fixes": [{**_place(each.path, each.line), "code": each.code, **_fix(each.fix)} for each in item.fixes],
    }


def _both(counts: tuple[int, int] | None) -> dict[str, int] | None:
    return None if counts is None else {"before": counts[0], "after": counts[1]}
