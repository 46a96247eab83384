"""The answer to ``--why``: for people, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict

from gblint.diagnostics.finding import Finding
from gblint.diagnostics.line_explanation import LineExplanation, PathCondition
from gblint.project.source_text import TAB, Style, display_path, neutral, width
from gblint.report.consequences import verdict
from gblint.report.finding_notes import links
from gblint.report.json import option_source

WIDEST = 44  # columns for the expressions
_OUTCOMES = {True: "always true", False: "always false", None: "true or false: both branches are followed"}


def render(answer: LineExplanation, style: Style) -> Iterator[str]:
    """Yield the lines of the answer."""
    place = style.bold(f"{display_path(answer.path)}:{answer.line}")
    yield f"{place}: {neutral(answer.text)}"
    if answer.reached:
        yield f"{TAB}compiled code runs this line, in `{neutral(answer.function)}`"
    else:
        yield f"{TAB}compiled code does not run this line: {neutral(answer.reason)}"
    if answer.chain:
        heading = "reached through" if answer.reached else f"`{neutral(answer.function)}` is reached through"
        yield f"{TAB}{style.bold(heading)}"
        yield from (f"{TAB}{TAB}{link}" for link in links(answer.chain))
    if answer.conditions:
        yield f"{TAB}{style.bold('conditions on the path')}"
        yield from (f"{TAB}{TAB}{_condition(each)}" for each in answer.conditions)
    if answer.values:
        yield f"{TAB}{style.bold('values')}"
        column = min(max(width(neutral(text)) for text, _ in answer.values), WIDEST)
        for text, words in answer.values:
            shown = neutral(text if len(text) <= WIDEST else text[: WIDEST - 3] + "...")
            yield f"{TAB}{TAB}{shown}{' ' * (column - width(shown))}  {neutral(words)}"
    yield from _found(answer, style)


def _condition(each: PathCondition) -> str:
    return f"line {each.line}, `{neutral(each.text)}`: {_OUTCOMES[each.outcome]}"


def _found(answer: LineExplanation, style: Style) -> Iterator[str]:
    if answer.findings:
        yield f"{TAB}{style.bold('found')}"
        for finding in answer.findings:
            yield f"{TAB}{TAB}{finding.code} ({finding.confidence.value}) {neutral(finding.message)}"
            if verdict(finding):
                yield f"{TAB}{TAB}{TAB}{neutral(verdict(finding))}"
    elif answer.reached:
        yield f"{TAB}gblint knows no graph break on this line"


def _finding(found: Finding) -> dict[str, object]:
    contents = {"code": found.code, "confidence": found.confidence.value, "message": found.message}
    return {**contents, "raised_by": option_source(found.raised_by), "allowed_by": option_source(found.allowed_by)}


def as_json(answer: LineExplanation) -> str:
    """Return the answer as a JSON object."""
    contents = {
        "path": display_path(answer.path),
        "line": answer.line,
        "text": answer.text,
        "function": answer.function,
        "reached": answer.reached,
        "reason": answer.reason,
        "chain": [{**asdict(link), "path": display_path(link.path)} for link in answer.chain],
        "conditions": [asdict(each) for each in answer.conditions],
        "values": [{"expression": text, "value": words} for text, words in answer.values],
        "findings": [_finding(each) for each in answer.findings],
    }
    return json.dumps(contents, indent=2, ensure_ascii=False)
