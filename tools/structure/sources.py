"""The parsed Python files of the repository."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

PACKAGES = ("gblint", "rules")
"""The folders of what is installed; ``rules`` is installed as ``gblint.rules``."""

FOLDERS = (*PACKAGES, "tests", "benchmarks", "tools", "compiled")
"""All folders with code of the project."""

SAMPLES = {"fixtures", "corpus", "modules"}
"""Folders below ``tests`` with input of tests, which need not keep our rules."""


@dataclass(frozen=True)
class Source:
    """A Python file: its path relative to the root of the repository, its text and its syntax tree."""

    path: str
    text: str
    tree: ast.Module

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes of the tree."""
        return list(ast.walk(self.tree))

    @property
    def is_installed(self) -> bool:
        """Whether the file is part of the installed package."""
        return self.path.split("/")[0] in PACKAGES

    @property
    def is_package(self) -> bool:
        """Whether the file is the ``__init__.py`` of a package."""
        return self.path.endswith("/__init__.py")

    @cached_property
    def module(self) -> str:
        """The dotted name under which the file is imported; a package has the name of its folder."""
        path = f"gblint/{self.path}" if self.path.startswith("rules/") else self.path
        return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@dataclass(frozen=True, order=True)
class Offence:
    """A place that breaks a rule of the structure."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


def parse(path: str, text: str) -> Source:
    """Parse one file."""
    return Source(path, text, ast.parse(text, path))


def read(root: Path) -> list[Source]:
    """Read all Python files of the project below ``root``."""
    return [parse(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")) for path in _files(root)]


def _files(root: Path) -> Iterator[Path]:
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            parts = path.relative_to(root).parts
            if parts[0] != "tests" or not SAMPLES.intersection(parts):
                yield path


def installed(sources: Sequence[Source]) -> list[Source]:
    """Return the sources that are part of the installed package."""
    return [source for source in sources if source.is_installed]
