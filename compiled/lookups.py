"""Rewriting of a module for mypyc: fewer lookups at run time.

``ast.Name`` in a function is a lookup in the module ``ast``; it becomes a constant of the module, a variable in C.  A
compiled module that a function imports would be imported at each call; the import moves to the end of the module.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

_FINAL = "from typing import Final as _Final\n"


def rewrite(source: str, modules: Collection[str]) -> str:
    """Return ``source`` rewritten; ``modules`` are the names of the compiled modules."""
    return _with_classes(_with_imports(source, modules))


def _with_imports(source: str, modules: Collection[str]) -> str:
    """Move imports of single compiled modules from functions to the end of the module."""
    lines = source.splitlines(keepends=True)
    moved: dict[str, None] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.col_offset and len(node.names) == 1 and not node.level:
            name = node.names[0]
            if name.asname is None and f"{node.module}.{name.name}" in modules:
                assert node.lineno == node.end_lineno
                moved[f"from {node.module} import {name.name}\n"] = None
                lines[node.lineno - 1] = f"{' ' * node.col_offset}pass\n"
    return "".join([*lines, *moved])


def _with_classes(source: str) -> str:
    """Add a constant for each class of ``ast`` that is used in a function."""
    tree = ast.parse(source)
    if not any(isinstance(node, ast.Import) and _imports_ast(node) for node in tree.body):
        return source
    uses = [use for node in tree.body for use in _in_functions(node)]
    if not uses:
        return source
    lines = source.encode().splitlines(keepends=True)
    for use in sorted(uses, key=lambda each: (each.lineno, each.col_offset), reverse=True):
        line = lines[use.lineno - 1]
        lines[use.lineno - 1] = line[: use.col_offset] + _name(use).encode() + line[use.end_col_offset :]
    made = "".join(f"{name}: _Final = ast.{name[5:]}\n" for name in sorted({_name(use) for use in uses}))
    last = max(node.end_lineno or 0 for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom)))
    lines.insert(last, f"{_FINAL}{made}".encode())
    return b"".join(lines).decode()


def _imports_ast(node: ast.Import) -> bool:
    return any(each.name == "ast" and each.asname is None for each in node.names)


def _name(use: ast.Attribute) -> str:
    return f"_ast_{use.attr}"


def _in_functions(node: ast.AST) -> Iterator[ast.Attribute]:
    """Yield the classes of ``ast`` that are used in the bodies of the functions below ``node``."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        for statement in node.body:
            yield from _uses(statement)
        return
    for child in ast.iter_child_nodes(node):
        yield from _in_functions(child)


def _uses(node: ast.AST) -> Iterator[ast.Attribute]:
    """Yield the classes of ``ast`` in ``node``, except in annotations and casts."""
    if _is_class(node):
        assert isinstance(node, ast.Attribute)
        yield node
        return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns") or (name == "args" and _is_cast(node)):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _uses(child)


def _is_cast(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "cast"


def _is_class(node: ast.AST) -> bool:
    """Return whether a node is the expression ``ast.X``, on one line, where ``ast.X`` is a class of nodes."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name) or node.value.id != "ast":
        return False
    found = getattr(ast, node.attr, None)
    return isinstance(found, type) and issubclass(found, ast.AST) and node.lineno == node.end_lineno
