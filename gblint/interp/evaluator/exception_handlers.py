"""The handlers of a ``try`` statement that some exception in its body may reach."""

from __future__ import annotations

import ast

from gblint.interp.domain.access_paths import last_name
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.base import UNKNOWN, Const, members
from gblint.values.objects import ExternalName

_NAMES = (ast.Name, ast.Attribute)
_PACKAGES = frozenset(("importlib", "importlib_metadata", "metadata"))
_OF_IMPORTS = frozenset(("ImportError", "ModuleNotFoundError"))
_OF_METADATA = _OF_IMPORTS | {"PackageNotFoundError"}


def reachable(
    interp: Interpreter, handlers: list[ast.ExceptHandler], body: list[ast.stmt], frame: Frame
) -> list[ast.ExceptHandler]:
    """Return the handlers that may run after ``body``; ``frame`` is in the state at the end of the body."""
    if isinstance(body[-1], ast.Return) and all(_is_harmless(interp, node, frame) for node in body):
        return []
    imports, metadata = _imports_succeed(interp, body), _finds_version(body, frame)
    impossible = (_OF_IMPORTS if imports else frozenset[str]()) | (_OF_METADATA if metadata else frozenset())
    return [handler for handler in handlers if not _is_for(handler, impossible)]


def before_missing_import(interp: Interpreter, node: ast.Try, frame: Frame) -> list[ast.stmt]:
    """Return the statements of the body of a ``try`` that run: those before an import that raises ImportError.

    Only the packages that a library imports are known to be missing; those of the project may be installed elsewhere.
    """
    if frame.module.origin == "user" or not any(map(_catches_import_errors, node.handlers)):
        return node.body
    for number, each in enumerate(node.body):
        if not all(map(interp.import_exists, _imported(each))):
            return node.body[:number]
    return node.body


def _imported(node: ast.stmt) -> list[str]:
    """Return the modules that a statement imports by an absolute name."""
    if isinstance(node, ast.ImportFrom):
        return [node.module] if node.module and not node.level else []
    return [a.name for a in node.names] if isinstance(node, ast.Import) else []


def _catches_import_errors(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or _is_for(handler, _OF_IMPORTS | {"Exception", "BaseException"})


def _is_for(handler: ast.ExceptHandler, classes: frozenset[str]) -> bool:
    """Return whether a handler catches one of the exception classes, and at most one other."""
    parts = ast_walk.walk(handler.type) if handler.type is not None else []
    names = {each.attr if isinstance(each, ast.Attribute) else each.id for each in parts if isinstance(each, _NAMES)}
    return not names.isdisjoint(classes) and len(names - _PACKAGES) <= 2


def _imports_succeed(interp: Interpreter, body: list[ast.stmt]) -> bool:
    """Return whether a body imports something, and all modules that it imports exist."""
    modules = [name for each in body for name in _imported(each)]
    return bool(modules) and all(map(interp.import_exists, modules))


def _finds_version(body: list[ast.stmt], frame: Frame) -> bool:
    """Return whether a body is ``name = importlib.metadata.version(package)`` of an installed package."""
    node = body[0]
    if len(body) > 1 or not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
        return False
    target = node.targets[0]
    if last_name(node.value.func) != "version" or not isinstance(target, ast.Name):
        return False
    return all(isinstance(each, Const) for each in members(frame.variables.get(target.id, UNKNOWN)))


def _is_harmless(interp: Interpreter, node: ast.stmt, frame: Frame) -> bool:
    """Return whether a statement imports an existing module, tests what is known, or returns what is known."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return _imports_succeed(interp, [node])
    if isinstance(node, ast.If) and _only_asks_for_attributes(node.test):
        decided = interp.truth(interp.eval(node.test, frame))
        body = node.body if decided else node.orelse
        return decided is not None and all(_is_harmless(interp, each, frame) for each in body)
    return isinstance(node, ast.Return) and (isinstance(frame.result, Const) or _asks_torch(interp, node, frame))


def _asks_torch(interp: Interpreter, node: ast.Return, frame: Frame) -> bool:
    """Return whether a statement is ``return torch.compiler.is_compiling()`` or the like, whose result is known."""
    call = node.value
    if not isinstance(call, ast.Call) or call.args or call.keywords:
        return False
    return isinstance(interp.eval(call.func, frame), ExternalName) and isinstance(interp.eval(call, frame), Const)


def _only_asks_for_attributes(test: ast.expr) -> bool:
    """Return whether a condition has no call but that of ``hasattr``."""
    calls = [each.func for each in ast_walk.walk(test) if isinstance(each, ast.Call)]
    return all(isinstance(each, ast.Name) and each.id == "hasattr" for each in calls)
