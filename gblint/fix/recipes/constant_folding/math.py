"""Numbers that NumPy computes from Python numbers: by ``math``, since Dynamo treats a NumPy number as a tensor."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.imports import import_of
from gblint.fix.recipes._build import called_name
from gblint.fix.recipes._values import is_number, is_number_sequence, is_tensor
from gblint.values.base import Value, members
from gblint.values.containers import Seq
from gblint.values.objects import ExternalName

_MAX_DEPTH = 3  # variables and functions of the file between the number and where it was computed
# The number of arguments of functions of numbers.
_ARITY = {
    **dict.fromkeys(("lcm", "gcd"), 2),
    **dict.fromkeys(("sqrt", "ceil", "floor", "exp", "log", "log2", "log10", "isinf", "isnan", "isfinite"), 1),
}


def use_math(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``np.prod(x.shape)``, ``np.lcm(a, b)``, ``np.isinf(a)`` to ``math.prod``, ``math.lcm``, ``math.isinf``.

    The call may be the finding's expression, or further up where its number comes from. Preconditions: all arguments
    are Python numbers, no other array takes part, and no method such as ``astype`` is called on the result. Safe for
    the product of a shape that ``int`` converts at once. Else unsafe: the number has another class, NumPy's integers
    overflow, and other arguments give other errors.
    """
    calls = dict.fromkeys(_numpy_calls(ctx, ctx.node, _MAX_DEPTH))
    if not calls or _has_other_arrays(ctx, ctx.node, _MAX_DEPTH, set()):
        return None
    if any(_uses_attribute(ctx, call, _MAX_DEPTH) for call in calls):
        return None
    math, imports = ctx.module_reference("math")
    new: dict[cst.CSTNode, cst.CSTNode] = {}
    for call in calls:
        assert isinstance(call.func, cst.Attribute)
        new[call] = call.with_changes(func=cst.parse_expression(f"{math}.{call.func.attr.value}"))
    exact = all(_is_size_as_int(ctx, call) for call in calls)
    title = "compute the number with `math`"
    unused = [each for call in calls for each in import_of(ctx.tree.module, ctx.code(call.func).partition(".")[0])]
    return Rewrite(title, "safe" if exact else "unsafe", new, imports, unused)


def _uses_attribute(ctx: FixContext, node: cst.CSTNode, left: int) -> bool:
    """Return whether the code reads an attribute of a number, or of one computed from it: floats have others."""
    outer = ctx.tree.parent(node)
    while isinstance(outer, (cst.BinaryOperation, cst.UnaryOperation, cst.IfExp)):
        node, outer = outer, ctx.tree.parent(outer)
    if isinstance(outer, cst.Attribute):
        return True
    call = ctx.tree.parent(outer) if isinstance(outer, cst.Arg) else None
    if isinstance(call, cst.Call) and (called_name(ctx, call) or "").startswith("numpy."):
        return _uses_attribute(ctx, call, left)
    function = ctx.tree.enclosing(node, cst.FunctionDef)
    if function is None or left <= 0:
        return False
    if isinstance(outer, cst.Return):
        uses = match.findall(ctx.tree.module, match.Call(match.Name(function.name.value)))
    elif isinstance(outer, cst.Assign):
        names = {t.target.value for t in outer.targets if isinstance(t.target, cst.Name)}
        loads = match.findall(function, match.Name())
        uses = [n for n in loads if isinstance(n, cst.Name) and n.value in names]
        uses = [n for n in uses if not isinstance(ctx.tree.parent(n), cst.AssignTarget)]
        uses = [n for n in uses if getattr(ctx.tree.parent(n), "attr", None) is not n]
    else:
        return False
    return any(_uses_attribute(ctx, use, left - 1) for use in uses)


def _is_size_as_int(ctx: FixContext, call: cst.Call) -> bool:
    """Return whether a call multiplies the sizes of a tensor, and ``int`` converts the result at once."""
    outer = ctx.tree.parent(ctx.tree.parent(call) or call)
    name = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
    shape = ctx.value(call.args[0].value) if call.args else None
    sizes = shape is not None and all(isinstance(v, Seq) and v.cls == "Size" for v in members(shape))
    converted = isinstance(outer, cst.Call) and called_name(ctx, outer) == "builtins.int"
    return name == "prod" and sizes and converted


def _numpy_calls(ctx: FixContext, node: cst.CSTNode, left: int, seen: set[str] | None = None) -> Iterator[cst.Call]:
    """Yield the NumPy calls in ``node``, and in the variables and calls from which it is computed."""
    seen = set() if seen is None else seen
    if left < 0:
        return
    for call in match.findall(node, match.Call()):
        assert isinstance(call, cst.Call)
        if _is_of_numbers(ctx, call):
            yield call
        elif isinstance(call.func, cst.Name) and f"{call.func.value}()" not in seen:
            seen.add(f"{call.func.value}()")
            for returned in _returned(ctx, call.func.value):
                yield from _numpy_calls(ctx, returned, left - 1, seen)
    for name in match.findall(node, match.Name()):
        assert isinstance(name, cst.Name)
        if name.value not in seen and (is_tensor(ctx.value(name)) or _is_array(ctx.value(name))):
            seen.add(name.value)
            for value in _assigned(ctx, name):
                yield from _numpy_calls(ctx, value, left - 1, seen)


def _has_other_arrays(ctx: FixContext, node: cst.CSTNode, left: int, seen: set[str]) -> bool:
    """Return whether ``node`` is computed from an array that no NumPy function of Python numbers makes."""
    if isinstance(node, cst.Call) and _is_of_numbers(ctx, node):
        return False
    sources = [child for child in _operands(node) if _is_array(ctx.value(child))]
    if not sources and isinstance(node, cst.BaseExpression) and _is_array(ctx.value(node)):
        name = node.func if isinstance(node, cst.Call) else node
        if not isinstance(name, cst.Name):
            # The values of its parts may not be known.
            return not any(True for _ in _numpy_calls(ctx, node, left))
        if left <= 0 or name.value in seen:
            return False
        seen.add(name.value)
        sources = _assigned(ctx, name) if name is node else _returned(ctx, name.value)
        return not sources or any(_has_other_arrays(ctx, each, left - 1, seen) for each in sources)
    return any(_has_other_arrays(ctx, each, left, seen) for each in sources)


def _operands(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """Yield the expressions directly below ``node``; for a method its object."""
    for child in node.children:
        if isinstance(child, cst.BaseExpression) and not (isinstance(node, cst.Call) and child is node.func):
            yield child
        elif not isinstance(node, cst.BaseExpression) or not isinstance(child, cst.BaseExpression):
            yield from _operands(child)
        elif isinstance(child, cst.Attribute):
            yield child.value


def _is_array(value: Value | None) -> bool:
    return value is not None and any(getattr(each, "ndarray", False) for each in members(value))


def _is_of_numbers(ctx: FixContext, call: cst.Call) -> bool:
    """Return whether a call is a known NumPy function of Python numbers."""
    function = ctx.value(call.func)
    if not isinstance(function, ExternalName) or not isinstance(call.func, cst.Attribute):
        return False
    module, _, name = function.name.partition(".")
    if module != "numpy" or call.func.attr.value != name or any(arg.star or arg.keyword for arg in call.args):
        return False
    values = [ctx.value(arg.value) for arg in call.args]
    if name == "prod":
        return len(values) == 1 and is_number_sequence(values[0])
    return _ARITY.get(name) == len(values) and all(is_number(each) for each in values)


def _assigned(ctx: FixContext, name: cst.Name) -> list[cst.BaseExpression]:
    """Return the values that the function assigns to the variable."""
    function = ctx.tree.enclosing(name, cst.FunctionDef)
    target = match.Assign(targets=[match.AssignTarget(match.Name(name.value))])
    found = [] if function is None else match.findall(function, target)
    return [each.value for each in found if isinstance(each, cst.Assign)]


def _returned(ctx: FixContext, name: str) -> list[cst.BaseExpression]:
    """Return the expressions that the top-level function ``name`` returns."""
    for line in ctx.tree.module.body:
        if isinstance(line, cst.FunctionDef) and line.name.value == name:
            found = match.findall(line, match.Return())
            return [each.value for each in found if isinstance(each, cst.Return) and each.value is not None]
    return []
