"""Names that a fix adds to a function, and that are not there what the fix takes them for.

A recipe writes ``torch``, ``math`` or ``list`` and means the module or the builtin. A parameter or a variable of that
name hides it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import dataclass
from gblint.runtime.quiet_parse import parse_module

# The builtins that recipes write.
_BUILTINS = frozenset(
    "abs all any bool dict enumerate float int isinstance len list max min range set slice sum tuple zip".split()
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_IMPORTS = (ast.Import, ast.ImportFrom)


@dataclass(frozen=True, slots=True)
class _Scope:
    """The names of one function, with those of its comprehensions and lambdas: reads, imports and other bindings."""

    path: tuple[str, ...]
    reads: Counter[str]
    imported: frozenset[str]
    bound: frozenset[str]


def shadowed_name(old: str, new: str) -> str | None:
    """Return a name that ``new`` reads more often than ``old`` in a function where it has another meaning."""
    before = {scope.path: scope.reads for scope in _scopes_of(old)}
    scopes = {scope.path: scope for scope in _scopes_of(new)}
    module = scopes[()]
    watched = _BUILTINS | module.imported
    for scope in scopes.values():
        known = before.get(scope.path, Counter())
        for name in sorted(watched & scope.reads.keys()):
            if scope.reads[name] > known[name] and _is_hidden(name, scope.path, scopes):
                return name
    return None


def _is_hidden(name: str, path: tuple[str, ...], scopes: dict[tuple[str, ...], _Scope]) -> bool:
    """Return whether the function at ``path``, a function around it or the module gives the name another meaning."""
    for length in range(len(path), -1, -1):
        scope = scopes.get(path[:length])
        if scope is None:
            continue
        if name in scope.bound:
            return True
        if name in scope.imported:
            return name in _BUILTINS
    return False


@lru_cache(maxsize=8)
def _scopes_of(text: str) -> tuple[_Scope, ...]:
    return tuple(_scopes(parse_module(text), ()))


def _scopes(owner: ast.AST, path: tuple[str, ...]) -> Iterator[_Scope]:
    """Yield the scope of a module or function, then those of the functions in it; classes are only walked through."""
    reads: Counter[str] = Counter()
    imported, bound, outer = set[str](), set[str](), set[str]()
    inner: list[tuple[ast.AST, tuple[str, ...]]] = []
    numbers: Counter[str] = Counter()
    if isinstance(owner, _FUNCTIONS):
        bound |= {each.arg for each in ast_walk.walk(owner.args) if isinstance(each, ast.arg)}
    left: list[ast.AST] = [*owner.body] if isinstance(owner, (*_FUNCTIONS, ast.Module)) else []
    while left:
        node = left.pop()
        if isinstance(node, _FUNCTIONS):
            key = f"{node.name} {numbers[node.name]}"
            numbers[node.name] += 1
            inner.append((node, (*path, key)))
            bound.add(node.name)
            left += [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
            continue
        if isinstance(node, ast.ClassDef):
            bound.add(node.name)
            inner += _methods(node, path, numbers)
            continue
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                reads[node.id] += 1
            else:
                bound.add(node.id)
        elif isinstance(node, _IMPORTS):
            imported |= {each.asname or each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            outer |= set(node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
            bound.add(node.name)
        left += ast_walk.children(node)
    yield _Scope(path, reads, frozenset(imported), frozenset(bound - outer))
    for function, place in inner:
        yield from _scopes(function, place)


def _methods(
    owner: ast.ClassDef, path: tuple[str, ...], numbers: Counter[str]
) -> list[tuple[ast.AST, tuple[str, ...]]]:
    """Return the functions in a class, with their paths; names of the class are not seen in them."""
    found: list[tuple[ast.AST, tuple[str, ...]]] = []
    for node in owner.body:
        if isinstance(node, _FUNCTIONS):
            key = f"{owner.name}.{node.name} {numbers[f'{owner.name}.{node.name}']}"
            numbers[f"{owner.name}.{node.name}"] += 1
            found.append((node, (*path, key)))
        elif isinstance(node, ast.ClassDef):
            found += _methods(node, (*path, owner.name), numbers)
    return found
