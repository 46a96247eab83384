"""Late attributes: attributes that other methods set after ``__init__`` and before the compiled method runs.

Examples are schedulers and solvers: ``__init__`` sets ``self.timesteps = None``, another method fills it, and then the
compiled method is called.  It does not see the attributes of a fresh object.
"""

from __future__ import annotations

import ast

from gblint.runtime import ast_walk
from gblint.values.base import NONE, UNKNOWN, Value
from gblint.values.lattice import join
from gblint.values.objects import Class, Function, Instance, is_nn_module


def in_use(receiver: Value, method: Function) -> Value:
    """Return the object as a compiled method sees it: attributes that other methods fill may be set or not.

    A module is mostly called as it was made, and stays as it is.
    """
    if not isinstance(receiver, Instance) or not isinstance(receiver.cls, Class) or is_nn_module(receiver):
        return receiver
    empty = {name for name, value in receiver.attrs.items() if value == NONE}
    filled = empty & _filled(receiver.cls, method)
    if not filled:
        return receiver
    attrs = {k: join(v, UNKNOWN) if k in filled else v for k, v in receiver.attrs.items()}
    return Instance(
        receiver.cls,
        attrs,
        receiver.from_defaults,
        receiver.branch_id,
        partial=receiver.partial,
        pre_existing=receiver.pre_existing,
    )


def _filled(cls: Class, method: Function) -> set[str]:
    """Return the attributes that methods other than ``__init__`` and the compiled one store."""
    names: set[str] = set()
    for owner in cls.mro:
        for function in owner.node.body:
            if not isinstance(function, ast.FunctionDef) or function.name == "__init__" or function is method.node:
                continue
            names |= _stored(function)
    return names


def _stored(function: ast.FunctionDef) -> set[str]:
    own = function.args.args[0].arg if function.args.args else ""
    names: set[str] = set()
    for node in ast_walk.walk(function):
        if isinstance(node, ast.Assign) and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            names |= {t.attr for t in node.targets if isinstance(t, ast.Attribute) and _is(t.value, own)}
    return names


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
