"""Late attributes: attributes that other methods fill after ``__init__`` and before the compiled method runs.

Examples are schedulers, solvers and accountants: ``__init__`` sets ``self.timesteps = None``, ``self.history = []`` or
``self.ready = False``, another method or an earlier call fills it, and then the compiled method is called.  It does not
see the attributes of a fresh object.
"""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.domain import class_fields
from gblint.interp.evaluator import input_values
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.runtime.ast_walk import is_name
from gblint.values.base import NONE, UNKNOWN, Const, Value, members, scalar_of
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import join
from gblint.values.objects import Class, Function, Instance, is_nn_module
from gblint.values.wrapped import Wrapped

# Bounds of what is run to fill an object: methods, and steps for each of them.
MAX_FILLING_METHODS = 6
MAX_STEPS_OF_METHOD = 20_000
_GROWING: Final = frozenset(("append", "appendleft", "extend", "insert", "add", "update", "setdefault"))


def in_use(interp: Interpreter, receiver: Value, method: Function) -> Value:
    """Return the object as a compiled method sees it: attributes that other methods fill may be filled.

    Modules are returned unchanged: they are mostly called in the state in which ``__init__`` leaves them.
    """
    if not isinstance(receiver, Instance) or not isinstance(receiver.cls, Class) or is_nn_module(receiver):
        return receiver
    empty = {name for name, value in receiver.attrs.items() if _is_unset(value) and not name.startswith("__")}
    fillers = {name: node for name, node in _methods(receiver.cls).items() if empty & _filled_by(node)}
    filled = empty & {name for node in fillers.values() for name in _filled_by(node)}
    # The method itself counts as an earlier call only for attributes that it reads before it stores them.  Example:
    # ``self.history.append(x)`` reads the list of the earlier call, ``self.out = x`` replaces it unread.
    own = next((name for name, node in fillers.items() if node is method.node), None)
    if own is not None and not any(_is_left(receiver.attrs[name], name, fillers[own]) for name in filled):
        del fillers[own]
        filled = empty & {name for node in fillers.values() for name in _filled_by(node)}
    if not filled:
        return receiver
    attrs = _after(interp, receiver, list(fillers)[:MAX_FILLING_METHODS])
    known = {name: _joined(receiver.attrs[name], attrs.get(name, NONE)) for name in filled}
    return _copy(receiver, {**receiver.attrs, **known})


def count(interp: Interpreter, receiver: Value | None, method: Function) -> None:
    """Forget the values of the numbers that a compiled method counts up: earlier calls have changed them."""
    if not isinstance(receiver, Instance) or not method.node.args.args:
        return
    own = method.node.args.args[0].arg
    for node in ast_walk.walk(method.node):
        if (
            isinstance(node, ast.AugAssign)
            and isinstance(node.target, ast.Attribute)
            and is_name(node.target.value, own)
        ):
            old = receiver.attrs.get(node.target.attr)
            if isinstance(old, Const) and type(old.value) in (int, float):
                interp.store_attribute(receiver, node.target.attr, scalar_of(old.value))


def _is_left(value: Value, name: str, method: ast.FunctionDef) -> bool:
    """Return whether a method finds in an attribute what an earlier call of it left there."""
    if isinstance(value, (Seq, Mapping)):
        return True
    own = method.args.args[0].arg
    places = [
        n for n in ast_walk.walk(method) if isinstance(n, ast.Attribute) and n.attr == name and is_name(n.value, own)
    ]
    stored = min((n.lineno for n in places if isinstance(n.ctx, ast.Store)), default=0)
    return any(isinstance(n.ctx, ast.Load) and n.lineno < stored for n in places)


def _is_unset(value: Value) -> bool:
    return _is_empty(value) or value == Const(False)


def _is_empty(value: Value) -> bool:
    if isinstance(value, Seq):
        return value.items == () and value.cls in ("list", "set", "deque")
    if isinstance(value, Mapping):
        return not value.entries and value.rest is None
    return value == NONE


def _joined(empty: Value, filled: Value) -> Value:
    """Return the value of an attribute that is empty or filled; what fills it may not be known."""
    if empty == Const(False) or any(not _is_empty(each) for each in members(filled)):
        return join(empty, filled)
    if isinstance(empty, Seq):
        return Seq(empty.cls, None, UNKNOWN)
    return Mapping((), UNKNOWN, UNKNOWN, empty.cls) if isinstance(empty, Mapping) else join(empty, UNKNOWN)


def _copy(receiver: Instance, attrs: dict[str, Value]) -> Instance:
    return Instance(
        receiver.cls,
        attrs,
        receiver.from_defaults,
        receiver.branch_id,
        partial=receiver.partial,
        pre_existing=receiver.pre_existing,
    )


def _after(interp: Interpreter, receiver: Instance, names: list[str]) -> dict[str, Value]:
    """Return the attributes of an object like ``receiver`` on which these methods may have been called, eagerly."""
    assert isinstance(receiver.cls, Class)
    used = _copy(receiver, dict(receiver.attrs))
    frame = class_fields.body_frame(receiver.cls)
    frame.class_body = None
    for name in names:
        method = interp.class_attribute(receiver.cls, name)
        function = method
        while isinstance(function, Wrapped):
            function = function.function
        if method is None or not isinstance(function, Function):
            continue
        interp.enter_branch()
        interp.budget.limit_search(min(MAX_STEPS_OF_METHOD, interp.budget.entry_limit))
        args = input_values.unknown_arguments(interp, function, receiver.cls, soft=True)
        interp.call(method, args.prepend(used), frame, function.node)
    interp.budget.end_methods()
    interp.calls.contexts = {}
    interp.enter_branch()
    return used.attrs


def _methods(cls: Class) -> dict[str, ast.FunctionDef]:
    """Return the methods of a class other than ``__init__`` by name, without those that are overridden."""
    found: dict[str, ast.FunctionDef] = {}
    for owner in cls.mro:
        for node in owner.node.body:
            if isinstance(node, ast.FunctionDef) and node.name != "__init__" and node.args.args:
                found.setdefault(node.name, node)
    return found


def _is_reset(value: ast.expr) -> bool:
    """Return whether a stored value is one that an attribute has before it is filled."""
    return isinstance(value, ast.Constant) and (value.value is None or value.value is False)


def _filled_by(function: ast.FunctionDef) -> set[str]:
    """Return the attributes of the receiver that a method stores, or to which it adds items."""
    own, found = function.args.args[0].arg, set()
    for node in ast_walk.walk(function):
        places: list[ast.expr] = []
        if isinstance(node, ast.Assign) and not _is_reset(node.value):
            places = [target.value if isinstance(target, ast.Subscript) else target for target in node.targets]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _GROWING:
            places = [node.func.value]
        found |= {each.attr for each in places if isinstance(each, ast.Attribute) and is_name(each.value, own)}
    return found
