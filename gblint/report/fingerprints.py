"""Fingerprints of findings: hashes that stay the same when lines above a finding are added or removed."""

from __future__ import annotations

import ast
import contextlib
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from gblint.diagnostics.finding import Finding
from gblint.project.source_text import Source
from gblint.report.repo_paths import repository_path
from gblint.runtime import ast_walk
from gblint.runtime.quiet_parse import parse_module

MODULE = "<module>"


class Functions:
    """The qualified names of the functions around the lines of a file, such as ``Net.forward``."""

    def __init__(self, text: str) -> None:
        self._text = text

    def at(self, line: int) -> str:
        """Return the innermost function or class around ``line``; ``<module>`` if there is none."""
        return self._names.get(line, MODULE)

    @cached_property
    def _names(self) -> dict[int, str]:
        names: dict[int, str] = {}
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            _walk(parse_module(self._text), "", names)
        return names


def _walk(node: ast.AST, prefix: str, names: dict[int, str]) -> None:
    for child in ast_walk.children(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = f"{prefix}.{child.name}" if prefix else child.name
            first = min((each.lineno for each in child.decorator_list), default=child.lineno)
            names.update(dict.fromkeys(range(first, (child.end_lineno or child.lineno) + 1), name))
            _walk(child, name, names)
        elif isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            _walk(child, prefix, names)


def fingerprints(findings: Sequence[Finding], source: Source) -> list[str]:
    """Return the fingerprint of each finding: 32 hexadecimal digits.

    It is computed from the rule's code, the function, the text of the line without spaces, and, if several findings
    agree in all of these, their order in the file.  The path is not included.
    """
    functions: dict[str, Functions] = {}
    counts: Counter[tuple[str, ...]] = Counter()
    order = sorted(range(len(findings)), key=lambda number: findings[number].position)
    made = [""] * len(findings)
    for number in order:
        finding = findings[number]
        path, line = finding.span.path, finding.span.line
        if path not in functions:
            functions[path] = Functions(source.text(path))
        lines = source.lines(path)
        text = " ".join(lines[line - 1].split()) if 1 <= line <= len(lines) else ""
        key = (finding.code, functions[path].at(line), text)
        same = (path, *key)
        made[number] = digest(*key, str(counts[same]))
        counts[same] += 1
    return made


def with_paths(findings: Sequence[Finding], source: Source) -> list[str]:
    """Return fingerprints that include the path, for services that identify findings by the fingerprint alone."""
    paths = (repository_path(finding.span.path) for finding in findings)
    return [digest(path, print_) for path, print_ in zip(paths, fingerprints(findings, source))]


def digest(*parts: str) -> str:
    from hashlib import sha256

    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
