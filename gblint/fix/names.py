"""The variables that a piece of a function reads and assigns."""

from __future__ import annotations

import ast
from collections.abc import Iterable

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class NameUses(ast.NodeVisitor):
    """The names that some nodes read and assign in the scope in which they stand."""

    def __init__(self) -> None:
        self.read: set[str] = set()
        self.assigned: set[str] = set()

    @classmethod
    def of(cls, nodes: Iterable[ast.AST]) -> NameUses:
        """Collect the names of ``nodes``."""
        names = cls()
        for node in nodes:
            names.visit(node)
        return names

    def visit(self, node: ast.AST) -> None:
        """Add the names of ``node``; functions and comprehensions have scopes of their own."""
        if isinstance(node, ast.Name):
            (self.read if isinstance(node.ctx, ast.Load) else self.assigned).add(node.id)
        elif isinstance(node, _COMPREHENSIONS):
            inner = NameUses.of(ast.iter_child_nodes(node))
            self.read |= inner.read - inner.assigned
        elif isinstance(node, _FUNCTIONS):
            self._function(node)
        elif isinstance(node, ast.ClassDef):
            self.assigned.add(node.name)
            inner = NameUses.of(node.body)
            self.read |= inner.read
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self.assigned |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        else:
            if isinstance(node, ast.ExceptHandler) and node.name:
                self.assigned.add(node.name)
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                self.read.add(node.target.id)
            self.generic_visit(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        """Add the free variables of a function, and the names in its defaults and decorators."""
        arguments = node.args
        parameters = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
        parameters |= {a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None}
        inner = NameUses.of([node.body] if isinstance(node, ast.Lambda) else node.body)
        self.read |= inner.read - inner.assigned - parameters
        for default in (*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)):
            self.visit(default)
        if not isinstance(node, ast.Lambda):
            self.assigned.add(node.name)
            for decorator in node.decorator_list:
                self.visit(decorator)


def parameters_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """Return the names of the parameters."""
    arguments = function.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return names + [a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None]
