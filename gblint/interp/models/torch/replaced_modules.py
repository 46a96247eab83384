"""Submodules that eager code replaces by modules around them: ``setattr(parent, name, LoRALinear(child))`` in a loop.

The names are those of a loop over ``named_modules()`` and so are not known; the modules that the new one holds are.
"""

from __future__ import annotations

import ast

from gblint.interp.models.torch import nn_modules
from gblint.interp.state.call_context import CallContext
from gblint.runtime import ast_origins, ast_walk
from gblint.runtime.ast_walk import is_name
from gblint.values.base import UNKNOWN, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import join, join_all
from gblint.values.objects import Instance, is_nn_module


def store_by_unknown_name(ctx: CallContext, holder: Instance, value: Value) -> None:
    """Run ``setattr(holder, name, value)`` with an unknown ``name``.

    Outside of a region a module may take the place of each submodule that it holds, or from which it is made. A value
    that may be one of these modules itself is not made for them: a loop that stores modules again replaces none.
    Another module is a further submodule if the constructor stores it.
    """
    if is_nn_module(holder) and not ctx.frame.mode.tracing:
        modules = [v for v in members(value) if isinstance(v, Instance) and is_nn_module(v)]
        replaced = _replaced_by(ctx, holder, modules)
        if modules and not replaced and ctx.frame.function is not None and ctx.frame.function.name.endswith("__init__"):
            nn_modules.add_unnamed(ctx, holder, join_all(modules))
        for name, present in list(holder.attrs.items()) if replaced else ():
            now = _replaced(present, replaced, value)
            if now is not present:
                ctx.interp.store_attribute(holder, name, now)
    holder.partial = True
    ctx.interp.summary_cache.on_change(holder.uid)


def _replaced_by(ctx: CallContext, holder: Instance, new: list[Instance]) -> set[int]:
    """Return the modules of which the new ones may take the place; none if one of the new ones is among them.

    These are the parts of ``holder`` that the new ones hold, or else those that the expression of the new one names.
    """
    own = {each.uid for each in _held_by(holder)}
    held = {held.uid for each in new for held in _held_by(each)}
    found = held if not new or held & own else _named_in(ctx) or held
    return found if found.isdisjoint(each.uid for each in new) else set()


def _held_by(module: Instance) -> list[Instance]:
    """Return the submodules of a module that are its attributes."""
    held = [each for value in module.attrs.values() for each in members(value)]
    return [each for each in held if isinstance(each, Instance) and is_nn_module(each)]


def _named_in(ctx: CallContext) -> set[int]:
    """Return the modules in the expression of the new module, such as ``child`` in ``Quantized(child.in_features)``."""
    if not isinstance(ctx.node, ast.Call) or len(ctx.node.args) != 3 or ctx.frame.function is None:
        return set()
    made: list[ast.expr] = [ctx.node.args[2]]
    if isinstance(made[0], ast.Name):
        nodes = ast_walk.walk(ctx.frame.function.node)
        stored = (pair for node in nodes for pair in ast_origins.assignments(node))
        made = [value for target, value in stored if is_name(target, made[0].id)]
    values = [value for name in ast_origins.names(made) for value in members(ctx.frame.variables.get(name, UNKNOWN))]
    return {each.uid for each in values if isinstance(each, Instance) and is_nn_module(each)}


def _replaced(old: Value, replaced: set[int], new: Value) -> Value:
    """Return the value of an attribute, or of the items in it, with ``new`` besides each module of ``replaced``."""
    if isinstance(old, Seq) and old.items is not None:
        return Seq(old.cls, tuple(_replaced(each, replaced, new) for each in old.items))
    if isinstance(old, Seq):
        return Seq(old.cls, None, _replaced(old.rest, replaced, new))
    if isinstance(old, Mapping):
        entries = tuple((key, _replaced(each, replaced, new)) for key, each in old.entries)
        rest = None if old.rest is None else _replaced(old.rest, replaced, new)
        return Mapping(entries, rest, old.keys, old.cls)
    found = any(isinstance(each, Instance) and each.uid in replaced for each in members(old))
    return join(old, new) if found else old
