"""Names for types in annotations: ``T = TypeVar("T", bound=Tensor)``, ``NewType("Mask", Tensor)``, ``def f[T](x)``."""

from __future__ import annotations

import ast
import copy

from gblint.values.objects import Function

_UNION = ast.Name("Union", ast.Load())


def bound_of(call: ast.expr | None) -> ast.expr | None:
    """Return the bound of ``TypeVar(...)``, the join of its constraints, or the type behind ``NewType(...)``.

    It is None for any other expression.
    """
    if not isinstance(call, ast.Call):
        return None
    name = _called(call)
    if name == "NewType" and len(call.args) == 2:
        return call.args[1]
    if name != "TypeVar":
        return None
    for keyword in call.keywords:
        if keyword.arg == "bound":
            return keyword.value
    return _any_of(call.args[1:])


def is_type_variable(node: ast.expr | None) -> bool:
    """Return whether ``node`` is a call of ``TypeVar``."""
    return isinstance(node, ast.Call) and _called(node) == "TypeVar"


def _called(call: ast.Call) -> str:
    """Return the last part of the name of the callee."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _any_of(nodes: list[ast.expr]) -> ast.expr | None:
    return ast.Subscript(_UNION, ast.Tuple(list(nodes), ast.Load()), ast.Load()) if nodes else None


def annotation_of(function: Function, node: ast.expr | None) -> ast.expr | None:
    """Return an annotation in ``function`` without type variables; None if it admits anything."""
    if node is None:
        return None
    if isinstance(node, ast.Name):
        bindings = function.module.symbols.get(node.id) or ()
        value = bindings[-1].value if bindings else None
        if is_type_variable(value) and bound_of(value) is None:
            return None
    parameters = _parameters(function)
    if isinstance(node, ast.Name) and node.id in parameters:
        return parameters[node.id]
    return _Written(parameters).visit(copy.deepcopy(node)) if parameters else node


def _parameters(function: Function) -> dict[str, ast.expr | None]:
    """Return the type parameters of ``function`` and its class, with their bounds."""
    nodes = [function.node] if function.owner is None else [function.owner.node, function.node]
    return {
        parameter.name: _stands_for(getattr(parameter, "bound", None))
        for node in nodes
        for parameter in node.__dict__.get("type_params", ())
    }


def _stands_for(bound: ast.expr | None) -> ast.expr | None:
    return _any_of(bound.elts) if isinstance(bound, ast.Tuple) else bound


class _Written(ast.NodeTransformer):
    """Replaces type parameters by their bounds."""

    def __init__(self, parameters: dict[str, ast.expr | None]) -> None:
        self._parameters = parameters

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._parameters.get(node.id) or node
