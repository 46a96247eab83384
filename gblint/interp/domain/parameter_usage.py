"""Kinds of parameters, inferred from their uses in the body of a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.objects import FunctionNode

_SIZED = frozenset("zeros ones empty rand randn full eye arange linspace range".split())
_QUANTITIES = frozenset("x y z t tensor logits loss losses".split())
_METHODS = frozenset(
    "item tolist numpy unsqueeze squeeze detach unbind argmax argmin softmax log_softmax sigmoid tanh clamp "
    "masked_fill nonzero is_floating_point data_ptr expand expand_as view_as reshape permute flatten cumsum backward "
    "requires_grad_ bernoulli scatter gather contiguous numel bool long int type_as new_zeros new_ones new_full "
    "new_tensor index_select masked_select repeat_interleave".split()
)
_MODULES = frozenset("torch np numpy".split())


def is_no_tensor(interp: Interpreter, node: FunctionNode, name: str) -> bool:
    """Return whether the body of ``node`` uses the parameter ``name`` in a way that excludes a tensor.

    Such a parameter is called, unpacked with ``**``, compared with a string, used as a size or as a flag, or has an
    attribute accessed that tensors lack.  A parameter called ``x`` is not taken for a flag.
    """
    if any(used == name for used in _used(interp, node)):
        return True
    return name not in _QUANTITIES and any(used == name for used in _flags(node))


def is_tensor(node: FunctionNode, name: str) -> bool:
    """Return whether the body of ``node`` calls a method of the parameter ``name`` that hardly any other class has."""
    return any(
        isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr in _METHODS
        and isinstance(n.func.value, ast.Name)
        and n.func.value.id == name
        for n in _walk(node)
    )


def is_iterator(node: FunctionNode, name: str) -> bool:
    """Return whether the body of ``node`` takes the next item of the parameter ``name``."""
    return any(
        isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "next" and name in _names(n.args[:1])
        for n in _walk(node)
    )


def is_generator(node: FunctionNode, name: str) -> bool:
    """Return whether the body of ``node`` passes the parameter ``name`` on as a random number generator."""
    keywords = [k for n in _walk(node) if isinstance(n, ast.Call) for k in n.keywords if k.arg == "generator"]
    return any(name in _names([k.value]) for k in keywords)


def _walk(function: FunctionNode) -> Iterator[ast.AST]:
    body = function.body if isinstance(function.body, list) else [function.body]
    return (n for statement in body for n in ast_walk.walk(statement))


def _used(interp: Interpreter, function: FunctionNode) -> Iterator[str]:
    for node in _walk(function):
        if isinstance(node, ast.Call):
            yield from _names([node.func, *(k.value for k in node.keywords if k.arg is None)])
            if _takes_sizes(node.func):
                yield from _numbers(node.args)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if isinstance(node.ctx, ast.Load) and not _is_tensor_attribute(interp, node.attr):
                yield node.value.id
        elif isinstance(node, ast.Compare) and any(_is_text(part) for part in node.comparators):
            yield from _names([node.left])
        elif isinstance(node, ast.Assign) and _is_text(node.value):
            yield from _names(node.targets)


def _flags(function: FunctionNode) -> Iterator[str]:
    """Return the names whose truth decides a branch."""
    for node in _walk(function):
        if isinstance(node, (ast.If, ast.IfExp, ast.While)):
            yield from _names([node.test])
        elif isinstance(node, ast.BoolOp):
            yield from _names(node.values)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield from _names([node.operand])


def _names(nodes: list[ast.expr]) -> Iterator[str]:
    return (n.id for n in nodes if isinstance(n, ast.Name))


def _numbers(nodes: list[ast.expr]) -> Iterator[str]:
    """Return the names among sizes, also in sums and tuples of them."""
    for node in nodes:
        if isinstance(node, ast.BinOp):
            yield from _numbers([node.left, node.right])
        elif isinstance(node, (ast.Tuple, ast.List)):
            yield from _numbers(node.elts)
        else:
            yield from _names([node])


def _takes_sizes(function: ast.expr) -> bool:
    """Return whether a call takes sizes, such as ``range(n)`` or ``torch.zeros(n)``."""
    if isinstance(function, ast.Name):
        return function.id == "range" or function.id in _SIZED
    return (
        isinstance(function, ast.Attribute)
        and function.attr in _SIZED
        and isinstance(function.value, ast.Name)
        and function.value.id in _MODULES
    )


def _is_text(node: ast.expr) -> bool:
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return bool(node.elts) and all(_is_text(e) for e in node.elts)
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_tensor_attribute(interp: Interpreter, name: str) -> bool:
    known = interp.knowledge
    if known.tensor_method(name) is not None or known.tensor_attribute(name) is not None:
        return True
    return name in _ALWAYS or known.ndarray_method(name) is not None or known.ndarray_attribute(name) is not None


_ALWAYS = frozenset("shape dtype ndim device grad data T mT H mH real imag layout requires_grad".split())
