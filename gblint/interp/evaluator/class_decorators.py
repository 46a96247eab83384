"""Decorators with source that store attributes of the class under them, as ``cls.table = {...}`` does."""

from __future__ import annotations

import ast

from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.objects import Class, Function


def apply(interp: Interpreter, node: ast.ClassDef, cls: Class, frame: Frame) -> None:
    """Run the decorators of a class at the top of a module of the project for what they store in it."""
    if frame.module.origin != "user" or frame.function is not None or frame.class_body is not None:
        return
    for decorator in reversed(node.decorator_list):
        target = interp.eval(decorator.func if isinstance(decorator, ast.Call) else decorator, frame)
        if not isinstance(target, Function) or target.module.origin != "user" or not _adds(interp, target, cls):
            continue
        call = interp.budget.begin_for_effects()
        try:
            function = interp.eval(decorator, frame)
            if isinstance(function, Function):
                interp.call(function, Args((cls,)), frame, decorator)
        finally:
            interp.budget.end(call)


def _adds(interp: Interpreter, function: Function, cls: Class) -> bool:
    """Return whether a function, or one inside it, stores attributes of a variable, none of which ``cls`` has.

    Methods that a decorator replaces are told by their conditions (``replaced_methods``).
    """
    stored: set[str] = set()
    by_name = False
    for node in ast_walk.walk(function.node):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
            stored.add(node.attr)
        by_name |= isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr"
    return (by_name or bool(stored)) and all(interp.class_attribute(cls, name) is None for name in stored)
