"""Hooks registered on modules before the region: forward hooks are traced, backward hooks are refused.

The hooks of the compiled module itself are called outside of Dynamo (``OptimizedModule._initialize`` in
``torch/_dynamo/eval_frame.py``): each forward hook is a region of its own, and backward hooks are not in it.
"""

from __future__ import annotations

from gblint.interp.domain import unusual_stores
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import NONE, Unknown, Value, members
from gblint.values.containers import Seq
from gblint.values.lattice import join_all
from gblint.values.objects import BoundMethod, Instance, Partial
from gblint.values.wrapped import DisabledFunction

_PRE, _POST, _BACKWARD = "__forward_pre_hooks__", "__forward_hooks__", "__backward_hooks__"
HOOK_ATTRIBUTES = (_PRE, _POST, _BACKWARD)
"""The attributes of a module that hold its hooks."""
_KINDS = {
    "register_forward_hook": _POST,
    "register_forward_pre_hook": _PRE,
    "register_full_backward_hook": _BACKWARD,
    "register_full_backward_pre_hook": _BACKWARD,
    "register_backward_hook": _BACKWARD,
}


def register(interp: Interpreter, module: Instance, name: str, args: Args, frame: Frame) -> None:
    """Store a hook that code outside of any region registers."""
    hook = args.get(0, "hook")
    if frame.mode.tracing or hook is None or isinstance(hook, Unknown):
        return
    hooks = _hooks(module, _KINDS[name])
    if hook not in hooks:
        module.attrs[_KINDS[name]] = Seq("list", (*hooks, hook))
        module.version += 1
        unusual_stores.note(interp, module, f"{_KINDS[name]}{len(hooks)}")
        interp.summary_cache.on_change(module.uid)
    elif not interp.effects.branch_path:
        unusual_stores.note(interp, module, f"{_KINDS[name]}{hooks.index(hook)}")


def before(ctx: CallContext, module: Instance) -> None:
    """Run the hooks of ``module`` that run before its ``forward``."""
    if not ctx.frame.mode.tracing:
        return
    hooks = _hooks(module, _BACKWARD)
    if hooks and not _is_compiled_itself(ctx.frame):
        names = [f"{_BACKWARD}{number}" for number in range(len(hooks))]
        # One of them is enough: the condition counts if each of them has one.
        given = next((each for each in names if not unusual_stores.is_conditional(ctx.interp, module, each)), names[0])
        with unusual_stores.called(ctx.interp, module, given, ctx.frame):
            ctx.emit("hook", "backward", ("module-backward-hooks-need-compiled-autograd",))
    for number, hook in _traced_hooks(ctx.frame, module, _PRE):
        with unusual_stores.called(ctx.interp, module, f"{_PRE}{number}", ctx.frame):
            ctx.call(hook, Args((module, Seq("tuple", ctx.args.pos))))


def after(ctx: CallContext, module: Instance, result: Value) -> Value:
    """Return the result of ``module``, which a forward hook may replace."""
    if not ctx.frame.mode.tracing:
        return result
    for number, hook in _traced_hooks(ctx.frame, module, _POST):
        with unusual_stores.called(ctx.interp, module, f"{_POST}{number}", ctx.frame):
            new = ctx.call(hook, Args((module, Seq("tuple", ctx.args.pos), result)))
        others = [v for v in members(new) if v != NONE and not isinstance(v, Unknown)]
        result = join_all((result, *others)) if others else result
    return result


def _hooks(module: Instance, kind: str) -> tuple[Value, ...]:
    """Return the hooks of one kind that are registered on a module."""
    found = module.attrs.get(kind)
    return found.items if isinstance(found, Seq) and found.items is not None else ()


def _traced_hooks(frame: Frame, module: Instance, kind: str) -> list[tuple[int, Value]]:
    """Return the hooks that Dynamo traces, with their numbers: a disabled one of the compiled module just runs."""
    runs_outside = _is_compiled_itself(frame)
    hooks = enumerate(_hooks(module, kind))
    return [(number, hook) for number, hook in hooks if not (runs_outside and _is_disabled(hook))]


def _is_compiled_itself(frame: Frame) -> bool:
    """Return whether the module that is called is the one that is compiled: nothing in the region calls it."""
    return frame.depth == 0 and frame.function is None


def _is_disabled(hook: Value) -> bool:
    while isinstance(hook, (BoundMethod, Partial)):
        hook = hook.function
    return isinstance(hook, DisabledFunction)
