"""The values that code calls: ``f(x)``, and items as in ``fs[k](x)`` and ``for f in fs: f(x)``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Sequence

from gblint.runtime import ast_walk

NameOf = Callable[[ast.AST], str]
"""Returns the name of the value that an expression is; an empty text for other expressions."""
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


def called_values(node: ast.AST, name_of: NameOf) -> Iterator[tuple[str, ast.Call, bool]]:
    """Yield the names of the values that ``node`` calls, with the calls and whether items of the values are called."""
    for each in ast_walk.walk(node):
        if isinstance(each, ast.Call):
            function = each.func
            if name_of(function):
                yield name_of(function), each, False
            elif isinstance(function, ast.Subscript) and name_of(function.value):
                yield name_of(function.value), each, True
        elif isinstance(each, (ast.For, ast.AsyncFor)):
            yield from _called_items(each.target, each.iter, each.body, name_of)
        elif isinstance(each, _COMPREHENSIONS):
            for part in each.generators:
                yield from _called_items(part.target, part.iter, [each], name_of)


def _called_items(
    target: ast.expr, iterable: ast.expr, body: Sequence[ast.AST], name_of: NameOf
) -> Iterator[tuple[str, ast.Call, bool]]:
    """Yield the values over which a loop goes, with the calls of its variables."""
    variables = {each.id for each in ast_walk.walk(target) if isinstance(each, ast.Name)}
    sources = list(dict.fromkeys(filter(None, map(name_of, ast_walk.walk(iterable)))))
    for statement in body if sources else ():
        for each in ast_walk.walk(statement):
            if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id in variables:
                yield from ((source, each, True) for source in sources)


def called_methods(node: ast.AST, names: Collection[str]) -> Iterator[tuple[str, ast.Call]]:
    """Yield the variables among ``names`` of whose attributes ``node`` calls one: ``name.part.method(x)``."""
    for each in ast_walk.walk(node):
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute):
            base = each.func.value
            while isinstance(base, ast.Attribute):
                base = base.value
            if isinstance(base, ast.Name) and base.id in names:
                yield base.id, each
