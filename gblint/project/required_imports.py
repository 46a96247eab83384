"""Imports that a project needs, and those that it expects to fail."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gblint.project.project import Project
from gblint.runtime import ast_walk


def is_required(project: Project, package: str) -> bool:
    """Return whether the project imports a package outside of each ``try``."""
    modules = project.mentioning((f"import {package}", f"from {package}"))
    return any(package in set(_required(module.tree)) for module in modules)


def _required(node: ast.AST) -> Iterator[str]:
    """Yield the first names of the modules that are imported outside of each ``try``."""
    for each in ast_walk.children(node):
        if isinstance(each, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in each.names)
        elif isinstance(each, ast.ImportFrom) and each.module and not each.level:
            yield each.module.partition(".")[0]
        elif isinstance(each, ast.Try):
            for handler in each.handlers:
                yield from _required(handler)
        elif isinstance(each, (ast.stmt, ast.match_case)):
            yield from _required(each)
