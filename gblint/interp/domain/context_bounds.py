"""Bounds of the kinds of arguments with which one function is evaluated."""

from __future__ import annotations

import ast

from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.base import Value
from gblint.values.containers import Seq
from gblint.values.lattice import widen
from gblint.values.objects import Function

MANY_CONTEXTS = 24
"""Kinds of arguments of a function, above which less is kept of their values."""
TOO_MANY_CONTEXTS = 60
"""Kinds of arguments of a function, above which it is not followed."""
SMALL = 80
"""Nodes of the syntax tree of a function that costs little, such as ``exists(x)``: its bounds are MORE times higher.

Such a function calls no others but those of ``_PLAIN``, and ``_PLAIN_METHODS`` of a variable.
"""
MORE = 20
LIBRARY_FACTOR = 2
"""The bounds of a library's function are so many times lower if it runs in a region, or if its module mentions torch.

Functions of libraries without torch have a bound of their steps outside of a region.
"""
_PLAIN = frozenset(("isinstance", "callable", "len", "hasattr", "type"))
_PLAIN_METHODS = frozenset(("append", "extend", "get", "items", "keys", "values"))
MAX_POSITIONAL = 8
"""Arguments given to ``*args``, up to which their number is kept where less is kept of their values."""
MAX_ACTIVE = 3
"""Rounds of a recursion with different kinds of arguments."""


def count(interp: Interpreter, function: Function, *, tracing: bool) -> int:
    """Return the kinds of arguments with which a function was evaluated, weighed.

    A small function of the project counts a MORE-th. One of a library counts LIBRARY_FACTOR times in a region, and
    elsewhere if its module mentions torch.
    """
    contexts = interp.calls.contexts.get(id(function.node), 0)
    if function.module.origin == "library":
        return contexts * LIBRARY_FACTOR if tracing or function.module.mentions_torch else contexts
    if contexts <= MANY_CONTEXTS or not _is_small(interp, function.node):
        return contexts
    return contexts // MORE


def reached(interp: Interpreter, function: Function, contexts: int) -> str:
    """Return the bound that keeps a function from being evaluated with further arguments; empty if there is none."""
    if contexts > TOO_MANY_CONTEXTS:
        return f"`{function.name}` is called with more than {TOO_MANY_CONTEXTS} kinds of arguments"
    if interp.calls.active.get(id(function.node), 0) >= MAX_ACTIVE:
        return f"`{function.name}` calls itself more than {MAX_ACTIVE} times"
    return ""


def widened(function: Function, variables: dict[str, Value]) -> dict[str, Value]:
    """Return the arguments with less of their values; how many ``*args`` receives is kept."""
    wide = {name: widen(value) for name, value in variables.items()}
    star = function.node.args.vararg
    given = None if star is None else variables.get(star.arg)
    if star is not None and isinstance(given, Seq) and given.items is not None and len(given.items) <= MAX_POSITIONAL:
        wide[star.arg] = Seq(given.cls, tuple(widen(item) for item in given.items))
    return wide


def _is_small(interp: Interpreter, node: ast.AST) -> bool:
    small = interp.caches.syntax.small_functions
    if node not in small:
        nodes = list(ast_walk.walk(node))
        small[node] = len(nodes) <= SMALL and all(_is_plain(n.func) for n in nodes if isinstance(n, ast.Call))
    return small[node]


def _is_plain(function: ast.expr) -> bool:
    if isinstance(function, ast.Attribute):
        return isinstance(function.value, ast.Name) and function.attr in _PLAIN_METHODS
    return isinstance(function, ast.Name) and function.id in _PLAIN
