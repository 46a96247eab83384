"""Names that nothing binds: Python raises ``NameError``, and Dynamo gives up where it is to be caught."""

from __future__ import annotations

import ast

from gblint.interp import torch_calls
from gblint.interp.frames import Frame
from gblint.interp.machine import Machine
from gblint.interp.names import BUILTINS

# What notebooks and gettext put among the builtins.
_INJECTED = frozenset(("_", "display", "get_ipython", "ngettext"))
_DYNAMIC = ("globals()", "exec(", "sys.modules", "import *", "builtins", "vars()")


def check(m: Machine, node: ast.Name, frame: Frame) -> None:
    """Reports ``node`` if its name is bound nowhere in its file."""
    name = node.id
    if not frame.mode.tracing or frame.function is None or name in BUILTINS or name in _INJECTED:
        return
    if name.startswith("__") or frame.module.star_imports or name in frame.module.bound_anywhere:
        return
    if not any(map(frame.module.says, _DYNAMIC)):
        torch_calls.wrong(m, frame, node, "name", "undefined", "GB0354")
