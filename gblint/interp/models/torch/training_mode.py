"""``module.eval()`` and ``module.train()`` in the region, which Dynamo traces: what follows runs in that mode.

Outside of the region these calls decide nothing: a program compiles a module once and calls it in both modes.
"""

from __future__ import annotations

from collections.abc import Iterable

from gblint.interp.state.call_context import CallContext
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import BOOL, FALSE, TRUE, Value
from gblint.values.objects import Instance


def set_in_region(ctx: CallContext, modules: Iterable[Value], name: str) -> None:
    """Set the mode of modules: ``name`` is ``eval`` or ``train``. In an undecided branch it is unknown afterwards."""
    interp = ctx.interp
    given = FALSE if name == "eval" else ctx.args.get(0, "mode") or TRUE
    mode = given if given in (TRUE, FALSE) and interp.branch_id == interp.entry_branch else BOOL
    for module in modules:
        if isinstance(module, Instance) and (module.uid in interp.effects.training or "training" not in module.attrs):
            interp.effects.training[module.uid] = module
            module.attrs["training"] = mode
            _note_change(interp, module)


def forget(interp: Interpreter) -> None:
    """Forget the modes that an earlier region has set."""
    for module in interp.effects.training.values():
        module.attrs.pop("training", None)
        _note_change(interp, module)
    interp.effects.training.clear()


def _note_change(interp: Interpreter, module: Instance) -> None:
    module.version += 1
    interp.summary_cache.on_change(module.uid)
