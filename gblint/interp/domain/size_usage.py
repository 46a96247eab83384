"""Names that a function uses as counts, lengths and sizes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from gblint.interp.domain.access_paths import last_name
from gblint.runtime import ast_walk
from gblint.values.objects import FunctionNode

_SIZED = frozenset("zeros ones empty rand randn full eye arange linspace range".split())
# Methods of tensors whose positional arguments are sizes or dimensions.
_TAKE_SIZES = frozenset(
    "view reshape expand repeat tile unflatten unfold new_zeros new_ones new_empty resize_ "
    "transpose permute unsqueeze swapaxes movedim".split()
)
_MODULES = frozenset("torch np numpy".split())
# Methods of tensors that return a number of dimensions or elements.
_COUNTS = frozenset(("dim", "ndimension", "numel", "nelement"))


def counts_and_sizes(function: FunctionNode) -> set[str]:
    """Return the names used as counts and sizes, also by way of arithmetic that is assigned to a variable."""
    found: set[str] = set()
    computed: list[tuple[str, set[str]]] = []
    for node in walk_body(function):
        if isinstance(node, ast.Call):
            found.update(names_in_arithmetic(_integer_arguments(node)))
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            if isinstance(node.value, ast.BinOp):
                computed.append((node.targets[0].id, names_in_arithmetic([node.value])))
    for target, sources in reversed(computed):
        if target in found:
            found |= sources
    return found


def _integer_arguments(call: ast.Call) -> list[ast.expr]:
    """Return the arguments of a call that are integers: those of ``range``, and sizes that are not a whole shape."""
    if isinstance(call.func, ast.Name) and call.func.id == "range":
        return call.args
    given = call.args
    if isinstance(call.func, ast.Attribute) and call.func.attr in _TAKE_SIZES:
        given = given[int(last_name(call.func.value) in _MODULES) :]  # of ``torch.reshape(x, shape)`` the shape
    elif not takes_sizes(call.func):
        return []
    if len(given) == 1 and isinstance(given[0], ast.Name):
        return []  # it may be a whole shape, or a dtype
    return flat(given)


def names_in_arithmetic(nodes: Sequence[ast.expr]) -> set[str]:
    """Return the names in sums and products of names and numbers."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.BinOp):
            found |= names_in_arithmetic([node.left, node.right])
        elif isinstance(node, ast.UnaryOp):
            found |= names_in_arithmetic([node.operand])
        elif isinstance(node, ast.Name):
            found.add(node.id)
    return found


def is_size(node: ast.expr) -> bool:
    """Return whether an expression is the length of something, or a number of dimensions or elements."""
    if isinstance(node, ast.Call):
        called = node.func
        if isinstance(called, ast.Name):
            return called.id == "len"
        return isinstance(called, ast.Attribute) and called.attr in _COUNTS and not node.args
    return isinstance(node, ast.Attribute) and node.attr == "ndim"


def parts_of_sizes(function: FunctionNode) -> Iterator[str]:
    """Yield the names that give a part of a size, a whole number: ``int((1 - dropped) * x.shape[1])``."""
    assigned = _assigned_once(function)
    for node in walk_body(function):
        if isinstance(node, ast.Call) and _is_rounding(node.func):
            for argument in node.args:
                product = _origin(argument, assigned)
                if isinstance(product, ast.BinOp) and isinstance(product.op, (ast.Mult, ast.Div)):
                    if any(is_length(_origin(side, assigned)) for side in (product.left, product.right)):
                        yield from names_in_arithmetic([product])


def _assigned_once(function: FunctionNode) -> dict[str, ast.expr]:
    """Return the expressions of the variables that a function assigns once."""
    found: dict[str, ast.expr | None] = {}
    for node in walk_body(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            found[name] = None if name in found else node.value
    return {name: value for name, value in found.items() if value is not None}


def _origin(node: ast.expr, assigned: dict[str, ast.expr]) -> ast.expr:
    return assigned.get(node.id, node) if isinstance(node, ast.Name) else node


def _is_rounding(called: ast.expr) -> bool:
    if isinstance(called, ast.Name):
        return called.id in ("int", "round")
    return is_of_math(called) and isinstance(called, ast.Attribute) and called.attr in ("ceil", "floor")


def is_length(node: ast.expr) -> bool:
    """Return whether an expression is one of the sizes of a tensor, or another size."""
    if isinstance(node, ast.Subscript):
        if isinstance(node.value, ast.Call):
            return isinstance(node.value.func, ast.Attribute) and node.value.func.attr == "size"
        return isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "size":
        return bool(node.args)
    return is_size(node)


def takes_sizes(function: ast.expr) -> bool:
    """Return whether a call takes sizes, such as ``range(n)`` or ``torch.zeros(n)``."""
    if isinstance(function, ast.Name):
        return function.id == "range" or function.id in _SIZED
    return (
        isinstance(function, ast.Attribute)
        and function.attr in _SIZED
        and isinstance(function.value, ast.Name)
        and function.value.id in _MODULES
    )


def flat(nodes: list[ast.expr]) -> list[ast.expr]:
    """Return the arguments, with the items of tuples and lists in their place."""
    return [part for each in nodes for part in (flat(each.elts) if isinstance(each, (ast.Tuple, ast.List)) else [each])]


def is_of_math(called: ast.expr) -> bool:
    return isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "math"


def walk_body(function: FunctionNode) -> Iterator[ast.AST]:
    body = function.body if isinstance(function.body, list) else [function.body]
    return (n for statement in body for n in ast_walk.walk(statement))
