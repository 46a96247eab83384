"""Classes that stand behind a base class: the subclasses that the project defines."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gblint.interp.domain.access_paths import last_name
from gblint.interp.state.compilation import CompiledObject
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.base import Value
from gblint.values.objects import METHODLESS, BoundMethod, Class, Function, Instance, is_nn_module, is_nn_module_class
from gblint.values.wrapped import Wrapped

MAX_SUBCLASSES = 24
_BASES = METHODLESS | {"torch.nn.Module"}


def subclasses(interp: Interpreter, cls: Class) -> list[Class]:
    """Return classes at the top of the project's modules that inherit from ``cls``: MAX_SUBCLASSES + 1 at most."""
    found: list[Class] = []
    waiting = [cls]
    while waiting:
        # A loop: mypyc evaluates all of a generator expression, and each class may mean a file to parse.
        for each in _direct(interp, waiting.pop(0)):
            if each not in found:
                found.append(each)
                waiting.append(each)
                if len(found) > MAX_SUBCLASSES:
                    return found
    return found


def _direct(interp: Interpreter, cls: Class) -> Iterator[Class]:
    name = cls.name.rpartition(".")[2]
    for module in interp.project.user_modules():
        if not interp.project.mentions(module, (name,)):
            continue
        for symbol, bindings in module.symbols.items():
            node = bindings[-1].node
            if isinstance(node, ast.ClassDef) and any(_base_name(base) == name for base in node.bases):
                value = interp.module_attribute(module, symbol)
                if isinstance(value, Class) and value.node is node and cls in value.mro[1:]:
                    yield value


def _base_name(node: ast.expr) -> str:
    """Return the last part of the name of a base class, which may have type arguments."""
    return last_name(node.value if isinstance(node, ast.Subscript) else node)


def behind(interp: Interpreter, compiled: CompiledObject, target: Value) -> list[Value]:
    """Return the objects or methods of subclasses that replace an abstract compiled value.

    The list is empty if the value itself can be called, and if the project has no such subclass. If there are more than
    MAX_SUBCLASSES, ``compiled`` is marked as incomplete.
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
    if not isinstance(receiver.cls, Class) or receiver.cls.module.origin == "library":
        return []
    known = interp.class_attribute(receiver.cls, name)
    if known is not None and not is_abstract(known):
        return []
    if known is None and not receiver.from_defaults and not _BASES.issuperset(receiver.cls.externals):
        return []  # a base class without source may have it
    found: list[Value] = []
    classes = subclasses(interp, receiver.cls)
    compiled.incomplete |= len(classes) > MAX_SUBCLASSES
    for cls in _without_parts(interp, classes[:MAX_SUBCLASSES]):
        if isinstance(target, Instance):
            name = "forward" if is_nn_module_class(cls) else "__call__"
        method_of = interp.class_attribute(cls, name)
        if isinstance(method_of, (Function, Wrapped)) and not _lacks(interp, cls, name):
            instance = interp.any_instance(cls)
            found.append(BoundMethod(method_of, instance) if isinstance(target, BoundMethod) else instance)
    return found


def _without_parts(interp: Interpreter, classes: list[Class]) -> list[Class]:
    """Leave out the classes that the constructor of another one makes: such a part is compiled with its whole."""
    parts = {part for cls in classes for part in _made(interp, cls, classes) if cls not in part.mro}
    return [cls for cls in classes if cls not in parts] or classes


def _made(interp: Interpreter, cls: Class, wanted: list[Class]) -> Iterator[Class]:
    """Yield the classes among ``wanted`` that the constructor of ``cls`` calls by name."""
    names = {each.name for each in wanted if each is not cls}
    frame = interp.module_frame(cls.module)
    for function in cls.node.body:
        if not isinstance(function, ast.FunctionDef) or function.name != "__init__":
            continue
        for node in ast_walk.walk(function):
            if isinstance(node, ast.Call) and last_name(node.func) in names:
                value = interp.eval(node.func, frame)
                if isinstance(value, Class) and value in wanted and value is not cls:
                    yield value


def _lacks(interp: Interpreter, cls: Class, name: str) -> bool:
    method = interp.class_attribute(cls, name)
    return method is None or is_abstract(method)


def is_abstract(method: Value) -> bool:
    """Return whether a method only raises, or does nothing."""
    if not isinstance(method, Function) or isinstance(method.node, ast.Lambda):
        return False
    body = [s for s in method.node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    return all(isinstance(s, (ast.Raise, ast.Pass)) for s in body)
