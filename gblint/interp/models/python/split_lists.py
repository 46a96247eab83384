"""Lists that a method of a string returns.

Dynamo computes the method while it traces, and takes its result for a constant: such a list cannot be changed
(``ConstantVariable.call_method`` in torch/_dynamo/variables/constant.py makes it without a ``mutation_type``).
"""

from __future__ import annotations

import ast
from weakref import WeakKeyDictionary

from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.base import Value, members
from gblint.values.containers import Seq
from gblint.values.lattice import element, is_text
from gblint.values.objects import FunctionNode

_SPLITTING = frozenset(("split", "rsplit", "splitlines"))
_CHANGING = frozenset(("append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"))
# The variables that ``_variables`` returns, by function.
_VARIABLES: WeakKeyDictionary[FunctionNode, frozenset[str]] = WeakKeyDictionary()


def check_call(interp: Interpreter, receiver: Seq, name: str, frame: Frame, node: ast.AST) -> None:
    """Report ``parts.pop()`` and other methods that change such a list."""
    function = node.func if isinstance(node, ast.Call) else None
    if name in _CHANGING and isinstance(function, ast.Attribute) and _is_split(function.value, receiver, frame):
        interp.emit(frame, node, "operation", "list-of-text", ("unsupported-method-call",))


def check_store(interp: Interpreter, container: Value, target: ast.Subscript, frame: Frame) -> None:
    """Report ``parts[0] = text`` and ``del parts[0]``."""
    if _is_split(target.value, container, frame):
        interp.emit(frame, target, "operation", "list-of-text", ("missing-mp-ass-subscript",))


def _is_split(node: ast.expr, value: Value, frame: Frame) -> bool:
    """Return whether an expression is a list that a method of a string has made since the last graph break."""
    if not frame.mode.tracing or frame.function is None or frame.summary.breaks:
        return False
    made = _splits(node) or (isinstance(node, ast.Name) and node.id in _variables(frame.function.node))
    return made and all(isinstance(each, Seq) and all(map(is_text, members(element(each)))) for each in members(value))


def _splits(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SPLITTING


def _variables(function: FunctionNode) -> frozenset[str]:
    """Return the variables of a function that are bound once, to the list of a method of a string."""
    known = _VARIABLES.get(function)
    if known is None:
        nodes = [] if isinstance(function, ast.Lambda) else ast_walk.walk_scope(function.body)
        stores = [node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
        stores += [node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)]
        assigned = [node for node in nodes if isinstance(node, ast.Assign) and _splits(node.value)]
        targets = [target.id for node in assigned for target in node.targets if isinstance(target, ast.Name)]
        known = _VARIABLES[function] = frozenset(name for name in targets if stores.count(name) == 1)
    return known
