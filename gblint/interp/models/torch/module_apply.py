"""``nn.Module.apply(fn)`` outside of a region: the function may compile the parts of a module, or change them."""

from __future__ import annotations

import ast

from gblint.interp.domain.access_paths import last_name
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.runtime import ast_origins, ast_walk
from gblint.values.base import Value
from gblint.values.objects import BoundMethod, Function, Instance

MAX_APPLIED_PARTS = 100
"""The parts of a module that the function of ``apply`` may change."""


def apply_to_each(ctx: CallContext, parts: list[Value]) -> None:
    """Call the function that ``apply`` is given for the parts of a module, and the module itself, which comes last.

    Most such functions set the values of parameters, and are not called.  One that compiles is called for a part of
    each class.
    """
    given = ctx.args.get(0, "fn")
    function = given.function if isinstance(given, BoundMethod) else given
    if given is None or not isinstance(function, Function):
        return
    modules = [each for each in parts if isinstance(each, Instance)]
    if _changes_parts(function):
        for each in modules[:MAX_APPLIED_PARTS]:
            ctx.call(given, Args((each,)))
    elif _mentions_compile(function):
        for each in {each.class_name: each for each in modules}.values():
            ctx.call(given, Args((each,)))


def _changes_parts(function: Function) -> bool:
    """Return whether a function stores attributes of the module that it is given, or adds hooks to it."""
    parameters = function.node.args.args
    if not parameters:
        return False
    name = parameters[-1].arg  # the only one, or the one after ``self``
    nodes = ast_walk.walk(function.node)
    calls = [each for each in nodes if isinstance(each, ast.Call)]
    return (
        any("." not in each for each in ast_origins.stored_attributes(function.node, name))
        or any(ast_walk.is_name(call.func, "setattr") and name in ast_origins.names(call.args[:1]) for call in calls)
        or any(last_name(call.func).endswith("_hook") and name in ast_origins.names([call.func]) for call in calls)
    )


def _mentions_compile(function: Function) -> bool:
    nodes = ast_walk.walk(function.node)
    return any(isinstance(each, (ast.Attribute, ast.Name)) and last_name(each) == "compile" for each in nodes)
