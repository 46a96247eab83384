"""Abstract methods that no class implements."""

from __future__ import annotations

import ast

from gblint.interp.domain.access_paths import last_name
from gblint.interp.state.call_args import Args
from gblint.interp.state.interpreter import Interpreter
from gblint.values.objects import Class, Function, Instance


def is_missing(interp: Interpreter, function: Function, args: Args) -> bool:
    """Return whether a method without code is called on an object whose class does not implement it."""
    node, receiver = function.node, args.first
    if function.owner is None or not isinstance(receiver, Instance) or not isinstance(receiver.cls, Class):
        return False
    if isinstance(node, ast.Lambda) or all(last_name(each) != "abstractmethod" for each in node.decorator_list):
        return False
    if any(not isinstance(each, (ast.Expr, ast.Pass, ast.Raise)) for each in node.body):
        return False
    found = interp.class_attribute(receiver.cls, node.name)
    return isinstance(found, Function) and found.node is node
