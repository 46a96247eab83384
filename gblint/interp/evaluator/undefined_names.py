"""Undefined names: Python raises ``NameError``, and Dynamo breaks if it is caught."""

from __future__ import annotations

import ast

from gblint.interp.domain.builtin_names import BUILTINS
from gblint.interp.models.torch import torch_functions
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.project.symbols import bound_anywhere

# Names that notebooks and gettext add to the builtins.
_INJECTED = frozenset(("_", "display", "get_ipython", "ngettext"))
_DYNAMIC = ("globals()", "exec(", "sys.modules", "import *", "builtins", "vars()")


def check(interp: Interpreter, node: ast.Name, frame: Frame) -> None:
    """Report ``node`` if its name is bound nowhere in its file."""
    name = node.id
    if not frame.mode.tracing or frame.function is None or name in BUILTINS or name in _INJECTED:
        return
    if name.startswith("__") or frame.module.star_imports:
        return
    # Mostly the name is bound nearby on another path, so that the rest of the file need not be parsed.
    if name in frame.module.symbols or name in bound_anywhere(frame.function.node):
        return
    if name in frame.module.bound_anywhere:
        return
    if not any(map(frame.module.contains, _DYNAMIC)):
        torch_functions.wrong(interp, frame, node, "name", "undefined", "name-not-in-frame-builtins")
