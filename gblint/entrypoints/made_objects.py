"""The objects that the project makes of classes whose methods compile a part that the constructor is given."""

from __future__ import annotations

import ast
from collections.abc import Collection, Container

from gblint.entrypoints.call_names import compiled_attributes
from gblint.entrypoints.module_scan import call_eagerly, may_compile, undecided
from gblint.interp.evaluator import input_values
from gblint.interp.evaluator.derived_classes import subclasses
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.base import Value
from gblint.values.lattice import MAX_OBJECTS
from gblint.values.objects import Class, Function, Instance

MAX_CALLERS = 3
"""Methods of a class that are run for the calls in them."""


def run_open_methods(interp: Interpreter, *, complete: bool) -> None:
    """Run the methods that compile parts of an assumed object for the objects that the project makes of the class.

    ``complete`` is false if not all objects that the project makes were looked for.
    """
    for cls, methods in list(interp.compilation.open_methods.by_class.items()):
        objects = constructed(interp, {cls})
        made: list[Value] = [*objects]
        known = {each.cls for each in objects}
        # The constructor of a subclass may say what it passes on.
        made += [
            interp.any_instance(each) for each in subclasses(interp, cls) if _has_own_init(each) and each not in known
        ]
        callers = _callers(interp, cls, set(methods)) if made else []
        for method in methods.values():
            for receiver in made[:MAX_OBJECTS]:
                _call_with_any(interp, method, cls, receiver)
                for caller in callers:
                    _call_with_any(interp, caller, cls, receiver)
            if len(made) > MAX_OBJECTS or not complete:
                _note_left_out(interp, method.node)


def _call_with_any(interp: Interpreter, method: Function, cls: Class, receiver: Value) -> None:
    args = undecided(input_values.unknown_arguments(interp, method, cls, soft=True))
    call_eagerly(interp, method, args, receiver)


def _callers(interp: Interpreter, cls: Class, done: Container[ast.AST]) -> list[Function]:
    """Return the methods that call what a method has compiled for an object; their calls tell the arguments."""
    words = compiled_attributes(interp, cls.module)
    nodes = [each for each in cls.node.body if isinstance(each, ast.FunctionDef) and may_compile(each, words)]
    nodes = [each for each in nodes if each not in done and each.name != "__init__"]
    found = [interp.class_attribute(cls, each.name) for each in nodes[:MAX_CALLERS]]
    return [each for each in found if isinstance(each, Function)]


def _has_own_init(cls: Class) -> bool:
    return any(isinstance(each, ast.FunctionDef) and each.name == "__init__" for each in cls.node.body)


def constructed(interp: Interpreter, classes: Collection[Class]) -> list[Instance]:
    """Return the objects of some classes and their subclasses that calls have made, outside of any region."""
    known = interp.caches.instances.items()
    made = [value for key, value in known if isinstance(key, tuple) and key[0] == "new"]
    return [each for each in made if isinstance(each.cls, Class) and any(owner in classes for owner in each.cls.mro)]


def _note_left_out(interp: Interpreter, node: ast.AST) -> None:
    """Note that more objects are compiled inside ``node`` than are followed."""
    inside, state = set(ast_walk.walk(node)), interp.compilation
    state.left_out |= {(each.module, each.node.lineno) for each in state.objects if each.node in inside}  # type: ignore[attr-defined]
