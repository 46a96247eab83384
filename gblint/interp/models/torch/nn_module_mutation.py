"""What compiled code does to a module that was there before: initialising it again, casting it, loading weights."""

from __future__ import annotations

import ast

from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.objects import Instance, is_module

# Methods of ``nn.Module`` that Dynamo traces into, and what it meets there.
_REFUSED = {
    "half": "GB0264",
    "double": "GB0264",
    "bfloat16": "GB0264",
    "share_memory": "GB0117",
    "load_state_dict": "GB0208",
}


def check_method(m: Interpreter, module: Instance, name: str, args: Args, frame: Frame, node: ast.AST) -> None:
    """``module.half()`` and its like."""
    if name in _REFUSED and frame.mode.tracing and module.outside:
        m.emit(frame, node, "module-state", name, (_REFUSED[name],), likely=True)


def check_init(m: Interpreter, instance: Instance, frame: Frame, node: ast.AST) -> None:
    """``super().__init__()`` of ``nn.Module`` on a module that the region did not make."""
    if frame.mode.tracing and instance.outside and is_module(instance):
        m.emit(frame, node, "module-state", "__init__", ("GB0162",))
