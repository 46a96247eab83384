"""Numbers that torch computes from Python numbers alone: computed while Dynamo traces."""

from __future__ import annotations

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, TextRewrite
from gblint.fix.recipes._build import called_name
from gblint.fix.recipes._extract_function import function_name
from gblint.fix.recipes._values import is_tensor
from gblint.fix.recipes.escape_hatches import insertion_before
from gblint.values.base import Const, Scalar, Tensor, Value, members

_FACTORIES = ("arange", "linspace", "logspace", "full", "ones", "zeros", "eye")
# Methods that are called without arguments.
_CHAINED = (
    "abs ceil cumprod cumsum double exp flip float floor int log long mean neg prod round sqrt square sum".split()
)


def compute_at_trace_time(ctx: FixContext) -> TextRewrite | None:
    """Rewrite ``torch.linspace(a, b, n).tolist()`` to a call of a function with ``assume_constant_result``.

    Dynamo calls that function itself. The tensor may be in a variable. Preconditions: the tensor is made from numbers
    and changed by methods without arguments only. Safe if all numbers are constants, else unsafe: Dynamo
    refuses arguments that it does not know, such as sizes, and fails where the function raises.
    """
    call = ctx.node
    if not isinstance(call, cst.Call) or call.args or not isinstance(call.func, cst.Attribute):
        return None
    method = call.func.attr.value
    made, chain = _origin(ctx, call.func.value)
    torch, imports = ctx.module_reference("torch")
    if method not in ("item", "tolist") or made is None or imports or ctx.tree.enclosing(call, cst.Lambda):
        return None
    inputs = _inputs(ctx, made)
    name = function_name(ctx)
    if inputs is None or name is None:
        return None
    text = ctx.code(made)
    for old, parameter in sorted(inputs.items(), key=lambda each: -len(each[0])):
        if old != parameter:
            text = text.replace(old, parameter)
    lines = [
        f"@{torch}.compiler.assume_constant_result",
        f"def {name}({', '.join(inputs.values())}):",
        f"    return {text}{chain}.{method}()",
    ]
    start, end = ctx.tree.bounds(call)
    new = f"{name}({', '.join(inputs)})"
    edits = [insertion_before(ctx, lines), (start, end, new)]
    unused = _unused_assignment(ctx, call)
    if unused is not None:
        edits.insert(1, (*unused, ""))
    exact = all(isinstance(ctx.value(node), Const) for node in _numbers_in(made))
    return TextRewrite(
        "compute the number while tracing",
        "safe" if exact else "unsafe",
        edits,
    )


def _origin(ctx: FixContext, node: cst.BaseExpression) -> tuple[cst.Call | None, str]:
    """Return the call that creates the tensor, and the methods called on it, as text."""
    chain = ""
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and not node.args:
        if node.func.attr.value not in _CHAINED:
            return None, ""
        chain = f".{node.func.attr.value}(){chain}"
        node = node.func.value
    if isinstance(node, cst.Name) and is_tensor(ctx.value(node)):
        small = _last_set(ctx, node)
        node = node if small is None else small.value
    name = called_name(ctx, node) or ""
    made = isinstance(node, cst.Call) and name.startswith("torch.") and name.removeprefix("torch.") in _FACTORIES
    return (node, chain) if made and isinstance(node, cst.Call) else (None, "")


def _last_set(ctx: FixContext, name: cst.Name) -> cst.Assign | None:
    """Return the assignment of the variable above in the same block, without other uses in between."""
    line = ctx.tree.enclosing(name, cst.SimpleStatementLine)
    block = None if line is None else ctx.tree.parent(line)
    if not isinstance(block, cst.IndentedBlock):
        return None
    above = list(block.body[: next(i for i, each in enumerate(block.body) if each is line)])
    set_to = match.SimpleStatementLine([match.Assign(targets=[match.AssignTarget(match.Name(name.value))])])
    for each in reversed(above):
        if match.matches(each, set_to):
            return cst.ensure_type(cst.ensure_type(each, cst.SimpleStatementLine).body[0], cst.Assign)
        if match.findall(each, match.Name(name.value)):
            return None
    return None


def _unused_assignment(ctx: FixContext, call: cst.Call) -> tuple[int, int] | None:
    """Return the range of the assignment of the tensor if nothing reads the variable but ``call``.

    The statement of ``call`` assigns the variable again, or nothing else mentions it. A comment stays.
    """
    names = [each for each in match.findall(call, match.Name()) if isinstance(each, cst.Name)]
    read = next((each for each in names if is_tensor(ctx.value(each))), None)
    small = None if read is None else _last_set(ctx, read)
    function = ctx.tree.enclosing(call, cst.FunctionDef)
    line = None if small is None else ctx.tree.parent(small)
    if read is None or small is None or function is None or not isinstance(line, cst.SimpleStatementLine):
        return None
    target = small.targets[0].target
    others = [each for each in match.findall(function, match.Name(read.value)) if each not in (read, target)]
    again = match.matches(ctx.statement, match.Assign([match.AssignTarget(match.Name(read.value))]))
    reads = match.findall(ctx.statement, match.Name(read.value))
    if others and not (again and len(reads) == 2):
        return None
    start, end = ctx.tree.bounds(small)
    comment = line.trailing_whitespace.comment
    if comment is not None:
        return start, ctx.tree.text.index(comment.value, end)
    first, after = ctx.tree.text.rfind("\n", 0, start) + 1, ctx.tree.text.find("\n", end) + 1
    return (first, after) if after else None


def _inputs(ctx: FixContext, made: cst.Call) -> dict[str, str] | None:
    """Return the variables in the arguments of ``made``, and their parameter names in the new function.

    Returns None if there is anything but numbers, which Dynamo has to know.
    """
    found: dict[str, str] = {}
    for arg in made.args:
        if arg.star or (arg.keyword is not None and arg.keyword.value not in ("start", "end", "steps", "step", "size")):
            return None
        if match.findall(arg.value, match.Call() | match.Subscript() | match.NamedExpr() | match.Lambda()):
            return None
    for node in _numbers_in(made):
        parameter = node.attr.value if isinstance(node, cst.Attribute) else ctx.code(node)
        if not _may_be_known(ctx.value(node)) or found.get(ctx.code(node), parameter) != parameter:
            return None
        found[ctx.code(node)] = parameter
    return found if found and len(set(found.values())) == len(found) else None


def _numbers_in(made: cst.Call) -> list[cst.BaseExpression]:
    """Return the variables and attributes in the arguments of ``made``."""
    found: list[cst.BaseExpression] = []
    for arg in made.args:
        attributes = [n for n in match.findall(arg.value, match.Attribute()) if isinstance(n, cst.Attribute)]
        inner = {id(part) for n in attributes for part in (n.value, n.attr)}
        names = [n for n in match.findall(arg.value, match.Name()) if isinstance(n, cst.Name)]
        found += [n for n in (*attributes, *names) if id(n) not in inner]
    return found


def _may_be_known(value: Value | None) -> bool:
    """Return whether a value may be a Python number or a size, and is not a tensor."""
    alternatives = [] if value is None else list(members(value))
    known = any(
        (isinstance(v, Const) and type(v.value) in (int, float))
        or (isinstance(v, Scalar) and v.kind in ("int", "float", "number") and v.origin in ("python", "size"))
        for v in alternatives
    )
    return known and not any(isinstance(v, Tensor) for v in alternatives)
