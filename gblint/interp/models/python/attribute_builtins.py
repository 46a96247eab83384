"""``getattr``, ``hasattr`` and ``setattr``, called on abstract values."""

from __future__ import annotations

import ast

from gblint.interp.domain import default_flags, reach
from gblint.interp.models.python import function_objects, type_slots, type_tests
from gblint.interp.models.torch import replaced_modules, submodules
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import BOOL, FALSE, NONE, TRUE, UNKNOWN, Const, Tensor, Value, members
from gblint.values.lattice import join_all
from gblint.values.objects import BoundMethod, Class, Function, Instance, is_nn_module
from gblint.values.wrapped import Wrapped


def hasattr_(ctx: CallContext) -> Value:
    """``hasattr``."""
    if len(ctx.args.pos) == 2 and isinstance(ctx.args.pos[1], Const) and isinstance(ctx.args.pos[1].value, str):
        name = ctx.args.pos[1].value
        type_slots.refused(ctx.interp, "hasattr", ctx.args.pos[0], ctx.frame, ctx.node)
        answers = {type_tests.has_attribute(ctx.interp, v, name) for v in members(ctx.args.pos[0])}
        if len(answers) == 1:
            answer = answers.pop()
            return BOOL if answer is None else Const(answer)
    return BOOL


def getattr_(ctx: CallContext) -> Value:
    """``getattr``, also with a computed name."""
    if len(ctx.args.pos) < 2:
        return UNKNOWN
    base, name = ctx.args.pos[0], ctx.args.pos[1]
    function_objects.name_of_attribute(ctx, "getattr", "getattr-with-non-constant-name-argument", name)
    default = ctx.args.pos[2] if len(ctx.args.pos) > 2 else None
    values: list[Value] = []
    names = [default_flags.of(text) if ctx.frame.mode.tracing else reach.usual(text) for text in members(name)]
    known = [each for each in names if isinstance(each, Const) and isinstance(each.value, str)]
    for likely in names if ctx.frame.mode.tracing else known or names:
        if isinstance(likely, Const) and isinstance(likely.value, str):
            values.append(attribute_or(ctx, base, likely.value, default))
        else:
            values.append(_any_attribute(ctx, base, default))
            if not ctx.frame.mode.tracing:
                ctx.interp.compilation.assumed.add(values[-1])  # another call may tell the name
    return join_all(values)


def attribute_or(ctx: CallContext, base: Value, name: str, default: Value | None) -> Value:
    """Return ``getattr(base, name, default)``; None stands for a default that is not given."""
    if default is None:
        return ctx.get_attribute(base, name)
    values: list[Value] = []
    guessed = False
    type_slots.refused(ctx.interp, "hasattr", base, ctx.frame, ctx.node)
    for member in members(base):
        there = type_tests.has_attribute(ctx.interp, member, name)
        if there is None and not ctx.frame.mode.tracing and _is_never_stored(ctx.interp, member, name):
            there = False
        if there is None and isinstance(member, (Function, Wrapped)) and ctx.get_attribute(member, name) != UNKNOWN:
            there = True  # the module of the function sets it
        if there is not False:
            values.append(ctx.get_attribute(member, name))
        if there is not True:
            values.append(default)
            guessed = True
    found = join_all(values)
    if guessed and default in (TRUE, FALSE):
        # A flag is asked for.
        found = join_all(v for v in members(found) if not isinstance(v, Tensor))
    # What may be missing is mostly left out.
    return reach.expected(found, default) if values.count(default) == len(members(base)) else found


def _is_never_stored(interp: Interpreter, value: Value, name: str) -> bool:
    """Return whether no file of the project has the text of an assignment to this attribute of a module."""
    if not isinstance(value, Instance) or not isinstance(value.cls, Class) or not is_nn_module(value):
        return False
    return value.cls.complete and not interp.project.mentioning((f".{name} = ", f".{name}: "), name, ("stored",))


def _any_attribute(ctx: CallContext, base: Value, default: Value | None) -> Value:
    """``getattr`` with an unknown name: any submodule or callable that the object holds, if it holds some.

    If the name is known in part and the object is a module, it is an attribute whose name has this part.
    """
    found: list[Value] = [] if default is None else [default]
    start, end = (
        _known_ends(ctx.node.args[1]) if isinstance(ctx.node, ast.Call) and len(ctx.node.args) > 1 else ("", "")
    )
    for member in members(base):
        if isinstance(member, Instance):
            in_part = is_nn_module(member) and bool(start or end)
            values = [
                value
                for name, value in member.attrs.items()
                if not in_part or name == submodules.UNNAMED or (name.startswith(start) and name.endswith(end))
            ]
            held = [each for value in values for each in members(value) if in_part or is_nn_module(each)]
            if not ctx.frame.mode.tracing and not is_nn_module(member):
                held += [each for value in values for each in members(value) if _is_called(ctx, each)]
            if held:
                found += held
                continue
        found.append(UNKNOWN)
    return join_all(found)


def _is_called(ctx: CallContext, value: Value) -> bool:
    """Return whether a value is a function, or an object with a ``__call__`` of its own other than a module."""
    if isinstance(value, Instance) and isinstance(value.cls, Class) and not is_nn_module(value):
        return ctx.interp.class_attribute(value.cls, "__call__") is not None
    return isinstance(value, (Function, BoundMethod))


def _known_ends(text: ast.expr) -> tuple[str, str]:
    """Return the known start and the known end of a text that is put together: ``f"layer{i}"`` starts with "layer"."""
    if isinstance(text, ast.Call) and isinstance(text.func, ast.Attribute) and text.func.attr == "format":
        template = _text(text.func.value)
        return template.partition("{")[0], template.rpartition("}")[2]
    if isinstance(text, ast.BinOp) and isinstance(text.op, ast.Mod):
        return _text(text.left).partition("%")[0], ""
    if isinstance(text, ast.JoinedStr) and text.values:
        first, last = text.values[0], text.values[-1]
    elif isinstance(text, ast.BinOp) and isinstance(text.op, ast.Add):
        first, last = text.left, text.right
    else:
        return "", ""
    return _text(first), _text(last)


def _text(part: ast.expr) -> str:
    return part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else ""


def setattr_(ctx: CallContext) -> Value:
    """``setattr``."""
    if len(ctx.args.pos) == 3:
        function_objects.name_of_attribute(ctx, "setattr", "setattr-with-non-constant-name", ctx.args.pos[1])
        for member in members(ctx.args.pos[0]):
            if isinstance(member, Function) and ctx.args.pos[1] == Const("_dynamo_marked_constant"):
                ctx.interp.caches.constant_functions.add(member.node)
                ctx.interp.note_change(ctx.frame)
            if isinstance(member, Class) and not ctx.frame.mode.tracing:
                function_objects.store_in_class(ctx, member)
            elif isinstance(member, Instance):
                for text in members(ctx.args.pos[1]):
                    name = text if ctx.frame.mode.tracing else reach.usual(text)
                    if isinstance(name, Const) and isinstance(name.value, str):
                        ctx.interp.set_attribute(member, name.value, ctx.args.pos[2], ctx.frame, ctx.node)
                    else:
                        replaced_modules.store_by_unknown_name(ctx, member, ctx.args.pos[2])
    return NONE
