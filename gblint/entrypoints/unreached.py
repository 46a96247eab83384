"""Calls that compile something, found by their text: those that the search for entry points did not evaluate."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from gblint.diagnostics.entry_point import EntryKind
from gblint.project.modules import Module
from gblint.runtime import ast_walk

_CALL = re.compile(r"\.\s*compile\s*\(")
_METHOD = re.compile(r"\bdef\s+compile\b")
# Options that show a call to be one of ``nn.Module.compile``.
_OPTIONS = frozenset(("fullgraph", "dynamic", "backend", "mode", None))


def compile_calls(modules: Iterable[Module]) -> Iterator[tuple[Module, ast.Call, ast.expr, EntryKind]]:
    """Yield the calls of ``torch.compile`` and of ``nn.Module.compile`` with what they compile, and the kind of call.

    Methods are left out where the project has a method of its own named ``compile``.
    """
    candidates = [module for module in modules if _CALL.search(module.source)]
    own_method = any(_METHOD.search(module.source) for module in candidates)
    for module in candidates:
        nodes = ast_walk.walk(module.tree)
        decorators = {decorator for node in nodes for decorator in getattr(node, "decorator_list", ())}
        for node in nodes:
            if isinstance(node, ast.Call) and node not in decorators:
                found = _compiled(node)
                if found is not None and not (own_method and found[1] == "method"):
                    yield module, node, *found


def _compiled(node: ast.Call) -> tuple[ast.expr, EntryKind] | None:
    """Return what a call compiles, and the kind of call; None if it compiles nothing."""
    function = node.func
    if not isinstance(function, ast.Attribute) or function.attr != "compile" or _is_disabled(node):
        return None
    if isinstance(function.value, ast.Name) and function.value.id == "torch":
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
