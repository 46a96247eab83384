"""Undefined names: Python raises ``NameError``, and Dynamo breaks if it is caught.

Dynamo also breaks where a global variable is read that the region has just made.
"""

from __future__ import annotations

import ast

from gblint.interp.domain.builtin_names import BUILTINS
from gblint.interp.models.python import type_tests, uncaught
from gblint.interp.models.torch import torch_functions
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.project.notebook import INVALID
from gblint.project.symbols import bound_anywhere
from gblint.runtime import ast_walk
from gblint.values.objects import ExternalName

# Names that notebooks and gettext add to the builtins.
_INJECTED = frozenset(("_", "display", "get_ipython", "ngettext"))
# Code that may bind any name; so may a cell of a notebook that is left out.
_DYNAMIC = ("globals()", "exec(", "sys.modules", "import *", "builtins", "vars()", INVALID)


def check_stored(interp: Interpreter, node: ast.Name, frame: Frame) -> None:
    """Report a global variable that the running function has stored, and that no other code makes."""
    if frame.mode.tracing and frame.names.outer_names.get(node.id, frame.scope) is None and _is_new(node.id, frame):
        interp.emit(frame, node, "name", "new-global", ("name-not-in-frame-builtins",), likely=True)


def _is_new(name: str, frame: Frame) -> bool:
    """Return whether only the running function makes a global variable, with a plain assignment."""
    function = frame.function
    if function is None or name in frame.module.symbols or any(map(frame.module.contains, _DYNAMIC)):
        return False
    declared = [n for n in ast_walk.walk(frame.module.tree) if isinstance(n, ast.Global) and name in n.names]
    stores = [n for n in ast_walk.walk(function.node) if isinstance(n, ast.Assign)]
    return len(declared) == 1 and any(isinstance(t, ast.Name) and t.id == name for n in stores for t in n.targets)


def _bound_in(interp: Interpreter, function: ast.AST) -> frozenset[str]:
    """Return the names that are bound in a function, in any scope."""
    known = interp.caches.syntax.bound_names.get(function)
    if known is None:
        known = interp.caches.syntax.bound_names[function] = bound_anywhere(function)
    return known


def check(interp: Interpreter, node: ast.Name, frame: Frame) -> None:
    """Report ``node`` if its name is bound nowhere in its file."""
    name = node.id
    if not frame.mode.tracing or frame.function is None or name in BUILTINS or name in _INJECTED:
        return
    if name.startswith("__") or frame.module.star_imports:
        return
    # Mostly the name is bound nearby on another path, so that the rest of the file need not be parsed.
    if name in frame.module.symbols or name in _bound_in(interp, frame.function.node):
        return
    if name in frame.module.bound_anywhere:
        return
    if not any(map(frame.module.contains, _DYNAMIC)):
        torch_functions.wrong(interp, frame, node, "name", "undefined", "name-not-in-frame-builtins")


def check_module_attribute(interp: Interpreter, module: str, name: str, frame: Frame, node: ast.AST) -> None:
    """Report an attribute that a module of torch lacks."""
    full = f"{module}.{name}"
    if not frame.mode.tracing or not module.startswith("torch.") or not uncaught.leaves(frame):
        return
    if name.endswith("Tensor"):
        return  # a type that torch adds in C
    source = None if interp.knowledge.function(full) is not None else interp.project.find_module(module)
    if source is None or any(map(source.contains, _DYNAMIC)) or source.contains("setattr"):
        return
    if any(each.sets_attribute(name) for each in interp.project.user_modules()):
        return
    if type_tests.has_attribute(interp, ExternalName(module), name) is False:
        uncaught.report(interp, frame, node, "attribute", "observed-exception")
