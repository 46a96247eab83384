"""NumPy functions that Dynamo does not trace: replaced by traced ones, or by a small function in the file."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

import libcst as cst

from gblint.diagnostics.fix import Applicability
from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Rewrite
from gblint.fix.recipes._build import (
    after_imports,
    bind_arguments,
    called_name,
    is_unused_name,
    parse_like,
    primary_text,
)
from gblint.runtime.lazy_dataclasses import dataclass
from gblint.runtime.quiet_parse import parse_module
from gblint.values.base import Const, Scalar, Tensor, Value, members


@dataclass(frozen=True, slots=True)
class _Equivalent:
    """An equivalent of a call: a format over the ``parameters``, in which ``np`` is the module.

    If there is a ``helper``, the equivalent is a call of that function, which is added to the file.
    """

    parameters: str
    form: str = ""
    applicability: Applicability = "unsafe"
    helper: str = ""


_INTERP = '''\
def {name}(x: {np}.ndarray, xp: {np}.ndarray, fp: {np}.ndarray) -> {np}.ndarray:
    """`{np}.interp` by functions that `torch.compile` traces."""
    x, xp, fp = ({np}.asarray(each, dtype={np}.float64) for each in (x, xp, fp))
    left = {np}.clip({np}.searchsorted(xp, x, side="right") - 1, 0, len(xp) - 2)
    slope = (fp[left + 1] - fp[left]) / (xp[left + 1] - xp[left])
    y = slope * (x - xp[left]) + fp[left]
    y = {np}.where(x >= xp[-1], fp[-1], y)
    return {np}.where(x <= xp[0], fp[0], y)
'''
_NANMEAN = '''\
def {name}(x: {np}.ndarray, axis: int | None = None) -> {np}.ndarray:
    """`{np}.nanmean` by functions that `torch.compile` traces."""
    missing = {np}.isnan(x)
    count = {np}.sum({np}.where(missing, 0, {np}.ones_like(x)), axis=axis)
    return {np}.sum({np}.where(missing, 0, x), axis=axis) / count
'''
_FILLED = '''\
def {name}(x: {np}.ndarray, axis: int | None = None) -> {np}.ndarray:
    """`{np}.{function}` by functions that `torch.compile` traces."""
    return {np}.{plain}({np}.where({np}.isnan(x), {fill}, x), axis=axis)
'''
_TRAPEZOID = '''\
def {name}(y: {np}.ndarray, x: {np}.ndarray) -> {np}.ndarray:
    """`{np}.{function}` by functions that `torch.compile` traces."""
    y, x = {np}.asarray(y), {np}.asarray(x)
    return {np}.sum({np}.diff(x) * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
'''
_ISIN = '''\
def {name}(element: {np}.ndarray, test_elements: {np}.ndarray) -> {np}.ndarray:
    """`{np}.isin` by functions that `torch.compile` traces."""
    element, tested = {np}.asarray(element), {np}.sort({np}.ravel(test_elements))
    if not len(tested):
        return {np}.zeros(element.shape, dtype=bool)
    place = {np}.clip({np}.searchsorted(tested, element), 0, len(tested) - 1)
    return tested[place] == element
'''


def _filled(function: str, plain: str, fill: str, applicability: Applicability) -> _Equivalent:
    text = _FILLED.replace("{function}", function).replace("{plain}", plain).replace("{fill}", fill)
    return _Equivalent("a axis", applicability=applicability, helper=text)


_EQUIVALENTS: Mapping[str, _Equivalent] = {
    # NumPy takes infinite and complex values, too.
    "interp": _Equivalent("x xp fp", applicability="unsafe", helper=_INTERP),
    # NumPy adds half-precision numbers in another order, and warns if all elements are NaN.
    "nanmean": _Equivalent("a axis", applicability="unsafe", helper=_NANMEAN),
    # An array of bfloat16, which NumPy lacks, is refused only where Python calls the function.
    "nansum": _filled("nansum", "sum", "0", "unsafe"),
    "nanprod": _filled("nanprod", "prod", "1", "unsafe"),
    # If all elements are NaN, NumPy gives NaN and warns.
    "nanmax": _filled("nanmax", "max", "-{np}.inf", "unsafe"),
    "nanmin": _filled("nanmin", "min", "{np}.inf", "unsafe"),
    # If all elements are NaN, NumPy raises.
    "nanargmax": _filled("nanargmax", "argmax", "-{np}.inf", "unsafe"),
    "nanargmin": _filled("nanargmin", "argmin", "{np}.inf", "unsafe"),
    "trapezoid": _Equivalent("y x", helper=_TRAPEZOID.replace("{function}", "trapezoid")),
    "trapz": _Equivalent("y x", helper=_TRAPEZOID.replace("{function}", "trapz")),
    # NumPy compares integers with floating-point numbers exactly.
    "isin": _Equivalent("element test_elements", applicability="unsafe", helper=_ISIN),
    # For decreasing bins NumPy counts from the other end.
    "digitize": _Equivalent("x bins", '{np}.searchsorted({bins}, {x}, side="right")', "unsafe"),
    # NumPy refuses an array of truth values.
    "ediff1d": _Equivalent("ary", "{np}.diff({np}.ravel({ary}))", "unsafe"),
    # Compiled code gives small integers where NumPy gives large ones.
    "nancumsum": _Equivalent("a axis", "{np}.cumsum({np}.where({np}.isnan({a}), 0, {a}), axis={axis})", "unsafe"),
    # NumPy refuses items that are sequences.
    "fromiter": _Equivalent("iter dtype", "{np}.array(list({iter}), dtype={dtype})", "unsafe"),
    "astype": _Equivalent("x dtype", "{x}.astype({dtype})"),
    "matrix_transpose": _Equivalent("x", "{np}.swapaxes({x}, -1, -2)"),
    # A sorted array is partitioned; the order on both sides may differ from NumPy's.
    "partition": _Equivalent("a kth", "{np}.sort({a})", "unsafe"),
    "argpartition": _Equivalent("a kth", "{np}.argsort({a})", "unsafe"),
    "random.permutation": _Equivalent("x", "{torch}.randperm({x}).numpy()", "unsafe"),
}
# Aliases whose other name torch._numpy has.
_ALIASES = {
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "bitwise_invert": "bitwise_not",
    "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
    "concat": "concatenate",
    "permute_dims": "transpose",
    "pow": "power",
}
# Methods of ufuncs; their default axis is the first one.
_UFUNC_METHODS = {
    "add.reduce": "sum",
    "multiply.reduce": "prod",
    "maximum.reduce": "max",
    "minimum.reduce": "min",
    "logical_and.reduce": "all",
    "logical_or.reduce": "any",
    "add.accumulate": "cumsum",
    "multiply.accumulate": "cumprod",
}
_RANDOM = {
    "rand": ("", "{random}.uniform(0.0, 1.0)"),
    "random": ("", "{random}.uniform(0.0, 1.0)"),
    "random_sample": ("", "{random}.uniform(0.0, 1.0)"),
    "uniform": ("low high", "{random}.uniform({low}, {high})"),
}
_TITLE = "use functions that Dynamo traces"


def use_traced_function(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``np.interp``, ``np.nanmean``, ``np.add.reduce`` and other NumPy calls to functions that Dynamo traces.

    Preconditions: the equivalent supports the arguments, and one of them is an array. Safe for another name of the same
    function. Else unsafe: arrays that NumPy refuses, and arrays without dimensions, may give another result or error.
    """
    call, full = ctx.node, called_name(ctx)
    if not isinstance(call, cst.Call) or full is None or not full.startswith("numpy."):
        return None
    name = full.removeprefix("numpy.")
    np, imports = ctx.module_reference("numpy")
    if imports:
        return None
    if name in _ALIASES:
        func = cst.parse_expression(f"{np}.{_ALIASES[name]}")
        return Rewrite(_TITLE, "safe", {call.func: func})
    if name in _UFUNC_METHODS:
        return _by_function(ctx, call, f"{np}.{_UFUNC_METHODS[name]}")
    if name == "select":
        return _nested_where(ctx, call, np)
    equivalent = _EQUIVALENTS.get(name)
    if equivalent is None or not _takes_arrays(ctx, call):
        return None
    return _by_helper(ctx, call, name, equivalent, np) if equivalent.helper else _by_form(ctx, call, equivalent, np)


def _takes_arrays(ctx: FixContext, call: cst.Call) -> bool:
    """Return whether an argument is an array or a tensor with dimensions."""
    if called_name(ctx, call) in ("numpy.fromiter", "numpy.random.permutation"):
        return True
    values = [ctx.value(arg.value) for arg in call.args]
    return any(_is_array(value) for value in values)


def _is_array(value: Value | None) -> bool:
    return value is not None and all(isinstance(v, Tensor) and v.rank != 0 for v in members(value))


def _by_form(ctx: FixContext, call: cst.Call, equivalent: _Equivalent, np: str) -> Rewrite | None:
    """Return the rewrite of a call to an expression."""
    names = equivalent.parameters.split()
    arguments = bind_arguments(call, names)
    if arguments is None:
        return None
    repeated = [name for name in names if equivalent.form.count(f"{{{name}}}") > 1]
    if any(not isinstance(arguments.get(name), cst.Name) for name in repeated):
        return None
    first = names[0]
    if first not in arguments or not all(n in arguments or n == "axis" for n in names):
        return None
    texts = {name: ctx.code(value) for name, value in arguments.items()}
    texts[first] = (
        primary_text(ctx.tree, arguments[first]) if equivalent.form.startswith(f"{{{first}}}.") else texts[first]
    )
    torch, imports = ctx.module_reference("torch")
    if "{torch}" in equivalent.form and not _is_count(ctx.value(arguments[first])):
        return None
    text = equivalent.form.format(np=np, torch=torch, **{"axis": "None", **texts})
    wanted = imports if "{torch}" in equivalent.form else ()
    return Rewrite(_TITLE, equivalent.applicability, {call: parse_like(call, text)}, wanted)


def _is_count(value: Value | None) -> bool:
    kinds = members(value) if value is not None else ()
    return bool(kinds) and all(
        (isinstance(v, Const) and type(v.value) is int) or (isinstance(v, Scalar) and v.kind == "int") for v in kinds
    )


def _by_helper(ctx: FixContext, call: cst.Call, name: str, equivalent: _Equivalent, np: str) -> Rewrite | None:
    """Return the rewrite of a call to a call of a helper function, which is added if the file lacks it."""
    names = equivalent.parameters.split()
    arguments = bind_arguments(call, names)
    if arguments is None or names[0] not in arguments or not all(n in arguments or n == "axis" for n in names):
        return None
    own = f"_{name}"
    text = equivalent.helper.format(name=own, np=np)
    if "int | None" in text and not _has_future(ctx.tree.module):
        text = text.replace("axis: int | None = None", "axis=None")
    replace: dict[cst.CSTNode, cst.CSTNode | cst.FlattenSentinel[cst.CSTNode]] = {}
    replace[call.func] = cst.Name(own)
    if not _has_function(ctx.tree.module, own, text):
        put = after_imports(ctx.tree, text) if is_unused_name(ctx.tree, own) else {}
        if not put:
            return None
        replace.update(put)
    return Rewrite(f"replace `{np}.{name}` by a function in this file", equivalent.applicability, replace)


def _has_future(module: cst.Module) -> bool:
    return bool(match.findall(module, match.ImportFrom(module=match.Name("__future__"))))


def _has_function(module: cst.Module, name: str, text: str) -> bool:
    """Return whether the file has this function already."""
    for line in module.body:
        if isinstance(line, cst.FunctionDef) and line.name.value == name:
            return ast.dump(parse_module(module.code_for_node(line).strip())) == ast.dump(parse_module(text))
    return False


def _by_function(ctx: FixContext, call: cst.Call, func: str) -> Rewrite | None:
    """Return the rewrite of a ufunc method to the NumPy function that does the same.

    The compiled ``cumsum`` gives small integers where NumPy gives large ones.
    """
    arguments = bind_arguments(call, ["array", "axis"])
    if arguments is None or "array" not in arguments:
        return None
    axis = ctx.code(arguments["axis"]) if "axis" in arguments else "0"
    text = f"{func}({ctx.code(arguments['array'])}, axis={axis})"
    return Rewrite(_TITLE, "unsafe", {call: parse_like(call, text)})


def _nested_where(ctx: FixContext, call: cst.Call, np: str) -> Rewrite | None:
    """Rewrite ``np.select([a, b], [x, y], z)`` to ``np.where(a, x, np.where(b, y, z))``."""
    arguments = bind_arguments(call, ["condlist", "choicelist", "default"])
    if arguments is None:
        return None
    conditions, choices = _elements_of(arguments.get("condlist")), _elements_of(arguments.get("choicelist"))
    if not conditions or len(conditions) != len(choices):
        return None
    # NumPy finds one dtype for all choices, and refuses conditions that are not truth values.
    text = ctx.code(arguments["default"]) if "default" in arguments else "0"
    for condition, choice in zip(reversed(conditions), reversed(choices)):
        text = f"{np}.where({ctx.code(condition)}, {ctx.code(choice)}, {text})"
    return Rewrite(_TITLE, "unsafe", {call: parse_like(call, text)})


def _elements_of(node: cst.BaseExpression | None) -> Sequence[cst.BaseExpression]:
    if not isinstance(node, (cst.List, cst.Tuple)) or any(not isinstance(e, cst.Element) for e in node.elements):
        return ()
    return [element.value for element in node.elements]


def use_random_uniform(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``np.random.uniform(a, b)`` for one number to ``random.uniform(a, b)``, which Dynamo replays.

    Precondition: a tensor takes the number in arithmetic; Dynamo cannot compute with it otherwise. Unsafe: the random
    numbers come from another generator.
    """
    call, full = ctx.node, called_name(ctx)
    if not isinstance(call, cst.Call) or full is None or not full.startswith("numpy.random."):
        return None
    parameters, form = _RANDOM.get(full.removeprefix("numpy.random."), ("", ""))
    arguments = bind_arguments(call, parameters.split())
    parent = ctx.tree.parent(call)
    other = None
    if isinstance(parent, cst.BinaryOperation):
        other = ctx.value(parent.left if parent.right is call else parent.right)
    # Dynamo computes with such a number only in arithmetic with a tensor.
    if not form or arguments is None or len(arguments) != len(parameters.split()) or not _is_array(other):
        return None
    random, imports = ctx.module_reference("random")
    text = form.format(random=random, **{name: ctx.code(value) for name, value in arguments.items()})
    return Rewrite("use `random.uniform`, which Dynamo replays", "unsafe", {call: parse_like(call, text)}, imports)


def remove_round_trip(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``torch.from_numpy(t.numpy())`` to ``t``.

    Unsafe: ``numpy()`` refuses tensors that require a gradient, of bfloat16 and on other devices; and it is the same
    tensor afterwards, not another one with its memory.
    """
    read = ctx.node
    if not isinstance(read, cst.Call) or not isinstance(read.func, cst.Attribute) or read.args:
        return None
    argument = ctx.tree.parent(read)
    outer = None if argument is None else ctx.tree.parent(argument)
    if read.func.attr.value != "numpy" or not isinstance(outer, cst.Call) or len(outer.args) != 1:
        return None
    if called_name(ctx, outer) != "torch.from_numpy" or not _is_array(ctx.value(read.func.value)):
        return None
    tensor = read.func.value
    inside = isinstance(ctx.tree.parent(outer), (cst.BinaryOperation, cst.UnaryOperation, cst.Attribute, cst.Subscript))
    new = tensor if inside else parse_like(outer, ctx.code(tensor))
    return Rewrite("remove the round trip through NumPy", "unsafe", {outer: new})
