"""Calls that start a function elsewhere: in a thread, in a process, in a pool.

They are followed while the project is searched for what it compiles.
"""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.domain.access_paths import last_name
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import INT, UNKNOWN, Const, Value
from gblint.values.containers import Mapping, Seq
from gblint.values.objects import BoundMethod, ExternalName, Function, Partial

# Classes that take the function as ``target``, with its ``args`` and ``kwargs``.
_WITH_TARGET: Final = frozenset(("Thread", "Process"))
# Functions that pass the number of a process first, then the items of ``args``.
_SPAWN: Final = frozenset(("torch.multiprocessing.spawn", "torch.multiprocessing.spawn.spawn"))
# Functions, and methods of pools, that take the function and then its arguments.
_PASS_ON: Final = frozenset(("submit", "to_thread"))


def run(interp: Interpreter, function: Value, node: ast.Call, args: Args, frame: Frame) -> None:
    """Call the function that a call starts elsewhere, if it does."""
    started, given = _started(function, node, args)
    if isinstance(started, (Function, BoundMethod, Partial)):
        interp.call(started, given, frame, node)


def _started(function: Value, node: ast.Call, args: Args) -> tuple[Value, Args]:
    """Return the function that a call starts, and its arguments; nothing is known of it for other calls."""
    name = last_name(node.func)
    if name in _WITH_TARGET and "target" in args.kw:
        given = _items(args.kw.get("args"))
        return args.kw["target"], Args(given.pos, _named(args.kw.get("kwargs")), given.star)
    if isinstance(function, ExternalName) and function.name in _SPAWN:
        return args.get(0, "fn") or UNKNOWN, _items(args.get(1, "args")).prepend(INT)
    if name in _PASS_ON and args.pos:
        return args.first, args.drop(1)
    return UNKNOWN, args


def _items(given: Value | None) -> Args:
    """Return the positional arguments in a sequence."""
    if given is None:
        return Args()
    return Args(given.items) if isinstance(given, Seq) and given.items is not None else Args(star=UNKNOWN)


def _named(given: Value | None) -> dict[str, Value]:
    """Return the keyword arguments in a dictionary."""
    entries = given.entries if isinstance(given, Mapping) else ()
    return {str(key.value): value for key, value in entries if isinstance(key, Const)}
