"""Decorators with source that store attributes of the class under them, or derive another class from it."""

from __future__ import annotations

import ast

from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.objects import Class, Function


def apply(interp: Interpreter, node: ast.ClassDef, cls: Class, frame: Frame) -> Class:
    """Run the decorators of a class at the top of a module of the project; return the class, or what is derived."""
    if frame.module.origin != "user" or frame.function is not None or frame.class_body is not None:
        return cls
    for decorator in reversed(node.decorator_list):
        target = interp.eval(decorator.func if isinstance(decorator, ast.Call) else decorator, frame)
        if not isinstance(target, Function) or target.module.origin != "user":
            continue
        if not _adds(interp, target, cls) and not _derives(target):
            continue
        call = interp.budget.begin_for_effects()
        try:
            function = interp.eval(decorator, frame)
            made = interp.call(function, Args((cls,)), frame, decorator) if isinstance(function, Function) else cls
        finally:
            interp.budget.end(call)
        if isinstance(made, Class) and cls in made.mro:
            cls = made
    return cls


def _derives(function: Function) -> bool:
    """Return whether a function, or one inside it, defines a class with a variable as base."""
    found = [node for node in ast_walk.walk(function.node) if isinstance(node, ast.ClassDef)]
    parameters = {node.arg for node in ast_walk.walk(function.node) if isinstance(node, ast.arg)}
    return any(isinstance(base, ast.Name) and base.id in parameters for node in found for base in node.bases)


def _adds(interp: Interpreter, function: Function, cls: Class) -> bool:
    """Return whether a function, or one inside it, stores attributes of a variable.

    They are none that ``cls`` has, or methods around those of ``cls``.  Methods that are only passed on are told by
    their conditions (``replaced_methods``).
    """
    stored: set[str] = set()
    by_name = False
    for node in ast_walk.walk(function.node):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
            stored.add(node.attr)
        by_name |= isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr"
    if not by_name and not stored:
        return False
    return all(interp.class_attribute(cls, name) is None or _calls_original(function, name) for name in stored)


def _calls_original(function: Function, name: str) -> bool:
    """Return whether a decorator keeps the method ``name`` of the class in a variable and calls it."""
    nodes = list(ast_walk.walk(function.node))
    kept = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute) and node.value.attr == name
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in kept for node in nodes
    )
