"""Kinds of parameters, inferred from their uses in the body of a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from gblint.interp.domain.access_paths import last_name
from gblint.interp.domain.size_usage import (
    counts_and_sizes,
    flat,
    is_length,
    is_of_math,
    names_in_arithmetic,
    parts_of_sizes,
    takes_sizes,
    walk_body,
)
from gblint.interp.state.caches import ParameterRoles
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.values.objects import Function, FunctionNode

_QUANTITIES = frozenset("x y z t tensor logits loss losses".split())
# Methods that hardly any class but a tensor has.
METHODS = frozenset(
    "item tolist numpy unsqueeze squeeze detach unbind argmax argmin softmax log_softmax sigmoid tanh clamp "
    "masked_fill nonzero is_floating_point data_ptr expand expand_as view_as reshape permute flatten cumsum backward "
    "requires_grad_ bernoulli scatter gather contiguous numel bool long int type_as new_zeros new_ones new_full "
    "new_tensor index_select masked_select repeat_interleave".split()
)
# Keywords of functions of torch that take a number or a flag.
_NUMBERS_BY_KEYWORD = frozenset(
    "p eps dropout_p momentum negative_slope groups dilation keepdim training inplace dim start_dim end_dim diagonal "
    "num_classes ignore_index label_smoothing is_causal enable_gqa norm_type align_corners".split()
)
# Names of modules whose functions have the names of tensor methods.
FUNCTIONAL = frozenset(("F", "torch", "nn", "functional"))
_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
MAX_PASSED_ON = 3
_Definition = ast.FunctionDef | ast.AsyncFunctionDef


def is_no_tensor(interp: Interpreter, function: Function, name: str) -> bool:
    """Return whether ``function`` uses the parameter ``name`` in a way that excludes a tensor.

    Such a parameter is called, unpacked with ``**``, compared with a string or, in a condition, with a number, used
    as a size or unpacked into sizes, as a number that an operator takes by keyword, as a flag, as the exponent of a
    number or as a share of a size, formatted into the name of an attribute, replaced by a number where it is None,
    searched with ``in``, passed on to a function that uses it so, or has an attribute accessed that tensors lack. A
    parameter called ``x`` is not taken for a flag.
    Functions of ``math`` take numbers, unless a parameter is called ``x`` or is used as a tensor too.
    """
    return _excludes_tensor(interp, function, name, 0, {})


def _excludes_tensor(
    interp: Interpreter, function: Function, name: str, depth: int, local: dict[str, _Definition]
) -> bool:
    """Return whether a use of the parameter ``name`` excludes a tensor; ``local``: the functions inside the callers."""
    place = (id(function.node), name)
    known = interp.caches.syntax.no_tensor_parameters.get(place)
    if known is not None:
        return known
    interp.caches.syntax.no_tensor_parameters[place] = False  # also the answer for a recursive call
    node = function.node
    numbers, flags = _names_without_tensors(interp, node)
    found = (
        name in numbers
        or (name not in _QUANTITIES and name in flags)
        or (name not in _QUANTITIES and _is_number_of_math(interp, node, name))
        or (depth < MAX_PASSED_ON and _is_passed_on(interp, function, name, depth, local))
    )
    interp.caches.syntax.no_tensor_parameters[place] = found
    return found


def _names_without_tensors(interp: Interpreter, node: FunctionNode) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that a function uses in a way that excludes a tensor, and those used as flags or counts."""
    known = interp.caches.syntax.no_tensor_names.get(node)
    if known is None:
        used = roles(interp, node)
        numbers = frozenset((*_used(interp, node), *used.counts))
        computed = {*_exponents(node), *_numbers_instead_of_none(node), *parts_of_sizes(node), *_searched(node)}
        computed = {*computed, *_unpacked(node, used.counts)} - used.tensors
        known = numbers, frozenset((*_flags(node), *_compared(node), *computed))
        interp.caches.syntax.no_tensor_names[node] = known
    return known


def _compared(function: FunctionNode) -> Iterator[str]:
    """Yield the names that a condition compares with a number, or with the length of something.

    A variable that differs from another only by a whole number counts for both: ``index = number - 1``.
    """
    shifted = dict(_shifted(function))
    for name in _directly_compared(function):
        yield name
        if name in shifted:
            yield shifted[name]


def _shifted(function: FunctionNode) -> Iterator[tuple[str, str]]:
    """Yield the variables to which another one plus or minus a whole number is assigned, with the other one."""
    for node in walk_body(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.BinOp):
            value = node.value
            if isinstance(value.op, (ast.Add, ast.Sub)) and isinstance(value.left, ast.Name):
                if isinstance(value.right, ast.Constant) and isinstance(value.right.value, int):
                    yield node.targets[0].id, value.left.id


def _directly_compared(function: FunctionNode) -> Iterator[str]:
    for node in walk_body(function):
        if not isinstance(node, (ast.If, ast.IfExp, ast.While, ast.Assert)):
            continue
        tests = node.test.values if isinstance(node.test, ast.BoolOp) else [node.test]
        for test in tests:
            if isinstance(test, ast.Compare) and all(isinstance(op, _ORDER) for op in test.ops):
                sides = [test.left, *test.comparators]
                if any(map(is_length, sides)):
                    yield from names_in_arithmetic(sides)
                elif any(isinstance(side, ast.Constant) and isinstance(side.value, (int, float)) for side in sides):
                    yield from _names(sides)


def _is_number_of_math(interp: Interpreter, node: FunctionNode, name: str) -> bool:
    used = roles(interp, node)
    return name in used.scalars and name not in used.tensors


def _is_passed_on(
    interp: Interpreter, function: Function, name: str, depth: int, local: dict[str, _Definition]
) -> bool:
    """Return whether the parameter goes to a function that admits no tensor there, by annotation or use."""
    inside: dict[str, _Definition] | None = None
    for node in _calls_passing(interp, function.node).get(name, ()):
        given = [index for index, arg in enumerate(node.args) if isinstance(arg, ast.Name) and arg.id == name]
        named = [k.arg for k in node.keywords if k.arg and isinstance(k.value, ast.Name) and k.value.id == name]
        if inside is None:
            inside = {**local, **_functions_inside(interp, function.node)}
        callee = _callee(interp, function, node.func, inside) if given or named else None
        if callee is None:
            continue
        called, bound = callee
        parameters = [*called.node.args.posonlyargs, *called.node.args.args][int(bound) :]
        names = {*(parameters[index].arg for index in given if index < len(parameters)), *named}
        for parameter in (*parameters, *called.node.args.kwonlyargs):
            if parameter.arg in names and _admits_no_tensor(interp, called, parameter, depth, inside):
                return True
    return False


def _calls_passing(interp: Interpreter, function: FunctionNode) -> dict[str, list[ast.Call]]:
    """Return the calls in a function by the names that are arguments in them."""
    known = interp.caches.syntax.calls_passing.get(function)
    if known is None:
        known = interp.caches.syntax.calls_passing[function] = {}
        for node in walk_body(function):
            if isinstance(node, ast.Call):
                for name in dict.fromkeys(_names([*node.args, *(k.value for k in node.keywords if k.arg)])):
                    known.setdefault(name, []).append(node)
    return known


def _functions_inside(interp: Interpreter, function: FunctionNode) -> dict[str, _Definition]:
    """Return the functions that are defined directly in the body of a function, by name."""
    known = interp.caches.syntax.functions_inside.get(function)
    if known is None:
        body = function.body if isinstance(function.body, list) else []
        known = {each.name: each for each in body if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))}
        interp.caches.syntax.functions_inside[function] = known
    return known


def _admits_no_tensor(
    interp: Interpreter, function: Function, parameter: ast.arg, depth: int, local: dict[str, _Definition]
) -> bool:
    if parameter.annotation is not None:
        return isinstance(parameter.annotation, ast.Name) and parameter.annotation.id in ("int", "bool", "str")
    return _excludes_tensor(interp, function, parameter.arg, depth + 1, local)


def _callee(
    interp: Interpreter, function: Function, called: ast.expr, local: dict[str, _Definition]
) -> tuple[Function, bool] | None:
    """Return the project's function behind ``f(...)`` or ``self.f(...)``, and whether it has a receiver."""
    if isinstance(called, ast.Name) and called.id in local:
        return Function(local[called.id], function.module, f"{function.name}.{called.id}"), False
    if isinstance(called, ast.Name):
        found = interp.module_attribute(function.module, called.id) if called.id in function.module.symbols else None
        return (found, False) if isinstance(found, Function) else None
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and function.owner is not None:
        parameters = function.node.args.args
        if parameters and parameters[0].arg == called.value.id:
            method = interp.class_attribute(function.owner, called.attr)
            return (method, True) if isinstance(method, Function) else None
    return None


def roles(interp: Interpreter, node: FunctionNode) -> ParameterRoles:
    """Return the names that the body of a function uses as tensors, iterators, generators, counts and scalars.

    A tensor, or an item of it, has a method called that hardly any other class has, or it has items, a dtype and a
    device; a scalar is an argument of a function of ``math``.
    """
    known = interp.caches.syntax.parameter_roles.get(node)
    if known is None:
        calls = [each for each in walk_body(node) if isinstance(each, ast.Call)]
        methods = [n.func for n in calls if isinstance(n.func, ast.Attribute) and n.func.attr in METHODS]
        taken = [n.args[0] for n in calls if isinstance(n.func, ast.Name) and n.func.id == "next" and n.args]
        drawn = [keyword.value for n in calls for keyword in n.keywords if keyword.arg == "generator"]
        known = interp.caches.syntax.parameter_roles[node] = ParameterRoles(
            frozenset(_names([_indexed(each.value) for each in methods])) | _typed_arrays(node),
            frozenset(_names(taken)),
            frozenset(_names(drawn)),
            frozenset(counts_and_sizes(node)),
            frozenset(names_in_arithmetic([arg for n in calls if is_of_math(n.func) for arg in n.args])),
        )
    return known


def _typed_arrays(function: FunctionNode) -> frozenset[str]:
    """Return the names of what has items, a dtype and a device; modules of diffusers have the last two only."""
    nodes = list(walk_body(function))
    read = {
        (each.value.id, each.attr)
        for each in nodes
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name)
    }
    indexed = _names([each.value for each in nodes if isinstance(each, ast.Subscript)])
    return frozenset(name for name in indexed if {(name, "dtype"), (name, "device")} <= read)


def _indexed(node: ast.expr) -> ast.expr:
    """Return ``x`` for ``x[i]``, unless the index is a key of a dict; other expressions as they are."""
    if isinstance(node, ast.Subscript) and not _is_text(node.slice):
        return node.value
    return node


def _used(interp: Interpreter, function: FunctionNode) -> Iterator[str]:
    for node in walk_body(function):
        if isinstance(node, ast.Call):
            yield from _names([node.func, *(k.value for k in node.keywords if k.arg is None)])
            if takes_sizes(node.func):
                yield from names_in_arithmetic(flat(node.args))
            if isinstance(node.func, ast.Attribute) and last_name(node.func.value) in FUNCTIONAL:
                yield from _names([k.value for k in node.keywords if k.arg in _NUMBERS_BY_KEYWORD])
            factors = [k.value for k in node.keywords if k.arg == "alpha"]
            yield from names_in_arithmetic([each for each in factors if isinstance(each, ast.BinOp)])
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if isinstance(node.ctx, ast.Load) and not is_tensor_attribute(interp, node.attr):
                yield node.value.id
        elif isinstance(node, ast.JoinedStr) and _names_attribute(node):
            yield from (
                name
                for part in node.values
                if isinstance(part, ast.FormattedValue)
                for name in names_in_arithmetic([part.value])
            )
        elif isinstance(node, ast.Compare) and any(_is_text(part) for part in node.comparators):
            yield from _names([node.left])
        elif isinstance(node, ast.Assign) and _is_text(node.value):
            yield from _names(node.targets)


def _searched(function: FunctionNode) -> Iterator[str]:
    """Yield the names of what a function searches with ``in``: hardly ever tensors."""
    for node in walk_body(function):
        if isinstance(node, ast.Compare):
            found = [part for op, part in zip(node.ops, node.comparators) if isinstance(op, (ast.In, ast.NotIn))]
            yield from _names(found)


def _unpacked(function: FunctionNode, counts: Set[str]) -> Iterator[str]:
    """Yield what is unpacked into sizes only (``height, width = size``), and what such tuples are taken from.

    Sizes are ``counts``, and heights and widths by their names.
    """
    found: set[str] = set()
    nodes = list(walk_body(function))
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and isinstance(node.targets[0], ast.Tuple):
            tuples = [each for each in ast_walk.walk(node.targets[0]) if isinstance(each, ast.Tuple)]
            if any(all(_is_extent(part, counts) for part in each.elts) for each in tuples):
                found.add(node.value.id)
    yield from found
    for node in nodes if found else ():
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name) and node.target.id in found:
            yield from _names([node.iter])


def _is_extent(part: ast.expr, counts: Set[str]) -> bool:
    if not isinstance(part, ast.Name):
        return False
    return part.id in counts or part.id.lower().rstrip("_0123456789") in ("h", "w", "height", "width")


def _names_attribute(text: ast.JoinedStr) -> bool:
    """Return whether an f-string reads like the name of an attribute, such as ``f"layer{index}"``."""
    parts = [part.value for part in text.values if isinstance(part, ast.Constant)]
    return bool(parts) and all(isinstance(part, str) and part.replace("_", "a").isalnum() for part in parts)


def _flags(function: FunctionNode) -> Iterator[str]:
    """Yield the names whose truth decides a branch."""
    for node in walk_body(function):
        if isinstance(node, (ast.If, ast.IfExp, ast.While)):
            yield from _names([node.test])
        elif isinstance(node, ast.BoolOp):
            yield from _names(node.values)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield from _names([node.operand])


def _exponents(function: FunctionNode) -> Iterator[str]:
    """Yield the names in ``2**bits`` and ``1 << bits``, and in ``"text" + str(bits)``."""
    for node in walk_body(function):
        if not isinstance(node, ast.BinOp) or not isinstance(node.left, ast.Constant):
            continue
        if isinstance(node.op, (ast.Pow, ast.LShift)) and isinstance(node.left.value, (int, float)):
            yield from _names([node.right])
        elif isinstance(node.op, ast.Add) and _is_text(node.left) and isinstance(node.right, ast.Call):
            if isinstance(node.right.func, ast.Name) and node.right.func.id == "str":
                yield from _names(node.right.args)


def _numbers_instead_of_none(function: FunctionNode) -> Iterator[str]:
    """Yield the names that get a number or some numbers where they are None.

    Examples: ``if step is None: step = 0`` and ``window if window is not None else (-1, -1)``.
    """
    for node in walk_body(function):
        name, is_none = _asked_for_none(node.test) if isinstance(node, (ast.If, ast.IfExp)) else ("", False)
        if not name:
            continue
        instead: ast.expr | None = None
        if isinstance(node, ast.IfExp):
            instead, kept = (node.body, node.orelse) if is_none else (node.orelse, node.body)
            instead = instead if isinstance(kept, ast.Name) and kept.id == name else None
        elif isinstance(node, ast.If) and is_none and isinstance(node.body[0], ast.Assign):
            instead = node.body[0].value if name in list(_names(node.body[0].targets)) else None
        if instead is not None and _is_number(instead):
            yield name


def _asked_for_none(test: ast.expr) -> tuple[str, bool]:
    """Return the name in the test ``name is None``, and whether it is that test or its opposite.

    The name is empty for another test.
    """
    if not isinstance(test, ast.Compare) or not isinstance(test.left, ast.Name):
        return "", False
    other, op = test.comparators[0], test.ops[0]
    asks = isinstance(op, (ast.Is, ast.IsNot)) and isinstance(other, ast.Constant) and other.value is None
    return (test.left.id if asks else ""), isinstance(op, ast.Is)


def _is_number(node: ast.expr) -> bool:
    """Return whether an expression is a number, or a tuple or list of numbers."""
    if isinstance(node, (ast.Tuple, ast.List)):
        return bool(node.elts) and all(_is_number(each) for each in node.elts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))


def _names(nodes: list[ast.expr]) -> Iterator[str]:
    return (n.id for n in nodes if isinstance(n, ast.Name))


def _is_text(node: ast.expr) -> bool:
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return bool(node.elts) and all(_is_text(e) for e in node.elts)
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def is_tensor_attribute(interp: Interpreter, name: str) -> bool:
    """Return whether tensors or arrays have an attribute or a method of this name."""
    known = interp.knowledge
    if known.tensor_method(name) is not None or known.tensor_attribute(name) is not None:
        return True
    return name in _ALWAYS or known.ndarray_method(name) is not None or known.ndarray_attribute(name) is not None


_ALWAYS = frozenset("shape dtype ndim device grad data T mT H mH real imag layout requires_grad".split())
