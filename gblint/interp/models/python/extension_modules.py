"""Calls into extension modules of installed packages, which Dynamo cannot trace: they have no Python code.

Dynamo calls no function of such a module (GB0007; GB0156 for one that Cython made), creates no object of its classes
and calls no method of one (GB0156: torch/_dynamo/variables/user_defined.py, ``call_method``).  It reads attributes.
"""

from __future__ import annotations

import sys

from gblint.interp.state.call_context import CallContext
from gblint.interp.state.interpreter import Interpreter
from gblint.knowledge.catalog import EXCEPTIONS

_KNOWN = frozenset((*sys.stdlib_module_names, "torch", "numpy", "optree"))
"""Packages about whose functions there are facts and models, or which Dynamo replaces by functions in Python.

It does this for ``optree`` (torch/_dynamo/polyfills/pytree.py).
"""


def check_call(ctx: CallContext, name: str) -> None:
    """Report the call of a function, a class or a method that an extension module defines."""
    if not ctx.frame.mode.tracing or name.endswith(EXCEPTIONS):
        return
    module = _extension(ctx.interp, name)
    if module:
        is_function = name.count(".") == module.count(".") + 1 and not name.rpartition(".")[2][:1].isupper()
        ctx.emit("call", name, ("call-of-skipped-function",) if is_function else ("unsupported-method-call",))


def _extension(interp: Interpreter, name: str) -> str:
    """Return the extension module that defines the object with this qualified name; empty if none does."""
    if name.partition(".")[0] in _KNOWN:
        return ""
    module = name.rpartition(".")[0]
    while module:
        kind = interp.project.module_exists(module)
        if kind != "missing":
            return module if kind == "extension" else ""
        module = module.rpartition(".")[0]
    return ""
