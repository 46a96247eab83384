"""SARIF 2.1.0, for code scanning services and viewers.

Findings with a noqa comment are included and marked as suppressed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from importlib import metadata
from typing import Any

from gblint import __version__
from gblint.diagnostics.finding import Finding, Severity
from gblint.diagnostics.fix import Edit
from gblint.diagnostics.report import Report
from gblint.diagnostics.span import ChainLink, Span
from gblint.project.source_text import Source
from gblint.report import repo_paths, unresolved
from gblint.report.explain_answers import url
from gblint.report.finding_notes import FindingNotes
from gblint.report.fingerprints import Functions, fingerprints
from gblint.report.json import finding as contract
from gblint.report.json import strict
from gblint.report.markup import plain, sections
from gblint.rules import Rule, rule_by_code

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "gblint/v1"
_TOP = "%SRCROOT%"
_NOT_READ = "not-read"
_LINK = re.compile(r"\[([^\[\]]*)\]\(")  # ``layers[0](x)`` would be read as a link
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_PROBLEMS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "recommendation"}


def render(
    report: Report,
    source: Source,
    silenced: Sequence[Finding] = (),
    known: Sequence[Finding] = (),
    notes: FindingNotes | None = None,
) -> str:
    """Return the document; ``silenced`` are findings with a noqa comment, ``known`` those in the baseline."""
    notes = notes or FindingNotes(report.findings)
    everything = [*report.findings, *silenced, *known]
    codes = sorted({finding.code for finding in everything})
    rules = [rule for rule in map(rule_by_code, codes) if rule is not None]
    places_of = {rule.code: number for number, rule in enumerate(rules)}
    functions: dict[str, Functions] = {}
    results = []
    for number, (finding, mark) in enumerate(zip(everything, fingerprints(everything, source))):
        path = finding.span.path
        function = functions.setdefault(path, Functions(source.text(path))).at(finding.span.line)
        result = _result(finding, function, mark, notes)
        if finding.code in places_of:
            result["ruleIndex"] = places_of[finding.code]
        if number >= len(report.findings):
            inside = number < len(report.findings) + len(silenced)
            why = "a noqa comment" if inside else "the baseline"
            result["suppressions"] = [{"kind": "inSource" if inside else "external", "justification": why}]
        results.append(result)
    driver: dict[str, Any] = {
        "name": "gblint",
        "version": __version__,
        "semanticVersion": __version__,
        "shortDescription": {"text": "The linter for torch.compile."},
        "rules": [_rule(rule) for rule in rules],
    }
    home = _home_page()
    if home:
        driver["informationUri"] = home
    # The values of all results shall be null, or those of none.
    if silenced or known:
        for result in results:
            result.setdefault("suppressions", [])
    described = {
        unresolved.CODE: ("A compiled object was not analysed, or only in part.", bool(unresolved.messages(report))),
        _NOT_READ: ("A file, a setting or an entry point could not be read or found.", bool(report.errors)),
    }
    kinds = {kind: text for kind, (text, used) in described.items() if used}
    if kinds:
        driver["notifications"] = [{"id": kind, "shortDescription": {"text": text}} for kind, text in kinds.items()]
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_TOP: {"description": {"text": "The top of the repository."}}},
        "invocations": [_invocation(report, list(kinds))],
        "results": results,
        "properties": {"torch_version": report.torch_version},
    }
    return strict({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _home_page() -> str:
    """Return the first address in the metadata of the package, ``[project.urls]`` in pyproject.toml; "" without any."""
    try:
        named = metadata.metadata("gblint").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:  # the source without an installation
        return ""
    return next((each.partition(",")[2].strip() for each in named), "")


def _rule(rule: Rule) -> dict[str, Any]:
    page = rule.documentation
    first = next((plain(paragraph) for each in sections(page)[:1] for paragraph in each.paragraphs), rule.summary)
    pages = {"helpUri": url(rule.gb_ids[0])} if rule.gb_ids else {}
    return {
        "id": rule.code,
        **pages,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": plain(rule.summary)},
        "fullDescription": {"text": first},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {
            "tags": ["torch.compile", rule.category.value],
            "problem.severity": _PROBLEMS[rule.severity],
            "gb_ids": list(rule.gb_ids),
        },
    }


def _result(finding: Finding, function: str, mark: str, notes: FindingNotes) -> dict[str, Any]:
    details = contract(finding)
    kept = (
        "confidence",
        "category",
        "gb_ids",
        "entries",
        "raised_by",
        "allowed_by",
        "consequence",
        "cost",
        "reach",
        "when",
    )
    location = _location(finding.span)
    location["logicalLocations"] = [{"fullyQualifiedName": function, "kind": "function"}]
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "level": _LEVELS[finding.severity],
        "message": {"text": _LINK.sub(r"\\[\1\\](", "\n".join([finding.message, *notes.lines(finding)]))},
        "locations": [location],
        "partialFingerprints": {FINGERPRINT: mark},
        "properties": {**{key: details[key] for key in kept}, "confirmation": details["confirmation"]},
    }
    if finding.chain:
        result["codeFlows"] = [_code_flow(finding.chain)]
    fixes = [_fix(fix.title, fix.edits, fix.applicability) for fix in finding.fixes if fix.edits]
    if fixes:
        result["fixes"] = fixes
    return result


def _code_flow(chain: Sequence[ChainLink]) -> dict[str, Any]:
    steps = []
    for depth, link in enumerate(chain):
        what = "breaks in" if depth == len(chain) - 1 else "calls from"
        location = {**_location(Span(link.path, link.line)), "message": {"text": f"{what} {link.function}"}}
        steps.append({"location": location, "nestingLevel": depth, "importance": "essential"})
    return {"message": {"text": "From the entry point to the break."}, "threadFlows": [{"locations": steps}]}


def _fix(title: str, edits: Iterable[Edit], applicability: str) -> dict[str, Any]:
    changes: dict[str, list[dict[str, Any]]] = {}
    for edit in edits:
        span = edit.span
        region = {
            "startLine": span.line,
            "startColumn": span.column,
            "endLine": span.end_line,
            "endColumn": span.end_column,
        }
        replacement = {"deletedRegion": region, "insertedContent": {"text": edit.content}}
        changes.setdefault(span.path, []).append(replacement)
    return {
        "description": {"text": title},
        "artifactChanges": [
            {"artifactLocation": _artifact(path), "replacements": replacements}
            for path, replacements in changes.items()
        ],
        "properties": {"applicability": applicability},
    }


def _location(span: Span) -> dict[str, Any]:
    region = {"startLine": max(span.line, 1)}
    if span.end_column:
        region |= {
            "startColumn": max(span.column, 1),
            "endLine": max(span.end_line, span.line),
            "endColumn": span.end_column,
        }
    return {"physicalLocation": {"artifactLocation": _artifact(span.path), "region": region}}


def _artifact(path: str) -> dict[str, Any]:
    uri, relative = repo_paths.uri(path)
    return {"uri": uri, "uriBaseId": _TOP} if relative else {"uri": uri}


def _invocation(report: Report, kinds: Sequence[str]) -> dict[str, Any]:
    """Return how the run went; ``kinds`` are the ids of the notifications that are described."""
    errors = report.errors
    notifications: list[dict[str, Any]] = []
    for level, kind, messages in (
        ("warning", unresolved.CODE, unresolved.messages(report)),
        ("error", _NOT_READ, errors),
    ):
        for each in messages:
            text = _LINK.sub(r"\\[\1\\](", each.message if each.line else f"{each.path}: {each.message}")
            entry: dict[str, Any] = {
                "level": level,
                "message": {"text": text},
                "descriptor": {"id": kind, "index": kinds.index(kind)},
            }
            if each.line:
                entry["locations"] = [_location(Span(each.path, each.line))]
            elif os.path.isfile(each.path):
                entry["locations"] = [{"physicalLocation": {"artifactLocation": _artifact(each.path)}}]
            notifications.append(entry)
    invocation: dict[str, Any] = {"executionSuccessful": not errors}
    if notifications:
        invocation["toolExecutionNotifications"] = notifications
    return invocation
