"""Calls that compile something, found by their text: those that the search for entry points did not evaluate."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from gblint.diagnostics.entry_point import EntryKind
from gblint.entrypoints.prefilter import defines_compile
from gblint.interp.domain.access_paths import last_name
from gblint.project.modules import Module
from gblint.runtime import ast_walk

_CALL = re.compile(r"\.\s*compile\s*\(")
_ALIAS = re.compile(r"\btorch\.compile\b(?!\s*\()")
# Options that show a call to be one of ``nn.Module.compile``.
_OPTIONS = frozenset(("fullgraph", "dynamic", "backend", "mode", None))


def compile_calls(modules: Iterable[Module]) -> Iterator[tuple[Module, ast.Call, ast.expr, EntryKind]]:
    """Yield the calls of ``torch.compile`` and ``nn.Module.compile``, the compiled expression, and the kind of call.

    Methods are omitted if the project itself defines a method named ``compile``.
    """
    candidates = [each for each in modules if _CALL.search(each.source) or _ALIAS.search(each.source)]
    own_method = any(defines_compile(module.source) for module in candidates)
    for module in candidates:
        nodes = ast_walk.walk(module.tree)
        aliases = _aliases(nodes) if _ALIAS.search(module.source) else frozenset[str]()
        decorators = {decorator for node in nodes for decorator in getattr(node, "decorator_list", ())}
        for node in nodes:
            if isinstance(node, ast.Call) and node not in decorators:
                found = _compiled(node, aliases)
                if found is not None and not (own_method and found[1] == "method"):
                    yield module, node, *found


def backward_passes(modules: Iterable[Module]) -> Iterator[tuple[Module, ast.Call]]:
    """Yield the calls ``torch.compile(...)`` without an object that are passed to compiled autograd."""
    for module in modules:
        if "compiled_autograd" not in module.source:
            continue
        nodes = list(ast_walk.walk(module.tree))
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        passed = [each for call in calls if _names_autograd(call.func) for each in call.args]
        names = {each.id for each in passed if isinstance(each, ast.Name)}
        for node in nodes:
            if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id in names for t in node.targets):
                passed.append(node.value)
        found = dict.fromkeys(each for each in passed if isinstance(each, ast.Call) and not each.args)
        yield from ((module, each) for each in found if _is_compile(each.func))


def _names_autograd(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        if "autograd" in node.attr:
            return True
        node = node.value
    return isinstance(node, ast.Name) and "autograd" in node.id


def _is_compile(node: ast.AST | None) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "compile"
        and isinstance(node.value, ast.Name)
        and node.value.id == "torch"
    )


def _aliases(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names of variables that may be set to ``torch.compile``, or to it with some of its options."""
    assigned = (node for node in nodes if isinstance(node, ast.Assign) and _may_be_compile(node.value))
    return frozenset(each.id for node in assigned for each in node.targets if isinstance(each, ast.Name))


def _may_be_compile(node: ast.expr) -> bool:
    if isinstance(node, ast.IfExp):
        return _may_be_compile(node.body) or _may_be_compile(node.orelse)
    if isinstance(node, ast.Call) and node.args and last_name(node.func) == "partial":
        return _is_compile(node.args[0])
    return _is_compile(node)


def _compiled(node: ast.Call, aliases: frozenset[str]) -> tuple[ast.expr, EntryKind] | None:
    """Return the expression that a call compiles, and the kind of call; None if it compiles nothing."""
    function = node.func
    if isinstance(function, ast.Name) and function.id in aliases and node.args and not _is_disabled(node):
        return node.args[0], "call"
    if not isinstance(function, ast.Attribute) or function.attr != "compile" or _is_disabled(node):
        return None
    if _is_compile(function):
        given = [*node.args, *(each.value for each in node.keywords if each.arg == "model")]
        return (given[0], "call") if given else None
    if node.args or not any(each.arg in _OPTIONS for each in node.keywords):
        return None
    return function.value, "method"


def _is_disabled(node: ast.Call) -> bool:
    return any(
        each.arg == "disable" and isinstance(each.value, ast.Constant) and each.value.value is True
        for each in node.keywords
    )
