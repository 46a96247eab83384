"""Classes registered with ``torch.utils._pytree``: valid arguments of a function that enters the graph untraced."""

from __future__ import annotations

import ast
import re

from gblint.interp.domain.dtypes import dtype_family
from gblint.interp.state.call_args import Args
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import NONE, Const, Value
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import Class, ExternalName, ExternalObject, Function, Instance, is_nn_module

_REGISTERS = re.compile(r"register_(constant|dataclass|pytree_node)$")


def leaves(value: Value, depth: int = 0) -> list[Value]:
    """Return the leaves of a tree of tuples, lists and dicts."""
    if isinstance(value, Seq) and depth < 5:
        items = value.items if value.items is not None else (value.rest,)
        return [leaf for item in items for leaf in leaves(item, depth + 1)]
    if isinstance(value, Mapping) and depth < 5:
        return [leaf for _, item in value.entries for leaf in leaves(item, depth + 1)]
    return [value]


def is_no_output(value: Value) -> bool:
    """Return whether a value is neither a tensor nor a number."""
    if isinstance(value, Const):
        return value == NONE or isinstance(value.value, str)
    if isinstance(value, Instance) and isinstance(value.cls, Class) and value.cls.inherits("torch.Tensor"):
        return False
    return isinstance(value, (Instance, ExternalObject, Function, Class)) and not _is_registered(value)


def _is_registered(value: Value) -> bool:
    return isinstance(value, Instance) and (not isinstance(value.cls, Class) or registration(value.cls) is not None)


def refused(interp: Interpreter, value: Value) -> str | None:
    """Return the cause for an argument that cannot be flattened into tensors and numbers; None for a valid one."""
    for leaf in leaves(value):
        if isinstance(leaf, Function) or (isinstance(leaf, ExternalName) and _is_callable(interp, leaf.name)):
            return "nonstrict-trace-input-type"
        if not isinstance(leaf, Instance) or not isinstance(leaf.cls, (Class, ExternalName)):
            continue
        if is_nn_module(leaf):
            if not leaf.pre_existing:
                return "leaf-function-module-without-source"
            continue
        if isinstance(leaf.cls, Class) and leaf.cls.complete and not leaf.cls.inherits("enum.Enum", "torch.Tensor"):
            cause = _of_class(interp, leaf, leaf.cls)
            if cause is not None:
                return cause
    return None


def _is_callable(interp: Interpreter, name: str) -> bool:
    """Return whether an external name is that of a function or class, and not of a dtype or an unknown object."""
    known = interp.knowledge.function(name) is not None or interp.knowledge.class_(name) is not None
    return known and dtype_family(name) is None


def _of_class(interp: Interpreter, leaf: Instance, cls: Class) -> str | None:
    found = registration(cls)
    if found is None:
        return None if cls.externals and set(cls.externals) != {"builtins.object"} else "nonstrict-trace-input-type"
    if found[0] == "constant":
        return None if leaf.pre_existing else "pytree-constant-constructed-in-region"
    context = context_of(interp, leaf, cls)
    for value in leaves(context) if context is not None else ():
        if isinstance(value, Instance) and isinstance(value.cls, Class) and registration(value.cls) is None:
            return "nonstrict-trace-pytree-flatten"
    return None


def context_of(interp: Interpreter, leaf: Instance, cls: Class) -> Value | None:
    """Return the context that flattening ``leaf`` returns, if its class is registered with one."""
    how, call = registration(cls) or ("", None)
    if how != "pytree_node" or call is None or len(call.args) < 2:
        return None
    frame = interp.module_frame(cls.module)
    flat = interp.call(interp.eval(call.args[1], frame), Args((leaf,)), frame, call)
    return flat.items[1] if isinstance(flat, Seq) and flat.items is not None and len(flat.items) == 2 else None


def registration(cls: Class) -> tuple[str, ast.Call] | None:
    """Return how the module that defines ``cls`` registers it, and the registering call."""
    for node in cls.module.tree.body:
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and node.value.args):
            continue
        function, first = node.value.func, node.value.args[0]
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        match = _REGISTERS.search(name)
        if match is not None and isinstance(first, ast.Name) and first.id == cls.name:
            return match[1], node.value
    for decorator in cls.node.decorator_list:
        name = decorator.attr if isinstance(decorator, ast.Attribute) else getattr(decorator, "id", "")
        match = _REGISTERS.search(name)
        if match is not None:
            return match[1], ast.Call(decorator, [], [])
    return None
