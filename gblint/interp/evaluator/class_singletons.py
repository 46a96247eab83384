"""Objects that a class keeps in an attribute of its own, and that importing the module makes.

An example is ``if cls._instance is None: cls._instance = ...`` in a method, and ``logger = Logger()`` at the top of the
module.  The compiled code finds the object there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from weakref import WeakKeyDictionary

from gblint.interp.domain import call_state
from gblint.interp.domain.access_paths import root_name
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.runtime.ast_walk import is_name
from gblint.values.base import NONE, UNKNOWN, Value, members
from gblint.values.lattice import join_all
from gblint.values.objects import Class

# The attributes that the methods of a class fill if they are None.
_FILLED: WeakKeyDictionary[ast.ClassDef, frozenset[str]] = WeakKeyDictionary()


def filled(interp: Interpreter, cls: Class, name: str, value: Value) -> Value:
    """Return ``value``, that of an attribute of a class which may be None, as the import of the module leaves it.

    The class keeps the object from then on.
    """
    owner = next((each for each in cls.mro if name in _filled_attributes(each.node)), None)
    nearer = cls.mro[: cls.mro.index(owner)] if owner is not None else ()
    if any(each.module.binding_table(each.node).get(name) for each in nearer):
        return value  # the class has an attribute of its own
    calls = [] if owner is None else list(_calls(owner))
    if owner is None or not calls:
        return value
    with call_state.outside_of_call(interp):
        for call in calls:
            interp.eval(call, interp.module_frame(owner.module))
        after = interp.class_attribute(owner, name) or value
    found = [each for each in members(after) if each != NONE]
    owner.attrs[name] = made = join_all(found) if found else UNKNOWN
    interp.caches.class_attributes.clear()
    return made


def _calls(owner: Class) -> Iterator[ast.Call]:
    """Yield the calls of a class and of its methods at the top of its module."""
    own = owner.node.name
    for statement in owner.module.tree.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr)) and statement.value is not None:
            for node in ast_walk.walk(statement.value):
                if isinstance(node, ast.Call) and root_name(node.func) == own:
                    yield node


def _filled_attributes(cls: ast.ClassDef) -> frozenset[str]:
    known = _FILLED.get(cls)
    if known is None:
        methods = [each for each in cls.body if isinstance(each, ast.FunctionDef)]
        known = _FILLED[cls] = frozenset(name for each in methods for name in _filled_by(each, cls.name))
    return known


def _filled_by(method: ast.FunctionDef, own: str) -> Iterator[str]:
    """Yield the attributes of the class ``own`` that a method stores where it finds None."""
    owners = {own, *(each.arg for each in method.args.args[:1])}
    for node in ast_walk.walk(method):
        if isinstance(node, ast.If) and (tested := _tested(node.test, owners)):
            for inner in ast_walk.walk_scope(node.body):
                if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store) and inner.attr == tested:
                    if any(is_name(inner.value, each) for each in owners):
                        yield tested


def _tested(test: ast.expr, owners: set[str]) -> str:
    """Return the attribute of the class in ``cls.x is None`` or ``not cls.x``; empty for other tests."""
    place: ast.expr | None = None
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Is, ast.Eq)):
        constant = test.comparators[0]
        place = test.left if isinstance(constant, ast.Constant) and constant.value is None else None
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        place = test.operand
    is_own = isinstance(place, ast.Attribute) and any(is_name(place.value, each) for each in owners)
    return place.attr if is_own and isinstance(place, ast.Attribute) else ""
