"""Classes that stand behind a base class: the subclasses that the project defines."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import Value
from gblint.values.objects import BoundMethod, Class, Function, Instance, is_nn_module, is_nn_module_class
from gblint.values.wrapped import Wrapped

MAX_SUBCLASSES = 24


def subclasses(interp: Interpreter, cls: Class) -> list[Class]:
    """Return up to MAX_SUBCLASSES classes at the top of the project's modules that inherit from ``cls``."""
    found: list[Class] = []
    waiting = [cls]
    while waiting and len(found) < MAX_SUBCLASSES:
        new = [each for each in _direct(interp, waiting.pop(0)) if each not in found]
        found += new
        waiting += new
    return found[:MAX_SUBCLASSES]


def _direct(interp: Interpreter, cls: Class) -> Iterator[Class]:
    name = cls.name.rpartition(".")[2]
    for module in interp.project.user_modules():
        if not interp.project.mentions(module, (name,)):
            continue
        for symbol, bindings in module.symbols.items():
            node = bindings[-1].node
            if isinstance(node, ast.ClassDef) and any(_last_name(base) == name for base in node.bases):
                value = interp.module_attribute(module, symbol)
                if isinstance(value, Class) and value.node is node and cls in value.mro[1:]:
                    yield value


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript):
        node = node.value
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def behind(interp: Interpreter, target: Value) -> list[Value]:
    """Return the objects or methods of subclasses for which a compiled value stands that is abstract itself.

    An empty list for a value that can be called as it is, and where the project has no such subclass.
    """
    if isinstance(target, BoundMethod):
        receiver, method = target.receiver, target.function
        if not isinstance(receiver, Instance) or not isinstance(method, Function) or not is_abstract(method):
            return []
        name = method.name.rpartition(".")[2]
    elif isinstance(target, Instance):
        receiver, name = target, "forward" if is_nn_module(target) else "__call__"
        if name in target.attrs:
            return []
    else:
        return []
    if not receiver.from_defaults or not isinstance(receiver.cls, Class) or receiver.cls.module.origin == "library":
        return []
    if not _lacks(interp, receiver.cls, name):
        return []
    found: list[Value] = []
    for cls in subclasses(interp, receiver.cls):
        if isinstance(target, Instance):
            name = "forward" if is_nn_module_class(cls) else "__call__"
        method_of = interp.class_attribute(cls, name)
        if isinstance(method_of, (Function, Wrapped)) and not _lacks(interp, cls, name):
            instance = interp.any_instance(cls)
            found.append(BoundMethod(method_of, instance) if isinstance(target, BoundMethod) else instance)
    return found


def _lacks(interp: Interpreter, cls: Class, name: str) -> bool:
    method = interp.class_attribute(cls, name)
    return method is None or is_abstract(method)


def is_abstract(method: Value) -> bool:
    """Return whether a method only raises, or does nothing."""
    if not isinstance(method, Function) or isinstance(method.node, ast.Lambda):
        return False
    body = [s for s in method.node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    return all(isinstance(s, (ast.Raise, ast.Pass)) for s in body)
