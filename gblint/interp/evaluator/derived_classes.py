"""Classes that the project derives from a class."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice
from typing import Final

from gblint.interp.domain.access_paths import last_name
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import UNKNOWN, Value
from gblint.values.containers import Seq
from gblint.values.objects import BuiltinMethod, Class

MAX_SUBCLASSES = 24
SUBCLASSES: Final = "__subclasses__"


def subclasses(interp: Interpreter, cls: Class) -> list[Class]:
    """Return classes at the top of the project's modules that inherit from ``cls``: MAX_SUBCLASSES + 1 at most."""
    found: list[Class] = []
    waiting = [cls]
    while waiting:
        # A loop: mypyc evaluates all of a generator expression, and each class may mean a file to parse.
        for each in _direct(interp, waiting.pop(0)):
            if each not in found:
                found.append(each)
                waiting.append(each)
                if len(found) > MAX_SUBCLASSES:
                    return found
    return found


def listed(interp: Interpreter, method: BuiltinMethod) -> Value | None:
    """Return the result of ``cls.__subclasses__()``; None for any other method."""
    cls = method.receiver
    if method.name != SUBCLASSES or not isinstance(cls, Class):
        return None
    found = list(islice(_direct(interp, cls), MAX_SUBCLASSES + 1))
    return Seq("list", tuple(found)) if 0 < len(found) <= MAX_SUBCLASSES else Seq("list", None, UNKNOWN)


def _direct(interp: Interpreter, cls: Class) -> Iterator[Class]:
    name = cls.name.rpartition(".")[2]
    for module in interp.project.mentioning((name,), name, ("base",)):
        for symbol, bindings in module.symbols.items():
            node = bindings[-1].node
            if isinstance(node, ast.ClassDef) and any(_base_name(base) == name for base in node.bases):
                value = interp.module_attribute(module, symbol)
                if isinstance(value, Class) and value.node is node and cls in value.mro[1:]:
                    yield value


def _base_name(node: ast.expr) -> str:
    """Return the last part of the name of a base class, which may have type arguments."""
    return last_name(node.value if isinstance(node, ast.Subscript) else node)
