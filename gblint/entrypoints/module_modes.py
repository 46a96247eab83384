"""Modes of modules: which of several modules of one class take other branches, so that each is traced.

A mode is a flag, a string, a number that may be zero, something that may be None, a function, a hook, or a part, in an
attribute of a module, of its parts or of its configuration.
"""

from __future__ import annotations

import ast

from gblint.interp.models.torch.nn_module_hooks import HOOK_ATTRIBUTES
from gblint.project.modules import Module
from gblint.runtime import ast_walk
from gblint.values.base import NONE, Const, Union, Unknown, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import Class, Function, Instance, is_nn_module

# Attributes that only some modules of a class have: hooks, and a ``forward`` of their own.
_OWN = (*HOOK_ATTRIBUTES, "forward")
_CALLABLES = (Function, Class, Instance)
MAX_DEPTH_OF_PARTS = 8
MAX_PARTS_COMPARED = 4
"""Bounds of the comparison of two modules: how deep their parts are, and the parts of one list."""


class ModuleModes:
    """The comparison of modules, with the attributes that the files of their classes read."""

    def __init__(self) -> None:
        self._read: dict[Module, tuple[frozenset[str], frozenset[str]]] = {}
        self._compared: set[tuple[int, int]] = set()

    def differ(self, one: Instance, other: Instance) -> bool:
        """Return whether two modules surely take other branches."""
        self._compared.clear()
        return self._differ(one, other, frozenset(), 0)

    def _differ(self, one: Value, other: Value, files: frozenset[Module], depth: int) -> bool:
        """Compare two values; ``files`` have the classes of the objects that hold them."""
        if one is other:
            return False
        if isinstance(one, Union) or isinstance(other, Union):
            return all(self._differ(each, alternative, files, depth) for each, alternative in _pairs(one, other))
        if isinstance(one, Const) and isinstance(other, Const):
            return isinstance(one.value, bool) and isinstance(other.value, bool) and one != other
        if isinstance(one, Function) and isinstance(other, Function):
            return one.node is not other.node
        if isinstance(one, Instance) and isinstance(other, Instance):
            if one.cls != other.cls or depth >= MAX_DEPTH_OF_PARTS or (one.uid, other.uid) in self._compared:
                return one.cls != other.cls
            self._compared.add((one.uid, other.uid))  # parts may hold the object that they are parts of
            if any((name in one.attrs) is not (name in other.attrs) for name in _OWN):
                return True
            if isinstance(one.cls, Class):
                files |= {base.module for base in one.cls.mro}
            return any(
                self._differ(value, other.attrs[name], files, depth + 1)
                or self._differ_in_mode(name, value, other.attrs[name], files)
                for name, value in one.attrs.items()
                if name in other.attrs
            )
        if isinstance(one, _CALLABLES) and isinstance(other, _CALLABLES):
            return type(one) is not type(other)
        if isinstance(one, (Seq, Mapping)) and isinstance(other, (Seq, Mapping)) and depth < MAX_DEPTH_OF_PARTS:
            pairs = list(zip(_parts(one), _parts(other)))[:MAX_PARTS_COMPARED]
            return any(self._differ(*pair, files, depth + 1) for pair in pairs)
        return NONE in (one, other) and any(map(is_nn_module, (one, other)))

    def _differ_in_mode(self, name: str, one: Value, other: Value, files: frozenset[Module]) -> bool:
        """Return whether code may tell the values of an attribute apart: strings, None, or zero."""
        if isinstance(one, Unknown) or isinstance(other, Unknown) or one == other:
            return False
        if NONE in (one, other):
            return self._is_tested(name, files)
        if not isinstance(one, Const) or not isinstance(other, Const):
            return False
        if isinstance(one.value, str) and isinstance(other.value, str):
            return self._is_tested(name, files) or any(name in self._names(file)[1] for file in files)
        return bool(one.value) is not bool(other.value) and self._is_tested(name, files)

    def _is_tested(self, name: str, files: frozenset[Module]) -> bool:
        return any(name in self._names(file)[0] for file in files)

    def _names(self, file: Module) -> tuple[frozenset[str], frozenset[str]]:
        """Return the attributes that the conditions in a file read, and those that are indices or arguments."""
        if file not in self._read:
            nodes = list(ast_walk.walk(file.tree))
            tested, chosen_by = (
                frozenset(part.attr for node in nodes for part in parts_of(node) if isinstance(part, ast.Attribute))
                for parts_of in (_tested, _chosen_by)
            )
            self._read[file] = tested, chosen_by
        return self._read[file]


def _tested(node: ast.AST) -> list[ast.expr]:
    """Return the parts of a condition."""
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, (ast.If, ast.IfExp)):
        return [node.test.operand if isinstance(node.test, ast.UnaryOp) else node.test]
    return []


def _chosen_by(node: ast.AST) -> list[ast.expr]:
    """Return what may choose among functions or parts: the index of an item, and the arguments of a call."""
    if isinstance(node, ast.Subscript):
        return [node.slice]
    return [*node.args, *(k.value for k in node.keywords)] if isinstance(node, ast.Call) else []


def _pairs(one: Value, other: Value) -> list[tuple[Value, Value]]:
    """Return each alternative of one value with each of the other."""
    return [(each, alternative) for each in members(one) for alternative in members(other)]


def _parts(value: Seq | Mapping) -> tuple[Value, ...]:
    if isinstance(value, Seq):
        return value.items or ()
    return tuple(item for _, item in value.entries)
