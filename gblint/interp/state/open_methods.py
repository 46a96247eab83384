"""Methods that compile a part of their object, of which only the objects that the project makes tell what it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gblint.runtime import ast_origins, ast_walk
from gblint.values.objects import Class, Function, FunctionNode

ANY = ""
"""The part ``getattr(self, name)``, of which the value of ``name`` tells what it is."""


def is_named_by_value(target: ast.expr) -> bool:
    """Return whether an expression is ``getattr(x, name)`` with a name that is not written in it."""
    is_call = isinstance(target, ast.Call) and ast_walk.is_name(target.func, "getattr") and len(target.args) > 1
    return is_call and not isinstance(target.args[1], ast.Constant)  # type: ignore[attr-defined]


class OpenMethods:
    """The methods that compile a part of unknown value.

    by_class: the methods by the classes of their objects.
    makers: the classes, and the functions that make objects of them from unknown parts, by module and name.
    """

    def __init__(self) -> None:
        self.by_class: dict[Class, dict[ast.AST, Function]] = {}
        self.makers: set[tuple[str, str]] = set()

    def add(self, cls: Class, method: Function) -> None:
        """Add a method of a class."""
        self.by_class.setdefault(cls, {})[method.node] = method
        self.makers.add((cls.module.name, cls.name))


def constructor(cls: Class) -> ast.FunctionDef | None:
    """Return the first ``__init__`` among the classes that a class inherits from, which is first itself."""
    return next(_constructors(cls), None)


def _constructors(cls: Class) -> Iterator[ast.FunctionDef]:
    nodes = (each for owner in cls.mro for each in owner.node.body)
    return (each for each in nodes if isinstance(each, ast.FunctionDef) and each.name == "__init__")


def given_parts(cls: Class) -> set[str]:
    """Return the attributes that the constructors of a class and its base classes make from their parameters."""
    found: set[str] = set()
    for init in _constructors(cls):
        if not init.args.args:
            continue
        own, *others = [each.arg for each in (*init.args.args, *init.args.kwonlyargs)]
        for node in ast_walk.walk(init):
            for target, value in ast_origins.assignments(node):
                if not ast_origins.names([value]).isdisjoint(others):
                    found |= ast_origins.stored_in(target, own)
    return found


def read_parts(cls: Class, method: FunctionNode, own: str, target: ast.expr) -> set[str]:
    """Return the attributes of the variable ``own`` from which ``target`` is made, also by way of other methods."""
    methods = {
        each.name: each for owner in reversed(cls.mro) for each in owner.node.body if isinstance(each, ast.FunctionDef)
    }
    found = ast_origins.attributes_of(own, ast_origins.origins(method, [target]))
    for name in found:  # grows while it is read
        called = methods.get(name)
        if called is not None and called.args.args:
            read = ast_origins.attributes_of(called.args.args[0].arg, called.body)
            found += [each for each in read if each not in found]
    return set(found)
