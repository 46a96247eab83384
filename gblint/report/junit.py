"""JUnit XML for CI servers: a suite for each file, a failed test case for each finding."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from gblint.diagnostics.finding import Finding
from gblint.diagnostics.report import FileError, Report
from gblint.diagnostics.unresolved import UnresolvedTarget
from gblint.project.source_text import neutral, neutral_path
from gblint.report.concise import one_line
from gblint.report.finding_notes import FindingNotes
from gblint.report.repo_paths import repository_path

# Characters that are not allowed in XML 1.0, even escaped.
_ILLEGAL = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report, notes: FindingNotes | None = None) -> str:
    """Return the document; without findings, every entry point is a test case that passes.

    A compiled object that was not analysed, or only in part, is a test case that is skipped.
    """
    notes = notes or FindingNotes(report.findings)
    top = ElementTree.Element("testsuites", name="gblint", tests="0", failures="0", errors="0")
    suites: dict[str, ElementTree.Element] = {}
    for error in report.errors:
        _add_error(_suite(top, suites, error.path), error)
    for finding in report.findings:
        _add_finding(_suite(top, suites, finding.span.path), finding, notes)
    if not suites:
        for entry in report.entries:
            suite = _suite(top, suites, entry.path)
            ElementTree.SubElement(suite, "testcase", name=_legal(entry.name), classname=suite.get("name", ""))
    for target in report.unresolved:
        _add_unresolved(_suite(top, suites, target.path), target)
    for warning in report.partial:
        case = _case(_suite(top, suites, warning.path), f"analysed completely, line {warning.line}", warning.line)
        ElementTree.SubElement(case, "skipped", message=_legal(warning.message))
    kinds = [("tests", ".//testcase"), ("failures", ".//failure"), ("errors", ".//error")]
    if report.unresolved or report.partial:
        kinds.append(("skipped", ".//skipped"))
    for suite in (*suites.values(), top):
        for key, path in kinds:
            suite.set(key, str(len(suite.findall(path))))
    ElementTree.indent(top)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(top, encoding="unicode")


def _suite(top: ElementTree.Element, suites: dict[str, ElementTree.Element], path: str) -> ElementTree.Element:
    if path not in suites:
        suites[path] = ElementTree.SubElement(top, "testsuite", name=_legal(repository_path(path)))
    return suites[path]


def _case(suite: ElementTree.Element, name: str, line: int) -> ElementTree.Element:
    path = suite.get("name", "")
    return ElementTree.SubElement(suite, "testcase", name=name, classname=path, file=path, line=str(max(line, 1)))


def _add_finding(suite: ElementTree.Element, finding: Finding, notes: FindingNotes) -> None:
    span = finding.span
    case = _case(suite, f"{finding.code} at line {span.line}, column {span.column}", span.line)
    failure = ElementTree.SubElement(case, "failure", type=finding.severity.value, message=_legal(finding.message))
    texts = [
        f"{neutral_path(repository_path(span.path))}:{span.line}:{span.column}: {finding.code} {one_line(finding)}",
        *notes.lines_with_chain(finding),
    ]
    failure.text = _legal("\n".join(texts))


def _add_unresolved(suite: ElementTree.Element, target: UnresolvedTarget) -> None:
    case = _case(suite, _legal(f"{target.expression} at line {target.line}, column {target.column}"), target.line)
    ElementTree.SubElement(case, "skipped", message=_legal(target.message))


def _add_error(suite: ElementTree.Element, error: FileError) -> None:
    case = _case(suite, "can be linted" if not error.line else f"can be linted, line {error.line}", error.line)
    ElementTree.SubElement(case, "error", type="error", message=_legal(error.message))


def _legal(text: str) -> str:
    return _ILLEGAL.sub("\ufffd", "\n".join(map(neutral, text.split("\n"))))
