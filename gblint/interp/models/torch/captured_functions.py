"""Functions captured by a higher-order operator: Dynamo forbids them to change objects outside of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from gblint.interp.state.captured_function import CapturedFunction
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import Const, Scalar, Tensor, Value
from gblint.values.objects import BoundMethod, Function, Instance, Partial, Scope, next_uid
from gblint.values.wrapped import Wrapped

_IN_PLACE_OF_FLAGS = ("requires_grad_", "detach_", "share_memory_")
CAPTURED: Final = 0
"""The key of the tensors that a body finds around it: buffers, parameters, inputs."""
_CHANGES: Final = frozenset(
    "append extend insert pop popitem remove clear add discard update setdefault sort reverse".split()
)


@contextmanager
def captured(
    interp: Interpreter, function: Value, frame: Frame, *, whole: bool, effects: bool = False
) -> Iterator[CapturedFunction]:
    """Run ``function`` as the body of an operator; a ``whole`` body must be captured without breaks.

    effects: the body may change outer objects.
    """
    mode, token, outer = frame.mode, interp.enter_branch(), interp.capture.function
    scopes = _scopes(function)
    objects = frozenset(o.uid for o in _objects(function, scopes))
    body = interp.capture.function = CapturedFunction(interp.branch_id, next_uid(), frozenset(map(id, scopes)), objects)
    frame.mode = replace(
        mode,
        in_higher_order_op=mode.tracing and (whole or mode.in_higher_order_op),
        forbids_side_effects=mode.tracing and not effects,
    )
    try:
        yield body
    finally:
        frame.mode, interp.branch_id, interp.capture.function = mode, token, outer


def _scopes(function: Value) -> list[Scope]:
    """Return the scopes over which ``function`` closes."""
    while isinstance(function, (BoundMethod, Partial, Wrapped)):
        function = function.function
    found: list[Scope] = []
    scope: Scope | None = function.scope if isinstance(function, Function) else None
    while scope is not None:
        found.append(scope)
        scope = scope.parent
    return found


def _objects(function: Value, scopes: list[Scope]) -> Iterator[Instance]:
    while isinstance(function, (BoundMethod, Partial, Wrapped)):
        if isinstance(function, BoundMethod) and isinstance(function.receiver, Instance):
            yield function.receiver
        function = function.function
    for scope in scopes:
        yield from (value for value in scope.cells.values() if isinstance(value, Instance))


def restored(body: CapturedFunction) -> bool:
    """Return whether the body restores the attributes that it sets, as far as their values are known."""
    known = [(a, b) for a, b in body.changed.values() if isinstance(a, Const) and isinstance(b, Const)]
    return all(before == after for before, after in known)


def write_name(interp: Interpreter, scope: Scope | None, name: str, frame: Frame, node: ast.AST) -> None:
    """Report an assignment to a ``nonlocal`` or ``global`` name; ``scope`` is where to look, None for a global."""
    body = interp.capture.function
    if body is None or not frame.mode.forbids_side_effects:
        return
    interp.capture.changes += 1
    while scope is not None and name not in scope.cells:
        scope = scope.parent
    if scope is None or id(scope) in body.scopes:
        _report(interp, frame, node)


def change(interp: Interpreter, target: ast.expr, frame: Frame, node: ast.AST, method: str = "append") -> None:
    """Report an in-place change of the container in ``target``."""
    body = interp.capture.function
    if body is None or not frame.mode.forbids_side_effects or method not in _CHANGES:
        return
    while isinstance(target, ast.Subscript):
        target = target.value
    interp.capture.changes += not (isinstance(target, ast.Name) and target.id in frame.variables)
    if _is_outside(interp, body, target, frame):
        _report(interp, frame, node)


def _is_outside(interp: Interpreter, body: CapturedFunction, target: ast.expr, frame: Frame) -> bool:
    """Return whether the container in ``target`` existed before the body ran."""
    if isinstance(target, ast.Attribute):
        owner = interp.eval(target.value, frame)
        if not isinstance(owner, Instance) or (owner.uid, target.attr) in body.changed:
            return False
        return is_older(owner, body) or (not owner.pre_existing and owner.uid < body.first_uid)
    if not isinstance(target, ast.Name) or target.id in frame.variables:
        return False
    scope = frame.scope.parent
    while scope is not None and target.id not in scope.cells:
        scope = scope.parent
    return id(scope) in body.scopes if scope is not None else target.id in frame.module.symbols


def is_older(instance: Instance, body: CapturedFunction) -> bool:
    """Return whether an object existed before the region.

    An object of unknown origin counts only if the body finds it in its closure; one made in the region may come from an
    earlier run of the body.
    """
    known = not instance.from_defaults or instance.uid in body.objects
    return known and instance.pre_existing and instance.branch_id < body.token


def _is_made_around(instance: Instance, body: CapturedFunction) -> bool:
    """Return whether an object was made in the region, and the body finds it in its closure."""
    return not instance.pre_existing and instance.uid in body.objects


def set_attribute(
    interp: Interpreter, instance: Instance, name: str, value: Value, frame: Frame, node: ast.AST
) -> None:
    """Check ``instance.name = value``.

    A constant may be set on an object from before the region if it is restored before the body ends.
    ``SideEffects.store_attr`` in torch/_dynamo/side_effects.py; it reads the old value, which must exist.
    """
    body = interp.capture.function
    if body is None or not frame.mode.forbids_side_effects:
        return
    interp.capture.changes += instance.pre_existing or instance.uid in body.objects
    if _is_made_around(instance, body):
        _report(interp, frame, node)
        return
    if not is_older(instance, body):
        return
    old = instance.attrs.get(name)
    place = (instance.uid, name)
    if isinstance(value, Tensor):
        _report(interp, frame, node)
    elif place in body.changed:
        body.changed[place] = (body.changed[place][0], value)
    elif isinstance(value, (Const, Scalar)) and isinstance(old, (Const, Scalar)):
        body.changed[place] = (old, value)
    elif isinstance(value, (Const, Scalar)) and interp.has_attribute(instance, name) is False:
        interp.emit(frame, node, "higher-order", "side-effect", ("observed-exception",))


def delete_attribute(interp: Interpreter, instance: Instance, frame: Frame, node: ast.AST) -> None:
    """Check ``del instance.name``."""
    body = interp.capture.function
    if body is not None and frame.mode.forbids_side_effects:
        interp.capture.changes += instance.pre_existing or instance.uid in body.objects
        if _is_made_around(instance, body) or is_older(instance, body):
            _report(interp, frame, node)


def write_tensor(interp: Interpreter, tensor: Value, frame: Frame, method: str = "") -> None:
    """Note an in-place change of a tensor, by an operator or by ``method``."""
    if isinstance(tensor, Tensor) and (tensor.operand_id or tensor.is_input) and frame.mode.forbids_side_effects:
        if not method or (method.endswith("_") and not method.startswith("_") and method not in _IN_PLACE_OF_FLAGS):
            interp.capture.written.add(tensor.operand_id or CAPTURED)
            interp.capture.changes += 1


def _report(interp: Interpreter, frame: Frame, node: ast.AST) -> None:
    if interp.capture.function is not None:
        interp.capture.function.reported = True
    interp.emit(frame, node, "higher-order", "side-effect", ("hop-unsafe-side-effect",))
