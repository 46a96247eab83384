"""Checks of a fixed text before it replaces the old one: it compiles, and binds every name that it reads."""

from __future__ import annotations

import ast
import builtins
import symtable
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache

from gblint.fix.names import parameters_of
from gblint.fix.shadowing import shadowed_name
from gblint.runtime import ast_walk
from gblint.runtime.quiet_parse import parse_module

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_MODULE_NAMES = frozenset(("__file__", "__name__", "__doc__", "__package__", "__spec__", "__path__", "__loader__"))

MAX_DEPTH_OF_FINALLY = 10
"""``finally`` blocks inside each other in a text that is compiled: Python compiles each twice, 18 take 800 MB."""
_TOO_DEEP = "it is too deeply nested to compile"


def problem_of(old: str, new: str) -> str | None:
    """Return why the text ``new`` must not replace ``old``; None if it may."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(new)
            if _depth_of_finally(tree.body) > MAX_DEPTH_OF_FINALLY:
                return _TOO_DEEP
            compile(tree, "<fixed>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
            found = unbound_names(new, tree) - _unbound_names_of(old)
            hidden = shadowed_name(old, new)
    except (SyntaxError, ValueError) as error:
        return f"it does not compile: {error}"
    except (RecursionError, MemoryError):
        return _TOO_DEEP
    if hidden is not None:
        return f"{hidden!r} is another variable there"
    return f"it leaves {min(found)!r} unbound" if found else None


@lru_cache(maxsize=4)
def _unbound_names_of(text: str) -> set[str]:
    """Return the names that the text before a fix leaves unbound: many fixes of a file are tried one after another."""
    return unbound_names(text, parse_module(text))


def unbound_names(text: str, tree: ast.Module) -> set[str]:
    """Return the names that are read and bound nowhere, and variables that a function reads before it assigns them."""
    nodes = ast_walk.walk(tree)
    found = {name for function in nodes if isinstance(function, _FUNCTIONS) for name in _read_first(function)}
    if any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in nodes):
        return found
    tables = [symtable.symtable(text, "<fixed>", "exec")]
    for table in tables:
        tables += table.get_children()
    module = tables[0]
    bound = {each.get_name() for each in module.get_symbols() if each.is_assigned() or each.is_imported()}
    bound |= {
        each.get_name() for table in tables for each in table.get_symbols() if each.is_global() and each.is_assigned()
    }
    known = bound | set(dir(builtins)) | _MODULE_NAMES
    for table in tables:
        found |= {
            each.get_name()
            for each in table.get_symbols()
            if each.is_referenced() and (each.is_global() or table is module) and each.get_name() not in known
        }
    return found


def _depth_of_finally(body: Iterable[ast.stmt]) -> int:
    """Return how many ``finally`` blocks are inside each other, at most."""
    deepest = 0
    pending = [(statement, 0) for statement in body]
    while pending:
        node, depth = pending.pop()
        deepest = max(deepest, depth)
        last = {id(each) for each in getattr(node, "finalbody", ())}
        pending += ((each, depth + (id(each) in last)) for each in ast_walk.statements_in(node))
    return deepest


def _read_first(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """Yield the variables of a function whose first use in it is a read."""
    uses = list(_uses(function.body))
    outer = {
        name for node in ast_walk.walk(function) if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names
    }
    assigned = {name for name, is_read in uses if not is_read} - outer - set(parameters_of(function))
    seen: set[str] = set()
    for name, is_read in uses:
        if is_read and name in assigned and name not in seen:
            yield name
        seen.add(name)


def _uses(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, bool]]:
    """Yield the names in a scope in the order of their evaluation, and whether each is read."""
    for node in nodes:
        if isinstance(node, ast.Name):
            yield node.id, isinstance(node.ctx, ast.Load)
        elif isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
            yield from _uses([] if node.value is None else [node.value])
            yield from _uses(node.targets if isinstance(node, ast.Assign) else [node.target])
        elif isinstance(node, ast.AugAssign):
            if isinstance(node.target, ast.Name):
                yield node.target.id, True
            yield from _uses([node.value, node.target])
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            yield from _uses([node.iter, node.target, *node.body, *node.orelse])
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from ((alias.asname or alias.name.partition(".")[0], False) for alias in node.names)
        elif isinstance(node, ast.ExceptHandler):
            yield from _uses([] if node.type is None else [node.type])
            yield from [(node.name, False)] if node.name else []
            yield from _uses(node.body)
        elif isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            yield from _uses(node.decorator_list)
            yield node.name, False
        elif not isinstance(node, _SCOPES):
            yield from _uses(ast_walk.children(node))
