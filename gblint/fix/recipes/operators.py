"""Functions that work with NumPy on the host: called from the graph through a custom operator.

Every backend can call an operator. A ``leaf_function`` is refused by inductor: ``GraphLowering.get_attr``
(torch/_inductor/graph.py, 2.13 to 2.15) asserts that attributes of the graph are tensors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import libcst as cst
from libcst.helpers import get_full_name_for_node

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Replacement, Rewrite
from gblint.fix.recipes._build import all_parameters, is_unused_name, operator_namespace, parse_statement
from gblint.fix.recipes.escape_hatches import is_plain
from gblint.values.base import Unknown, members
from gblint.values.objects import ExternalName

# An assignment and its value.
_Assignment = tuple["cst.Assign | None", cst.BaseExpression]
_ALLOCATING = {"zeros": 1, "ones": 1, "empty": 1, "full": 2}
_DTYPES = {
    **{name: name for name in "int8 int16 int32 int64 uint8 float16 float32 float64 complex64 complex128".split()},
    "bool": "bool",
    "bool_": "bool",
    "int": "int64",
    "float": "float64",
    "double": "float64",
    "single": "float32",
}
# Nodes that may occur in the computation of a shape.
_SHAPE_NODES = (
    cst.Name, cst.Integer, cst.Tuple, cst.List, cst.Attribute, cst.Subscript, cst.BinaryOperation, cst.UnaryOperation
)  # fmt: skip
_SHAPE_FUNCTIONS = ("len", "max", "min", "size", "int")
_SEQUENCES = ("tuple", "Tuple", "list", "List", "Sequence")
_TENSORS = ("Tensor", "LongTensor", "BoolTensor", "FloatTensor", "IntTensor")
_NUMBERS = ("int", "float", "bool")


def call_as_operator(ctx: FixContext) -> Rewrite | None:
    """Wrap the function of the finding in a ``custom_op`` whose fake allocates an equal tensor.

    Preconditions: the function returns one array that it allocates with a shape computed from its arguments, its
    parameters have annotations that an operator schema takes, and all calls in the file make a tensor of the result.
    Unsafe: the call happens where the graph schedules it.
    """
    function = ctx.tree.enclosing(ctx.node, cst.FunctionDef)
    while function is not None and ctx.tree.parent(function) is not ctx.tree.module:
        function = ctx.tree.enclosing(function, cst.FunctionDef)
    torch, imports = ctx.module_reference("torch")
    if function is None or imports or function.decorators or function.asynchronous:
        return None
    name = function.name.value
    operator, fake = f"{name}_op", f"{name}_fake"
    lines = _fake_of(ctx, function, torch)
    calls = _calls(ctx, name)
    schema_parameters = _declared(function.params, torch)
    if (
        lines is None
        or schema_parameters is None
        or not calls
        or not all(is_unused_name(ctx.tree, each) for each in (operator, fake))
    ):
        return None
    replace: dict[cst.CSTNode, Replacement] = {}
    for call in calls:
        replacements = _result_replacements(ctx, function, call)
        if replacements is None or not _passes_plain_values(ctx, function, call):
            return None
        replace[call] = call.with_changes(func=cst.Name(operator))
        replace.update(replacements)
    returns = cst.Annotation(cst.parse_expression(f"{torch}.Tensor"))
    like = function.with_changes(params=schema_parameters, returns=returns)
    space = operator_namespace(ctx.tree)
    registered = (
        f'{torch}.library.custom_op("{space}::{name}", mutates_args=(), tags=({torch}.Tag.nondeterministic_seeded,))'
    )
    passed = ", ".join(_passed(function.params))
    made = [
        _wrapper(ctx, like, operator, registered, [f"return {torch}.as_tensor({name}({passed}))"]),
        _wrapper(ctx, like, fake, f"{operator}.register_fake", lines),
    ]
    replace[function] = cst.FlattenSentinel([function, *made])
    return Rewrite(f"call `{name}` from the graph with a `custom_op`", "unsafe", replace)


def _wrapper(ctx: FixContext, like: cst.FunctionDef, name: str, decorator: str, body: Sequence[str]) -> cst.FunctionDef:
    """Return a function with the signature of ``like``, in the style of the file."""
    empty = cst.EmptyLine(indent=False)
    return like.with_changes(
        name=cst.Name(name),
        decorators=[cst.Decorator(cst.parse_expression(decorator))],
        body=cst.IndentedBlock([parse_statement(ctx.tree, line) for line in body]),
        leading_lines=[empty, empty],
        lines_after_decorators=[],
    )


def _declared(parameters: cst.Parameters, torch: str) -> cst.Parameters | None:
    """Return the parameters with schema annotations; None if one of them has no schema type."""
    if isinstance(parameters.star_arg, cst.Param) or parameters.star_kwarg is not None:
        return None
    new: dict[str, list[cst.Param]] = {"posonly_params": [], "params": [], "kwonly_params": []}
    for kind, found in new.items():
        for each in getattr(parameters, kind):
            schema_type = None if each.annotation is None else _schema_type(each.annotation.annotation, torch)
            if schema_type is None or not (each.default is None or _is_constant(each.default)):
                return None
            found.append(each.with_changes(annotation=cst.Annotation(cst.parse_expression(schema_type))))
    return parameters.with_changes(**new)


def _schema_type(node: cst.BaseExpression, torch: str) -> str | None:
    """Return an annotation as ``torch.library.infer_schema`` reads it: ``tuple[int, int]`` becomes ``list[int]``."""
    if isinstance(node, cst.SimpleString):
        return _schema_type(cst.parse_expression(str(node.evaluated_value)), torch)
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.BitOr):
        sides = [each for each in (node.left, node.right) if not match.matches(each, match.Name("None"))]
        inner = _schema_type(sides[0], torch) if len(sides) == 1 else None
        return inner and f"{inner} | None"
    name = (get_full_name_for_node(node.value if isinstance(node, cst.Subscript) else node) or "").rpartition(".")[2]
    if isinstance(node, cst.Subscript):
        parts = [e.slice.value for e in node.slice if isinstance(e.slice, cst.Index)]
        kinds = {_schema_type(e, torch) for e in parts if not match.matches(e, match.Ellipsis())}
        kind = kinds.pop() if len(kinds) == 1 else None
        if name == "Optional":
            return kind and f"{kind} | None"
        return f"list[{kind}]" if name in _SEQUENCES and kind in (*_NUMBERS, "str", f"{torch}.Tensor") else None
    if name in _TENSORS:
        return f"{torch}.Tensor"
    return name if name in (*_NUMBERS, "str") else None


def _is_constant(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.UnaryOperation):
        node = node.expression
    return isinstance(node, (cst.Integer, cst.Float, cst.SimpleString)) or match.matches(
        node, match.Name("None") | match.Name("True") | match.Name("False")
    )


def _passed(parameters: cst.Parameters) -> Iterator[str]:
    """Yield the arguments for the function, with lists converted to the tuples that it declares."""
    for each in (*parameters.posonly_params, *parameters.params):
        yield _as_written(each)
    for each in parameters.kwonly_params:
        yield f"{each.name.value}={_as_written(each)}"


def _as_written(parameter: cst.Param) -> str:
    node = parameter.annotation.annotation if parameter.annotation is not None else None
    name = get_full_name_for_node(node.value) if isinstance(node, cst.Subscript) else ""
    return f"tuple({parameter.name.value})" if name in ("tuple", "Tuple") else parameter.name.value


# -- the fake --------------------------------------------------------------------------------------------------------


def _fake_of(ctx: FixContext, function: cst.FunctionDef, torch: str) -> list[str] | None:
    """Return the lines that create a tensor like the array that the function returns; None if that is not known."""
    returned = _returned(function)
    if returned is None:
        return None
    # Changes in place keep the shape and the dtype of an array.
    made = _assigned(function, in_place=False).get(returned, [])
    allocation = _allocation(ctx, made[0][1]) if len(made) == 1 else None
    if allocation is None or not _keeps_shape(function, returned):
        return None
    shape, dtype = allocation
    lines: list[str] = []
    if not _slice(ctx, function, shape, _assigned(function), lines):
        return None
    text = f"({ctx.code(shape)})" if isinstance(shape, cst.Tuple) else ctx.code(shape)
    return [*lines, f"return {torch}.empty({text}, dtype={torch}.{dtype})"]


def _returned(function: cst.FunctionDef) -> str | None:
    """Return the one variable that the function returns."""
    found = {
        each.value.value if isinstance(each.value, cst.Name) else ""
        for each in _own(function, match.Return())
        if isinstance(each, cst.Return)
    }
    last = function.body.body[-1] if isinstance(function.body, cst.IndentedBlock) else None
    ends = match.matches(last, match.SimpleStatementLine(body=[match.Return()])) if last is not None else False
    return found.pop() or None if len(found) == 1 and ends else None


def _own(function: cst.FunctionDef, wanted: match.BaseMatcherNode) -> list[cst.CSTNode]:
    """Return the matching nodes of the function that are not in nested functions."""
    inner = match.findall(function.body, match.FunctionDef() | match.Lambda())
    hidden = {id(node) for each in inner for node in match.findall(each, wanted)}
    return [node for node in match.findall(function.body, wanted) if id(node) not in hidden]


def _assigned(function: cst.FunctionDef, *, in_place: bool = True) -> dict[str, list[_Assignment]]:
    """Return by name the assignments of variables; a None marks one that is not a plain top-level assignment."""
    found: dict[str, list[_Assignment]] = {}
    setting = match.AssignTarget() | match.AnnAssign() | match.For() | match.NamedExpr()
    for target in match.findall(function.body, setting | match.AugAssign() if in_place else setting):
        node = getattr(target, "target", None)
        for name in match.findall(node, match.Name()) if isinstance(node, (cst.Name, cst.Tuple, cst.List)) else ():
            assert isinstance(name, cst.Name)
            found.setdefault(name.value, []).append((None, name))
    for line in function.body.body:
        for small in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            if isinstance(small, cst.Assign) and len(small.targets) == 1:
                target = small.targets[0].target
                elements = target.elements if isinstance(target, (cst.Tuple, cst.List)) else ()
                for name in [target] if isinstance(target, cst.Name) else [e.value for e in elements]:
                    if isinstance(name, cst.Name) and len(found.get(name.value, ())) == 1:
                        found[name.value] = [(small, small.value)]
    return found


def _allocation(ctx: FixContext, node: cst.BaseExpression) -> tuple[cst.BaseExpression, str] | None:
    """Return the shape and the dtype of an array that NumPy allocates."""
    if not isinstance(node, cst.Call) or any(arg.star for arg in node.args):
        return None
    text = get_full_name_for_node(node.func) or ""
    value = ctx.value(node.func)
    full = value.name if isinstance(value, ExternalName) else text.replace("np.", "numpy.", 1)
    if not full.startswith("numpy.") or full[6:] not in _ALLOCATING or not node.args:
        return None
    named = {arg.keyword.value: arg.value for arg in node.args if arg.keyword}
    plain = [arg.value for arg in node.args if not arg.keyword]
    shape = named.get("shape") or (plain[0] if plain else None)
    place = _ALLOCATING[full[6:]]
    dtype = named.get("dtype") or (plain[place] if len(plain) > place else None)
    if shape is None or (dtype is None and place == 2) or set(named) - {"shape", "dtype", "fill_value"}:
        return None
    text = "float64" if dtype is None else (get_full_name_for_node(dtype) or "").rpartition(".")[2]
    return (shape, _DTYPES[text]) if text in _DTYPES else None


def _keeps_shape(function: cst.FunctionDef, name: str) -> bool:
    """Return whether nothing changes the shape of the array in place."""
    changing = match.Call(func=match.Attribute(value=match.Name(name), attr=match.Name("resize")))
    shaped = match.AssignTarget(match.Attribute(value=match.Name(name)))
    return not match.findall(function.body, changing | shaped)


def _slice(
    ctx: FixContext,
    function: cst.FunctionDef,
    node: cst.BaseExpression,
    assigned: Mapping[str, Sequence[_Assignment]],
    lines: list[str],
) -> bool:
    """Add to ``lines`` the assignments on which ``node`` depends; return whether all of it only computes sizes."""
    parameters = {each.name.value for each in all_parameters(function.params)}
    if not all(_is_of_sizes(each) for each in _expressions(node)):
        return False
    for name in _read(node):
        places = assigned.get(name, [])
        if name in parameters and not places:
            continue
        assign, value = places[0] if places else (None, None)
        if len(places) != 1 or assign is None or value is None or name in parameters:
            return False
        line = ctx.code(assign)
        if line not in lines:
            if not _slice(ctx, function, value, assigned, lines):
                return False
            lines.append(line)
    return True


def _is_of_sizes(node: cst.BaseExpression) -> bool:
    """Return whether ``node`` is a part of a computation of sizes."""
    if isinstance(node, cst.Call):
        return (get_full_name_for_node(node.func) or "").rpartition(".")[2] in _SHAPE_FUNCTIONS
    return isinstance(node, _SHAPE_NODES)


def _read(node: cst.CSTNode) -> Iterator[str]:
    """Yield the variables that ``node`` reads."""
    if isinstance(node, cst.Name):
        yield node.value
    elif isinstance(node, cst.Attribute):
        yield from _read(node.value)
    elif isinstance(node, cst.Call):
        yield from _read(node.func) if isinstance(node.func, cst.Attribute) else ()
        for arg in node.args:
            yield from _read(arg.value)
    else:
        for child in node.children:
            yield from _read(child)


def _expressions(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    if isinstance(node, cst.BaseExpression):
        yield node
    for child in node.children:
        yield from _expressions(child)


# -- the calls -------------------------------------------------------------------------------------------------------


def _calls(ctx: FixContext, name: str) -> list[cst.Call]:
    """Return the calls of the function in the file; none if it is used otherwise."""
    uses = match.findall(ctx.tree.module, match.Name(name))
    calls = match.findall(ctx.tree.module, match.Call(func=match.Name(name)))
    found = [each for each in calls if isinstance(each, cst.Call)]
    # The definition and the calls; a keyword argument of that name would be one use more.
    return found if len(uses) == len(found) + 1 else []


def _result_replacements(
    ctx: FixContext, function: cst.FunctionDef, call: cst.Call
) -> dict[cst.CSTNode, Replacement] | None:
    """Return the replacements in the code that makes a tensor of the result; None if the result is used otherwise."""
    around = ctx.tree.enclosing(call, cst.FunctionDef)
    if around is None or around is function:
        return None
    parent = ctx.tree.parent(call)
    if isinstance(parent, cst.Arg):
        return _converted(ctx, call)
    line = ctx.tree.parent(parent) if isinstance(parent, cst.Assign) else None
    block = None if line is None else ctx.tree.parent(line)
    if not isinstance(parent, cst.Assign) or len(parent.targets) != 1 or not isinstance(block, cst.IndentedBlock):
        return None
    target = parent.targets[0].target
    position = next((i for i, each in enumerate(block.body) if each is line), None)
    if not isinstance(target, cst.Name) or position is None or position + 1 >= len(block.body):
        return None
    following = block.body[position + 1]
    uses = [n for n in match.findall(following, match.Name(target.value)) if not _is_set(ctx, n)]
    again = match.matches(
        following,
        match.SimpleStatementLine(body=[match.Assign(targets=[match.AssignTarget(match.Name(target.value))])]),
    )
    end = ctx.tree.bounds(following)[1]
    later = [n for n in match.findall(around, match.Name(target.value)) if ctx.tree.bounds(n)[0] > end]
    if len(uses) != 1 or (later and not again) or not isinstance(uses[0], cst.Name):
        return None
    return _converted(ctx, uses[0])


def _is_set(ctx: FixContext, node: cst.CSTNode) -> bool:
    return isinstance(ctx.tree.parent(node), cst.AssignTarget)


def _converted(ctx: FixContext, node: cst.BaseExpression) -> dict[cst.CSTNode, Replacement] | None:
    """Return the replacements in ``torch.tensor(node)`` or ``torch.as_tensor(node)`` for a tensor ``node``."""
    arg = ctx.tree.parent(node)
    call = ctx.tree.parent(arg) if isinstance(arg, cst.Arg) else None
    if not isinstance(call, cst.Call) or call.args[0] is not arg:
        return None
    value = ctx.value(call.func)
    name = value.name if isinstance(value, ExternalName) else ""
    if name == "torch.tensor" and isinstance(call.func, cst.Attribute):
        keywords = {each.keyword.value for each in call.args[1:] if each.keyword}
        if len(keywords) != len(call.args) - 1 or keywords - {"dtype", "device"}:
            return None
        return {call.func: call.func.with_changes(attr=cst.Name("as_tensor"))}
    if name == "torch.as_tensor":
        return {}
    return None


def _passes_plain_values(ctx: FixContext, function: cst.FunctionDef, call: cst.Call) -> bool:
    """Return whether the arguments are tensors, numbers, strings or containers of them, or unknown."""
    parameters = all_parameters(function.params)
    by_name = {each.name.value: each for each in parameters}
    for position, arg in enumerate(call.args):
        if arg.star or (arg.keyword is None and position >= len(parameters)):
            return False
        parameter = by_name.get(arg.keyword.value) if arg.keyword else parameters[position]
        value = ctx.value(arg.value)
        unknown = value is None or any(isinstance(v, Unknown) for v in members(value))
        if parameter is None or not (unknown or is_plain(value, modules=False)):
            return False
    return True
