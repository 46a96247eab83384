"""The children of the nodes of libcst, without a visitor.

A visitor of libcst makes every node anew, which takes some ten times as long.
"""

from __future__ import annotations

import dataclasses

import libcst as cst

_fields: dict[type[cst.CSTNode], tuple[str, ...]] = {}


def children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """Return the children of ``node`` in the order in which libcst visits them."""
    names = _fields.get(type(node))
    if names is None:
        names = _fields[type(node)] = _fields_in_order(node)
    found: list[cst.CSTNode] = []
    for name in names:
        value = getattr(node, name)
        if isinstance(value, cst.CSTNode):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += value
    return found


class _Recorder(cst.CSTVisitor):
    """The names of the fields of one node, in the order in which libcst visits them."""

    def __init__(self, node: cst.CSTNode) -> None:
        super().__init__()
        self.names: list[str] = []
        self._node = node

    def on_visit(self, node: cst.CSTNode) -> bool:
        return node is self._node

    def on_visit_attribute(self, node: cst.CSTNode, attribute: str) -> None:
        self.names.append(attribute)


def _fields_in_order(node: cst.CSTNode) -> tuple[str, ...]:
    """Return the fields of the class of ``node``; those that libcst does not visit in ``node`` come last.

    One of these is the format of an f-string, which is visited only if there is one.
    """
    recorder = _Recorder(node)
    node.visit(recorder)
    return tuple(dict.fromkeys([*recorder.names, *(each.name for each in dataclasses.fields(node))]))
