"""Attributes and variables whose annotation tells the object that their value does not tell.

``__init__`` declares attributes and leaves them empty, ``self.encoder: Encoder = None``: other code fills them.
``encoder: Encoder = get_class(config.name)()`` makes an object of a class that only the annotation names.
"""

from __future__ import annotations

import ast
from weakref import WeakKeyDictionary

from gblint.interp.domain import class_fields, reach
from gblint.interp.evaluator import input_values
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.runtime.ast_walk import is_name
from gblint.values.base import NONE, Unknown, Value, members
from gblint.values.lattice import join, join_all
from gblint.values.objects import Class, Instance

# The annotations in the constructor of a class, by attribute.
_DECLARED: WeakKeyDictionary[ast.ClassDef, dict[str, ast.expr]] = WeakKeyDictionary()


def declared(interp: Interpreter, cls: Class, name: str) -> Value | None:
    """Return the objects that the annotation of an attribute in ``__init__`` admits; None without such objects."""
    for owner in cls.mro:
        annotation = _annotations(owner.node).get(name)
        if annotation is not None:
            return _admitted(interp, annotation, class_fields.body_frame(owner))
    return None


def or_declared(interp: Interpreter, value: Value, annotation: ast.expr, frame: Frame) -> Value:
    """Return ``value``; if it is unknown, the objects that the annotation of its variable admits.

    Only classes with source count, and only outside of regions.
    """
    if frame.mode.tracing or not isinstance(value, Unknown):
        return value
    return _admitted(interp, annotation, frame) or value


def _admitted(interp: Interpreter, annotation: ast.expr, frame: Frame) -> Value | None:
    value = input_values.value_of(interp, annotation, frame)
    found = [each for each in members(value) if isinstance(each, Instance) and isinstance(each.cls, Class)]
    return join_all(found) if found else None


def unset(interp: Interpreter, target: ast.expr, frame: Frame) -> Value:
    """Return the value of ``self.encoder: Encoder = None``: None, and usually the declared object."""
    receiver = interp.eval(target.value, frame) if isinstance(target, ast.Attribute) else NONE
    if not isinstance(target, ast.Attribute) or not isinstance(receiver, Instance):
        return NONE
    found = declared(interp, receiver.cls, target.attr) if isinstance(receiver.cls, Class) else None
    return NONE if found is None else reach.expected(join(NONE, found), found)


def _annotations(cls: ast.ClassDef) -> dict[str, ast.expr]:
    """Return the annotations in the constructor of a class, by attribute."""
    known = _DECLARED.get(cls)
    if known is None:
        known = _DECLARED[cls] = {}
        for function in cls.body:
            if isinstance(function, ast.FunctionDef) and function.name == "__init__" and function.args.args:
                own = function.args.args[0].arg
                for node in ast_walk.walk(function):
                    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Attribute):
                        if is_name(node.target.value, own):
                            known[node.target.attr] = node.annotation
    return known
