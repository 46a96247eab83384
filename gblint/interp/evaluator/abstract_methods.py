"""Abstract methods, and the classes that implement them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gblint.interp.domain import reach
from gblint.interp.domain.access_paths import last_name
from gblint.interp.evaluator import alternatives, derived_classes
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import UNKNOWN, Value
from gblint.values.lattice import join_all
from gblint.values.objects import BoundMethod, Class, Function, Instance
from gblint.values.wrapped import Property

MAX_IMPLEMENTATIONS = 4


def is_missing(interp: Interpreter, function: Function, args: Args) -> bool:
    """Return whether a method without code is called on an object whose class does not implement it."""
    node, receiver = function.node, args.first
    if function.owner is None or not isinstance(receiver, Instance) or not isinstance(receiver.cls, Class):
        return False
    if isinstance(node, ast.Lambda) or all(last_name(each) != "abstractmethod" for each in node.decorator_list):
        return False
    if any(not isinstance(each, (ast.Expr, ast.Pass, ast.Raise)) for each in node.body):
        return False
    found = interp.class_attribute(receiver.cls, node.name)
    return isinstance(found, Function) and found.node is node


def is_abstract(method: Value) -> bool:
    """Return whether a method only raises, or does nothing."""
    if not isinstance(method, Function) or isinstance(method.node, ast.Lambda):
        return False
    body = [s for s in method.node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    return all(isinstance(s, (ast.Raise, ast.Pass)) for s in body)


def implemented(interp: Interpreter, function: Function, args: Args, frame: Frame, node: ast.AST) -> Value | None:
    """Return what the subclasses return in place of an abstract method of an object that may be of any of them.

    None for other methods, and where no subclass implements it.
    """
    if not frame.mode.tracing:
        return _implemented_eagerly(interp, function, args, frame, node)
    return _in_subclasses(interp, function, args, frame, node) if is_missing(interp, function, args) else None


def _in_subclasses(interp: Interpreter, function: Function, args: Args, frame: Frame, node: ast.AST) -> Value | None:
    """Call the methods of the subclasses that stand for an abstract method of an assumed object, in the region.

    Return None if there are none, or if the object is not assumed. If there are many, none is called.
    """
    receiver = args.first
    if not isinstance(receiver, Instance) or not receiver.from_defaults or not isinstance(receiver.cls, Class):
        return None
    if receiver is interp.compilation.assumed.receiver:
        return None
    name = function.name.rpartition(".")[2]
    found: list[BoundMethod] = []
    for cls, method in _implementations(interp, receiver.cls, name):
        if len(found) == MAX_IMPLEMENTATIONS:
            frame.give_up(node, f"`{function.name}` is abstract, and more than {len(found)} classes implement it")
            return UNKNOWN
        found.append(BoundMethod(method, interp.any_instance(cls)))
    return _call_each(interp, found, args.drop(1), frame, node) if found else None


def _call_each(interp: Interpreter, methods: list[BoundMethod], args: Args, frame: Frame, node: ast.AST) -> Value:
    """Call methods of which one is called; each is reached if its object is the one that is passed.

    The break of one class among many is unlikely in this call.
    """
    token, mode, path, results = interp.enter_branch(), frame.mode, frame.conditions.path, []
    frame.mode = mode.with_unlikely(len(methods) >= alternatives.MANY_FUNCTIONS)
    try:
        for method in methods:
            if len(methods) > 1:
                reach.into_object(frame, node, method.receiver)
            results.append(interp.call(method, args, frame, node))
            frame.conditions.path = path
    finally:
        interp.branch_id, frame.mode, frame.conditions.path = token, mode, path
    return join_all(results)


def _implemented_eagerly(
    interp: Interpreter, function: Function, args: Args, frame: Frame, node: ast.AST
) -> Value | None:
    receiver = args.first
    if function.owner is None or not isinstance(receiver, Instance) or not receiver.from_defaults:
        return None
    if receiver is interp.compilation.assumed.receiver or not isinstance(receiver.cls, Class):
        return None
    name = function.name.rpartition(".")[2]
    if not has_to_be_implemented(function) or _method(interp, receiver.cls, name) != function:
        return None
    results: list[Value] = []
    for cls, method in _implementations(interp, receiver.cls, name):
        if len(results) == MAX_IMPLEMENTATIONS:
            results.append(UNKNOWN)
            break
        results.append(interp.call(method, args.drop(1).prepend(interp.any_instance(cls)), frame, node))
    return join_all(results) if results else None


def _implementations(interp: Interpreter, cls: Class, name: str) -> Iterator[tuple[Class, Function]]:
    """Yield the subclasses with a method that is not abstract, and the method."""
    for each in derived_classes.subclasses(interp, cls):
        method = _method(interp, each, name)
        if method is not None and not is_abstract(method):
            yield each, method


def _method(interp: Interpreter, cls: Class, name: str) -> Function | None:
    """Return the method of a class, also one that computes a property."""
    found = interp.class_attribute(cls, name)
    found = found.function if isinstance(found, Property) else found
    return found if isinstance(found, Function) else None


def has_to_be_implemented(method: Function) -> bool:
    """Return whether a method only raises, or is decorated with ``abstractmethod`` and does nothing."""
    node = method.node
    if isinstance(node, ast.Lambda) or not is_abstract(method):
        return False
    return any(isinstance(each, ast.Raise) for each in node.body) or any(
        last_name(each) == "abstractmethod" for each in node.decorator_list
    )
