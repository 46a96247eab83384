"""Names that nothing binds: Python raises ``NameError``, and Dynamo gives up where it is to be caught."""

from __future__ import annotations

import ast

from gblint import nodes
from gblint.interp import torch_calls
from gblint.interp.frames import Frame
from gblint.interp.machine import Machine
from gblint.interp.names import BUILTINS
from gblint.project.modules import Module

# What notebooks and gettext put among the builtins.
_INJECTED = frozenset(("_", "display", "get_ipython", "ngettext"))
_DYNAMIC = ("globals()", "exec(", "sys.modules", "import *", "builtins", "vars()")


def check(m: Machine, node: ast.Name, frame: Frame) -> None:
    """Reports ``node`` if its name is bound nowhere in its file."""
    name = node.id
    if not frame.mode.tracing or frame.function is None or name in BUILTINS or name in _INJECTED:
        return
    if name.startswith("__") or frame.module.star_imports or name in _bound(m, frame.module):
        return
    if not any(text in frame.module.source for text in _DYNAMIC):
        torch_calls.wrong(m, frame, node, "name", "undefined", "GB0354")


def _bound(m: Machine, module: Module) -> frozenset[str]:
    """Every name that is bound anywhere in a file, whatever the scope."""
    place = str(module.path)
    found = m.bound_names.get(place)
    if found is None:
        found = m.bound_names[place] = frozenset(name for node in nodes.walk(module.tree) for name in _binds(node))
    return found


def _binds(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Name):
        return [] if isinstance(node.ctx, ast.Load) else [node.id]
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, ast.alias):
        return [node.asname or node.name.partition(".")[0]]
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return node.names
    if isinstance(node, ast.ExceptHandler):
        return [node.name] if node.name else []
    if isinstance(node, (ast.MatchAs, ast.MatchStar)):
        return [node.name] if node.name else []
    if isinstance(node, ast.MatchMapping):
        return [node.rest] if node.rest else []
    # Type parameters, of Python 3.12.
    return [node.name] if type(node).__name__ in ("TypeVar", "ParamSpec", "TypeVarTuple") else []  # type: ignore[attr-defined]
