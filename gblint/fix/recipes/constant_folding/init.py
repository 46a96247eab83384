"""Numbers that are computed only from attributes set by ``__init__``: computed once, in ``__init__``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

import libcst as cst

from gblint.fix import matchers as match
from gblint.fix.context import FixContext, Replacement, Rewrite
from gblint.fix.names import NameUses, parameters_of
from gblint.fix.recipes._build import init_method, is_unused_name, own_line, parse_like, parse_statement
from gblint.fix.recipes._extract_function import enclosing_function
from gblint.fix.recipes._purity import is_pure_call

_READS = ("item", "numpy", "cpu", "detach")
_OF_SELF = match.Attribute(value=match.Name("self"))


def compute_in_init(ctx: FixContext) -> Rewrite | None:
    """Rewrite ``n = (self.a - self.b.max()).item()`` to an attribute that ``__init__`` sets to the Python number.

    Preconditions: all steps are pure, nothing else in the file assigns the attributes that they read, and nothing in
    the class changes them in place; parameters and buffers are excluded. Unsafe: code of other files may change them.
    """
    small, line = ctx.statement, own_line(ctx)
    method, owner = ctx.tree.enclosing(ctx.node, cst.FunctionDef), ctx.tree.enclosing(ctx.node, cst.ClassDef)
    if not isinstance(small, cst.Assign) or len(small.targets) != 1 or line is None or method is None:
        return None
    target = small.targets[0].target
    first = method.params.params[0].name.value if method.params.params else ""
    if owner is None or ctx.tree.parent(method) is not owner.body or first != "self" or method.decorators:
        return None
    init = init_method(owner)
    if init is None or init is method or match.findall(init, match.Return()) or not isinstance(target, cst.Name):
        return None
    steps = _steps(ctx, line, small.value)
    name = f"_{target.value.strip('_')}"
    if (
        steps is None
        or not is_unused_name(ctx.tree, name)
        or not all(_is_constant(ctx, owner, init, each) for each in steps)
    ):
        return None
    last = init.body.body[-1]
    if _assigned_by(steps) & _names_in(init) or not isinstance(last, cst.BaseStatement):
        return None
    made: list[cst.BaseStatement] = []
    replace: dict[cst.CSTNode, Replacement] = {}
    for each in steps[:-1]:
        old = cst.ensure_type(ctx.tree.parent(each), cst.SimpleStatementLine)
        new = cst.ensure_type(parse_statement(ctx.tree, ctx.code(each)), cst.SimpleStatementLine)
        named = match.Name(_target_name(each))
        # A step that nothing else needs moves to ``__init__`` with its comment.
        if len(match.findall(method, named)) == sum(len(match.findall(step, named)) for step in steps):
            replace[old] = cst.RemoveFromParent()
            new = new.with_changes(leading_lines=[line for line in old.leading_lines if line.comment])
        made.append(new)
    made.append(parse_statement(ctx.tree, f"self.{name} = {ctx.code(small.value)}"))
    replace[last] = cst.FlattenSentinel([last, *made])
    replace[small.value] = parse_like(small.value, f"self.{name}")
    return Rewrite("compute the number once in `__init__`, assuming that its inputs do not change", "unsafe", replace)


def _target_name(step: cst.CSTNode) -> str:
    """Return the variable that a step assigns."""
    return cst.ensure_type(cst.ensure_type(step, cst.Assign).targets[0].target, cst.Name).value


def _assigned_by(steps: Sequence[cst.CSTNode]) -> set[str]:
    return {_target_name(each) for each in steps[:-1]}


def _names_in(function: cst.FunctionDef) -> set[str]:
    return {each.value for each in match.findall(function, match.Name()) if isinstance(each, cst.Name)}


def _steps(ctx: FixContext, line: cst.SimpleStatementLine, value: cst.BaseExpression) -> list[cst.CSTNode] | None:
    """Return the assignments on which ``value`` depends, in order, and ``value``.

    Returns None if it depends on anything else.
    """
    block = ctx.tree.parent(line)
    found = enclosing_function(ctx)
    if not isinstance(block, cst.IndentedBlock) or found is None:
        return None
    local = NameUses.of(found.body).assigned | set(parameters_of(found))
    above = list(block.body[: next(number for number, each in enumerate(block.body) if each is line)])
    needed, steps = _read(value) & local - {"self"}, list[cst.CSTNode]([value])
    for each in reversed(above):
        small = each.body[0] if isinstance(each, cst.SimpleStatementLine) and len(each.body) == 1 else None
        start, end = ctx.tree.bounds(each)
        first, last = ctx.tree.offsets.position(start)[0], ctx.tree.offsets.position(max(end - 1, start))[0]
        inside = (node for node in ast.walk(found) if isinstance(node, ast.stmt) and first <= node.lineno <= last)
        names = NameUses.of(inside).assigned
        if not names & needed:
            continue
        if not isinstance(small, cst.Assign) or len(small.targets) != 1 or len(names) != 1:
            return None
        if not isinstance(small.targets[0].target, cst.Name):
            return None
        steps.insert(0, small)
        needed = (needed - names) | (_read(small.value) & local - {"self"})
    return steps if not needed else None


def _read(node: cst.CSTNode) -> set[str]:
    """Return the variables that ``node`` reads."""
    hidden = {id(each.attr) for each in match.findall(node, match.Attribute()) if isinstance(each, cst.Attribute)}
    hidden |= {id(each.keyword) for each in match.findall(node, match.Arg()) if isinstance(each, cst.Arg)}
    names = match.findall(node, match.Name())
    return {each.value for each in names if isinstance(each, cst.Name) and id(each) not in hidden}


def _is_constant(ctx: FixContext, owner: cst.ClassDef, init: cst.FunctionDef, step: cst.CSTNode) -> bool:
    """Return whether a step computes from attributes that stay as ``__init__`` sets them, and has no effect."""
    odd = match.NamedExpr() | match.Await() | match.Yield() | match.Lambda() | match.CompFor()
    if match.findall(step, odd):
        return False
    for call in match.findall(step, match.Call()):
        reads = match.matches(call, match.Call(func=match.Attribute(attr=match.Name()), args=[]))
        name = call.func.attr.value if reads else ""  # type: ignore[attr-defined]
        if name not in _READS and not (isinstance(call, cst.Call) and is_pure_call(ctx, call)):
            return False
    kept = {ctx.code(each) for each in match.findall(step, _OF_SELF)}
    known = {ctx.code(each) for each in match.findall(init, _OF_SELF)}
    if not kept <= known - set(_registered(ctx, init)):
        return False
    whole = [n for n in match.findall(step, match.Attribute()) if not isinstance(ctx.tree.parent(n), cst.Attribute)]
    read = [f"{ctx.code(each)}." for each in whole]
    changed = [f"{ctx.code(each)}." for each in _changed(owner)]
    if any(one.startswith(other) or other.startswith(one) for one in read for other in changed):
        return False
    return not any(_is_set_outside(ctx, init, one.split(".")[1]) for one in read if one.startswith("self."))


def _is_set_outside(ctx: FixContext, init: cst.FunctionDef, name: str) -> bool:
    """Return whether other code of the file than ``init`` sets an attribute of this name, or has its name as a text."""
    inside = {id(each) for each in match.findall(init, match.AssignTarget() | match.AugAssign() | match.AnnAssign())}
    for each in match.findall(ctx.tree.module, match.AssignTarget() | match.AugAssign() | match.AnnAssign()):
        places = _places(each.target) if id(each) not in inside else ()  # type: ignore[attr-defined]
        if any(isinstance(place, cst.Attribute) and place.attr.value == name for place in places):
            return True
    texts = match.findall(ctx.tree.module, match.SimpleString())
    return any(cst.ensure_type(each, cst.SimpleString).evaluated_value == name for each in texts)


def _registered(ctx: FixContext, init: cst.FunctionDef) -> Iterator[str]:
    """Yield the attributes that are parameters or buffers: their values may be loaded later."""
    kinds = match.Call(func=match.Attribute(attr=match.Name("Parameter") | match.Name("Buffer")))
    for each in match.findall(init, match.Assign()):
        if isinstance(each, cst.Assign) and match.findall(each.value, kinds):
            yield from (ctx.code(target.target) for target in each.targets)
    names = match.Name("register_buffer") | match.Name("register_parameter")
    for call in match.findall(init, match.Call(func=match.Attribute(attr=names))):
        for text in match.findall(call, match.SimpleString()):
            yield f"self.{cst.ensure_type(text, cst.SimpleString).raw_value}"


def _changed(owner: cst.ClassDef) -> Iterator[cst.CSTNode]:
    """Yield the attributes that methods other than ``__init__`` assign or change in place."""
    setting = match.AssignTarget() | match.AugAssign() | match.AnnAssign() | match.For()
    in_place = match.Call(func=match.Attribute(attr=match.Name(match.MatchRegex(r"\w+_"))))
    for each in match.findall(owner, match.FunctionDef()):
        if not isinstance(each, cst.FunctionDef) or each.name.value == "__init__":
            continue
        for node in match.findall(each, setting | in_place | match.Del()):
            place = node.func.value if isinstance(node, cst.Call) else getattr(node, "target", node)  # type: ignore[attr-defined]
            yield from _places(place)


def _places(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the attributes that an assignment to ``node`` changes; of a subscript the whole container."""
    if isinstance(node, (cst.Tuple, cst.List)):
        for each in node.elements:
            yield from _places(each.value)
    elif isinstance(node, (cst.Subscript, cst.StarredElement)):
        yield from _places(node.value)
    elif isinstance(node, cst.Del):
        yield from _places(node.target)
    elif isinstance(node, cst.Attribute):
        yield node
