"""Objects that a class keeps in an attribute of its own, and that importing the module makes.

An example is ``if cls._instance is None: cls._instance = ...`` in a method, and ``logger = Logger()`` at the top of the
module.  The compiled code finds the object there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from weakref import WeakKeyDictionary

from gblint.interp.domain import call_state
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.runtime.ast_walk import is_name
from gblint.values.base import NONE, Value, members
from gblint.values.lattice import join_all
from gblint.values.objects import Class

# The attributes of a class that its methods fill if they are None, with the names of these methods; a constructor has
# the name ``__new__``.
_FILLED: WeakKeyDictionary[ast.ClassDef, dict[str, set[str]]] = WeakKeyDictionary()


def filled(interp: Interpreter, cls: Class, name: str, value: Value) -> Value:
    """Return ``value``, that of an attribute of a class which may be None, as the import of the module leaves it.

    The class keeps the object from then on.
    """
    owner = next((each for each in cls.mro if name in _filled_attributes(each.node)), None)
    if owner is None:
        return value
    if any(each.module.binding_table(each.node).get(name) for each in cls.mro[: cls.mro.index(owner)]):
        return value  # the class has an attribute of its own
    calls = list(_filling_calls(owner, name))
    with call_state.outside_of_call(interp):
        for call in calls:
            interp.eval(call, interp.module_frame(owner.module))
        after = interp.class_attribute(owner, name) or value
    found = [each for each in members(after) if each != NONE]
    if not calls or not found:
        return value
    owner.attrs[name] = made = join_all(found)
    interp.caches.class_attributes.clear()
    return made


def _filling_calls(owner: Class, name: str) -> Iterator[ast.Call]:
    """Yield the calls of a class, or of its methods, at the top of its module that fill an attribute."""
    own, methods = owner.node.name, _filled_attributes(owner.node)[name]
    for statement in owner.module.tree.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr)) and statement.value is not None:
            calls = [node for node in ast_walk.walk(statement.value) if isinstance(node, ast.Call)]
            yield from (call for call in calls if _called_method(call.func, own) in methods)


def _called_method(function: ast.expr, own: str) -> str:
    """Return the method of the class ``own`` that a call runs; empty for other calls."""
    if is_name(function, own):
        return "__new__"
    return function.attr if isinstance(function, ast.Attribute) and is_name(function.value, own) else ""


def _filled_attributes(cls: ast.ClassDef) -> dict[str, set[str]]:
    known = _FILLED.get(cls)
    if known is None:
        known = _FILLED[cls] = {}
        for method in cls.body:
            if isinstance(method, ast.FunctionDef):
                for name in _filled_by(method, cls.name):
                    known.setdefault(name, set()).add("__new__" if method.name == "__init__" else method.name)
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
