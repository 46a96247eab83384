"""Classes that stand behind a base class: the subclasses that the project defines."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gblint.interp.domain.access_paths import last_name
from gblint.interp.evaluator.abstract_methods import has_to_be_implemented, is_abstract
from gblint.interp.evaluator.classes import own_attribute
from gblint.interp.evaluator.derived_classes import MAX_SUBCLASSES, subclasses
from gblint.interp.state.compilation import CompiledObject
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.runtime.ast_walk import is_name
from gblint.values.base import Value
from gblint.values.objects import METHODLESS, BoundMethod, Class, Function, Instance, is_nn_module, is_nn_module_class
from gblint.values.wrapped import Wrapped

MAX_OVERRIDING = 4
"""Subclasses that override what a compiled method calls on its object."""
_BASES = METHODLESS | {"torch.nn.Module"}


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
        if interp.compilation.is_spared(compiled, cls):
            continue
        if isinstance(method_of, (Function, Wrapped)) and not _lacks(interp, cls, name):
            instance = interp.any_instance(cls)
            found.append(BoundMethod(method_of, instance) if isinstance(target, BoundMethod) else instance)
    return found


def implements_method(interp: Interpreter, cls: Class) -> bool:
    """Return whether a class implements a method that one of its base classes in the project leaves open."""
    for node in cls.node.body:
        if isinstance(node, ast.FunctionDef):
            inherited = (own_attribute(interp, base, node.name) for base in cls.mro[1:] if base.module.origin == "user")
            method = next((each for each in inherited if each is not None), None)
            if isinstance(method, Function) and has_to_be_implemented(method):
                return True
    return False


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


def with_overrides(interp: Interpreter, compiled: CompiledObject, target: Value) -> list[Value]:
    """Return ``target``, and the same method of subclasses that override a method which it calls on its object.

    The list has one subclass for each combination of such methods.  The target itself is left out if one of these
    methods is abstract in its class.  An object that the source makes has a known class, and no subclass.
    """
    function, cls = _method_of_any(interp, target)
    if function is None or cls is None or cls.module.origin == "library":
        return [target]
    called = _called_on_self(interp, cls, function)
    others = _overriding(interp, cls, function, called)
    if len(others) > MAX_OVERRIDING:
        compiled.incomplete = True
    made = [_on_object_of(interp, target, other) for other in others[:MAX_OVERRIDING]]
    needs_subclass = any(_lacks(interp, cls, name) for name in called)
    return made if made and needs_subclass else [target, *made]


def _overriding(interp: Interpreter, cls: Class, function: Function, called: list[str]) -> list[Class]:
    """Return one subclass for each combination of the methods that a method calls on its object.

    These are the subclasses that have all methods which ``cls`` calls, and those that lack fewest of all that they
    call: a method may be needed with an option only. The most complete ones are first.
    """
    found: dict[tuple[tuple[str, int], ...], tuple[int, bool, Class]] = {}
    for other in subclasses(interp, cls) if called else ():
        if interp.class_attribute(other, function.name.rpartition(".")[2]) != _as_written(interp, cls, function):
            continue
        names = _called_on_self(interp, other, function)
        lacking = sum([_lacks(interp, other, name) for name in names])
        missing = [name for name in called if _lacks(interp, other, name)]
        found.setdefault(_methods(interp, other, names), (lacking, not missing, other))
    found.pop(_methods(interp, cls, called), None)
    fewest = min([lacking for lacking, _, _ in found.values()], default=0)
    kept = [each for each in found.values() if each[0] == fewest or each[1]]
    # A class between the base and others with more methods is not meant to have objects.
    between = [each for each in kept if any(each[2] in more.mro[1:] and less < each[0] for less, _, more in kept)]
    kept = [each for each in kept if each not in between]
    return [other for _, _, other in sorted(kept, key=lambda each: each[0])]


def _methods(interp: Interpreter, cls: Class, names: list[str]) -> tuple[tuple[str, int], ...]:
    return tuple([(name, id(interp.class_attribute(cls, name))) for name in sorted(names)])


def _method_of_any(interp: Interpreter, target: Value) -> tuple[Function | None, Class | None]:
    """Return the method and the class of a target that stands for any object of its class."""
    if isinstance(target, Function) and target.owner is not None:
        return target, target.owner
    receiver = target.receiver if isinstance(target, BoundMethod) else target
    if not isinstance(receiver, Instance) or not receiver.from_defaults or not isinstance(receiver.cls, Class):
        return None, None
    method: Value | None = target.function if isinstance(target, BoundMethod) else None
    if method is None and is_nn_module(receiver) and "forward" not in receiver.attrs:
        method = interp.class_attribute(receiver.cls, "forward")
    return (method, receiver.cls) if isinstance(method, Function) else (None, None)


def _as_written(interp: Interpreter, cls: Class, function: Function) -> Value | None:
    return interp.class_attribute(cls, function.name.rpartition(".")[2])


def _called_on_self(interp: Interpreter, cls: Class, function: Function) -> list[str]:
    """Return the names of the methods that a method calls on its object, also through other methods of ``cls``."""
    names: dict[str, None] = {}
    pending = [function]
    while pending:
        method = pending.pop()
        parameters = method.node.args.args
        for node in ast_walk.walk(method.node) if parameters else ():
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            name = node.func.attr
            if name not in names and is_name(node.func.value, parameters[0].arg):
                found = interp.class_attribute(cls, name)
                if isinstance(found, Function):
                    names[name] = None
                    pending.append(found)
    return list(names)


def _on_object_of(interp: Interpreter, target: Value, cls: Class) -> Value:
    """Return the target with an object of a subclass."""
    instance = interp.any_instance(cls)
    if isinstance(target, BoundMethod):
        return BoundMethod(target.function, instance)
    return BoundMethod(target, instance) if isinstance(target, Function) else instance
