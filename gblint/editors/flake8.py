"""The flake8 plugin: the findings of the project around a file, shown in that file.

Breaks are found from entry points, which seldom lie in the file that is looked at: the plugin analyses the whole
project once in a run of flake8 and hands out what lies in each file.
"""

from __future__ import annotations

import argparse
import ast
import multiprocessing
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from gblint import __version__
from gblint.config import ConfigError, load
from gblint.findings import Finding

_MARKS = ("gblint.toml", "pyproject.toml", ".git", "setup.cfg")
_TROUBLE = "GBL000"


@dataclass(frozen=True, slots=True)
class _Analysis:
    """The findings of a project by absolute path; ``trouble`` is why there are none, said once."""

    by_path: dict[str, list[Finding]] = field(default_factory=dict)
    trouble: list[str] = field(default_factory=list)


class Plugin:
    """What flake8 makes for every file."""

    name = "gblint"
    version = __version__

    _projects: ClassVar[dict[Path, _Analysis]] = {}
    _stdin: ClassVar[bool] = False

    def __init__(self, tree: ast.AST, filename: str, lines: Sequence[str]) -> None:
        self._path = Path(filename).absolute()
        self._lines = lines

    @classmethod
    def parse_options(cls, options: argparse.Namespace) -> None:
        """Analyse what flake8 is about to hand to worker processes, so that they inherit it instead of repeating it."""
        names = [name for name in getattr(options, "filenames", None) or ["."] if isinstance(name, str)]
        cls._stdin = "-" in names
        if not cls._stdin and _forks(options):
            for root in {project_root(Path(name).absolute()) for name in names}:
                cls._analysis(root)

    def run(self) -> Iterator[tuple[int, int, str, type]]:
        """The findings in the file: line, column from 0, text."""
        root = project_root(self._path)
        analysis = _analyse(root, self._path, "".join(self._lines)) if self._stdin else self._analysis(root)
        while analysis.trouble:
            yield 1, 0, f"{_TROUBLE} {analysis.trouble.pop(0)}", type(self)
        for finding in analysis.by_path.get(str(self._path), ()):
            yield finding.span.line, finding.span.column - 1, f"{finding.code} {finding.message}", type(self)

    @classmethod
    def _analysis(cls, root: Path) -> _Analysis:
        if root not in cls._projects:
            cls._projects[root] = _analyse(root)
        return cls._projects[root]


def project_root(path: Path) -> Path:
    """The nearest folder at or above ``path`` that looks like the top of a project; its own folder if there is none."""
    own = path if path.is_dir() else path.parent
    for folder in (own, *own.parents):
        if any((folder / mark).exists() for mark in _MARKS):
            return folder
    return own


def _forks(options: argparse.Namespace) -> bool:
    jobs = getattr(options, "jobs", None)
    parallel = getattr(jobs, "is_auto", False) or getattr(jobs, "n_jobs", 1) > 1
    return bool(parallel) and multiprocessing.get_start_method() == "fork"


def _analyse(root: Path, path: Path | None = None, text: str = "") -> _Analysis:
    from gblint.lint import Request, lint

    paths = (root,) if path is None or path.exists() else (root, path)
    try:
        outcome = lint(Request(paths, overlays={} if path is None else {path: text}), load([root]))
    except ConfigError as error:
        said = (f"{problem.where}:{problem.line}: {problem.message}" for problem in error.problems)
        return _Analysis(trouble=[f"gblint cannot run: {line}" for line in said])
    except Exception as error:
        # flake8 ends the whole run at an exception of a plugin; one of ours must not cost the other plugins' findings.
        return _Analysis(trouble=[f"gblint cannot run: {type(error).__name__}: {' '.join(str(error).split())}"])
    return _Analysis(_by_path(outcome.report.findings))


def _by_path(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    table: dict[str, list[Finding]] = {}
    for finding in findings:
        table.setdefault(str(Path(finding.span.path).absolute()), []).append(finding)
    return table
