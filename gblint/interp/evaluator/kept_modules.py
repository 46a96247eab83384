"""Results of calls about which only this is known: a module is passed, and the result stands for it.

``model = library.wrap(model)`` and ``model, opt = accelerator.prepare(model, opt)`` are calls of libraries that train
on several devices, quantize or patch.  Outside of the region the result stands for the module that is passed, as for
the wrappers of torch.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from gblint.interp.domain.access_paths import access_path
from gblint.interp.models.torch import module_wrappers
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import UNKNOWN, Unknown, Value, members
from gblint.values.containers import Seq
from gblint.values.objects import ExternalName, is_nn_module
from gblint.values.wrapped import CompiledFunction

METHODS = frozenset(("prepare", "prepare_model", "setup", "setup_module", "unwrap_model"))
"""Methods of accelerate's Accelerator and Lightning's Fabric that return what they are given."""

# Functions and classes of libraries that wrap a module, with the place of the parameter that takes it, and how many
# items the tuple has that they return; 0 for those that return the wrapped module alone.
_FUNCTIONS = {
    "deepspeed.initialize": (1, "model", 4),  # the engine, the optimizer, the loader and the scheduler
    "deepspeed.init_inference": (0, "model", 0),
    "peft.get_peft_model": (0, "model", 0),
    "tensordict.nn.CudaGraphModule": (0, "module", 0),
    "tensordict.nn.TensorDictModule": (0, "module", 0),
}


def replaced(interp: Interpreter, node: ast.Assign, value: Value, frame: Frame) -> Value:
    """Return the value of an assignment of an unknown result to variables or attributes whose modules are passed."""
    if frame.mode.tracing or not isinstance(value, Unknown) or not isinstance(node.value, ast.Call):
        return value
    passed = {access_path(each): each for each in _arguments(node.value)}
    passed.pop(None, None)
    target = node.targets[0]
    if isinstance(target, (ast.Tuple, ast.List)):
        items = [_kept(interp, passed.get(access_path(each)), frame) for each in target.elts]
        return value if all(item is None for item in items) else Seq("tuple", tuple(item or UNKNOWN for item in items))
    return _kept(interp, passed.get(access_path(target)), frame) or value


def prepared(receiver: Value, name: str, args: Args) -> Value | None:
    """Return the result of one of ``METHODS`` of an unknown object that is given a module; None for other calls."""
    if not isinstance(receiver, Unknown) or not any(_is_module(each) for each in args.pos):
        return None
    if name == "unwrap_model":
        return module_wrappers.unwrapped(args.first)
    return args.pos[0] if len(args.pos) == 1 else Seq("tuple", tuple(args.pos))


def wrapped(function: Value, args: Args) -> Value | None:
    """Return the result of a function of a library without source that wraps a module; None for other calls."""
    known = _FUNCTIONS.get(function.name) if isinstance(function, ExternalName) else None
    if known is None:
        return None
    position, name, items = known
    module = args.get(position, name)
    if module is None or not _is_module(module):
        return None
    return Seq("tuple", (module, *[UNKNOWN] * (items - 1))) if items else module


def _arguments(call: ast.Call) -> Iterable[ast.expr]:
    return (*call.args, *(each.value for each in call.keywords))


def _kept(interp: Interpreter, passed: ast.expr | None, frame: Frame) -> Value | None:
    """Return the value of an argument if it is a module."""
    value = UNKNOWN if passed is None else interp.eval(passed, frame)
    return value if _is_module(value) else None


def _is_module(value: Value) -> bool:
    return all(is_nn_module(each) or isinstance(each, CompiledFunction) for each in members(value))
