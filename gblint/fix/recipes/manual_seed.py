"""Seeding of torch inside a region: by an operator that the graph keeps in its place."""

from __future__ import annotations

import libcst as cst

from gblint.fix.context import FixContext, TextRewrite
from gblint.fix.recipes._build import called_name, is_unused_name, operator_namespace
from gblint.fix.recipes.escape_hatches import insertion_before
from gblint.knowledge.versions import release
from gblint.values.base import Const, Scalar, Tensor, Value, members

_NAME = "_manual_seed"


def seed_in_graph(ctx: FixContext) -> TextRewrite | None:
    """Rewrite ``torch.manual_seed(n)`` to a call of a ``custom_op`` with an ordered effect.

    Preconditions: the call is a statement and its argument may be an integer. ``CustomOpDef.register_effect`` exists
    since torch 2.10. Unsafe: compiled code may draw other numbers than eager code.
    """
    call = ctx.node
    if not isinstance(call, cst.Call) or called_name(ctx, call) not in (
        "torch.manual_seed",
        "torch.random.manual_seed",
    ):
        return None
    torch, imports = ctx.module_reference("torch")
    old = ctx.torch_version and release(ctx.torch_version) < release("2.10")
    if old or imports or len(call.args) != 1 or call.args[0].star or not isinstance(ctx.statement, cst.Expr):
        return None
    if not _is_seed(ctx.value(call.args[0].value)):
        return None
    space = operator_namespace(ctx.tree)
    lines = [
        f'@{torch}.library.custom_op("{space}::{_NAME.strip("_")}", mutates_args=())',
        f"def {_NAME}(seed: int) -> None:",
        f"    {torch}.manual_seed(seed)",
        "",
        "",
        f"@{_NAME}.register_fake",
        f"def {_NAME}_fake(seed: int) -> None:",
        "    return None",
        "",
        "",
        "# Keep it before the random numbers that are drawn after it.",
        f"{_NAME}.register_effect({torch}._library.effects.EffectType.ORDERED)",
    ]
    exists = "\n".join(lines) in ctx.tree.text.replace("\r\n", "\n")
    top = next((each for each in ctx.tree.module.body if isinstance(each, (cst.FunctionDef, cst.ClassDef))), None)
    if top is None or not (exists or is_unused_name(ctx.tree, _NAME)):
        return None
    start, end = ctx.tree.bounds(call.func)
    made = [] if exists else [insertion_before(ctx, lines, top)]
    return TextRewrite(
        "seed in the graph with a `custom_op` that has an effect", "unsafe", [*made, (start, end, _NAME)]
    )


def _is_seed(value: Value | None) -> bool:
    """Return whether a value may be an integer; the operator takes no other seed."""
    return value is None or any(
        type(v.value) is int if isinstance(v, Const) else not isinstance(v, Scalar) or v.kind in ("int", "number")
        for v in members(value)
        if not isinstance(v, Tensor)
    )
