"""The severities that the configuration gives to rules."""

from __future__ import annotations

from collections.abc import Mapping

from gblint.diagnostics.finding import Finding, Severity, SeverityCause
from gblint.rules import rule_by_code
from gblint.runtime.lazy_dataclasses import replace


def with_severities(findings: list[Finding], severities: Mapping[str, str]) -> list[Finding]:
    """Return the findings with the configured severities; ``severities`` maps codes and prefixes to severities.

    The longest prefix of a code decides.  A break that raises stays an error, one that the author allows stays an info.
    """
    if not severities:
        return findings
    by_prefix = {"" if code.upper() == "ALL" else code.upper(): Severity(word) for code, word in severities.items()}
    return [_with_severity(finding, by_prefix) for finding in findings]


def _with_severity(finding: Finding, by_prefix: Mapping[str, Severity]) -> Finding:
    prefix = max((each for each in by_prefix if finding.code.startswith(each)), key=len, default=None)
    rule = rule_by_code(finding.code)
    if prefix is None or rule is None or finding.severity is not rule.severity:
        return finding
    return replace(finding, severity=by_prefix[prefix], severity_cause=SeverityCause(is_configured=True))
