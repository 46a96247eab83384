"""Variables that hold the outcome of a test: ``is_tensor = isinstance(v, Tensor)``, and what they tell about ``v``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from weakref import WeakKeyDictionary

from gblint.interp.state.frame import Frame
from gblint.runtime import ast_walk
from gblint.values.objects import FunctionNode

_TESTS = frozenset(("isinstance", "callable", "hasattr", "is_tensor"))
# The variables that ``_flags`` yields, by function: every interpreter of a run asks for them.
_FLAGS: WeakKeyDictionary[FunctionNode, dict[str, ast.expr]] = WeakKeyDictionary()


def tests_behind(node: ast.expr, frame: Frame, answer: bool) -> list[tuple[ast.expr, bool]]:
    """Return the tests whose outcome follows from the outcome of the variable ``node``, each with its outcome."""
    if not isinstance(node, ast.Name) or frame.function is None:
        return []
    function = frame.function.node
    if function not in _FLAGS:
        _FLAGS[function] = dict(_flags(function))
    test = _FLAGS[function].get(node.id)
    return [] if test is None else list(_implied(test, answer))


def _implied(test: ast.expr, answer: bool) -> Iterator[tuple[ast.expr, bool]]:
    """Yield the parts of a test that must have an outcome if the whole has ``answer``."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _implied(test.operand, not answer)
    elif isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.And) == answer:
            for part in test.values:
                yield from _implied(part, answer)
    elif _is_test(test):
        yield test, answer


def _is_test(node: ast.expr) -> bool:
    """Return whether ``node`` tests the class of a variable, or whether it is None."""
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return name in _TESTS and bool(node.args) and isinstance(node.args[0], ast.Name)
    if not isinstance(node, ast.Compare) or not isinstance(node.left, ast.Name) or len(node.ops) != 1:
        return False
    return isinstance(node.ops[0], (ast.Is, ast.IsNot)) and isinstance(node.comparators[0], ast.Constant)


def _flags(function: FunctionNode) -> Iterator[tuple[str, ast.expr]]:
    """Yield the variables that are bound once, to a test of variables that are not bound again after it."""
    if isinstance(function, ast.Lambda):
        return
    nodes = ast_walk.walk_scope(function.body)
    bound: dict[str, list[int]] = {}
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.setdefault(node.id, []).append(node.lineno)
    for node in nodes:
        if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
            continue
        flag = node.targets[0]
        tested = [*_implied(node.value, True), *_implied(node.value, False)]
        if len(bound[flag.id]) > 1 or not tested:
            continue
        used = {each.id for each in ast_walk.walk(node.value) if isinstance(each, ast.Name)}
        if all(not bound.get(name) or (len(bound[name]) == 1 and bound[name][0] < flag.lineno) for name in used):
            yield flag.id, node.value
