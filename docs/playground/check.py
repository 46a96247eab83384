"""The check of the playground page, which Pyodide runs in the browser."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import Any

from gblint.config.settings import Config
from gblint.diagnostics.finding import Finding
from gblint.knowledge.versions import available_versions
from gblint.pipeline.lint import LintRequest, lint
from gblint.project.source_text import Style
from gblint.report import default_run, fix_first, full, reach, summary, unresolved
from gblint.report.consequences import sentence, verdict
from gblint.report.graph_counts import described
from gblint.report.listing import listing

SNIPPET = Path("snippet.py")  # the name of a file that is never written
NOTHING_COMPILED = "gblint starts where `torch.compile` is applied: decorate a function with `@torch.compile`"


def versions() -> list[str]:
    """Return the releases of torch that can be chosen, the newest first."""
    return list(available_versions()[::-1])


def check(text: str, torch_version: str) -> str:
    """Lint a text as one file; return what the page shows, as JSON."""
    path = SNIPPET.absolute()
    config = Config(path.parent).with_values(torch_version=torch_version)
    outcome = lint(LintRequest((path,), overlays={path: text}), config)
    report = outcome.report
    notes = [summary.assumed(report), *(unresolved.as_message(each).message for each in report.unresolved)]
    if not (report.entries or report.unresolved or report.errors):
        notes.append(NOTHING_COMPILED)
    entries = listing(report.findings, show_all=True)
    total = summary.summary(report, outcome.hidden, Style(), outcome.beyond_reach)
    complete = unresolved.is_complete(report, unresolved.cut(outcome.warnings))
    first = default_run.sentence(entries, Style(), complete=complete), fix_first.sentence(entries, Style())
    answer = {
        "summary": [line for line in (*first, *total) if line],
        "notes": [note for note in notes if note],
        "errors": [{"line": error.line, "message": error.message} for error in report.errors],
        "graphs": [{"entry": name, "graphs": count} for name, count in described(report)],
        "findings": [_shown(entry.finding) for entry in entries.shown],
    }
    outcome.context = None
    gc.collect()
    return json.dumps(answer)


def _shown(finding: Finding) -> dict[str, Any]:
    """Return the parts of a finding that the page shows."""
    span = finding.span
    notes = {
        "chain": " ".join(full.links(finding.chain)) if len(finding.chain) > 1 else "",
        "raises" if finding.raised_by else "allowed": verdict(finding),
        "when": reach.sentence(finding),
        "then": sentence(finding),
        "help": finding.help,
    }
    return {
        "code": finding.code,
        "rule": finding.rule,
        "confidence": finding.confidence.value,
        "message": finding.message,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line or span.line,
        "end_column": span.end_column or span.column,
        "notes": {name: note for name, note in notes.items() if note},
    }
