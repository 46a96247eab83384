"""Calls of packages that are not installed: nothing is known of what they do."""

from __future__ import annotations

import sys
from typing import Final

from gblint.interp.state.call_context import CallContext
from gblint.interp.state.events import span_of
from gblint.interp.state.path_conditions import ERROR, level_of
from gblint.interp.state.trace_ir import UnseenCall
from gblint.values.objects import Class

_MODELLED: Final = frozenset((*sys.stdlib_module_names, "torch", "numpy"))
"""Packages whose functions are known without their source."""


def note_call(ctx: CallContext, name: str) -> None:
    """Note the call of the function, class or method with a qualified name, if its package is not installed.

    Code that only an error or an unusual environment reaches does not count.
    """
    frame = ctx.frame
    if not frame.mode.tracing or frame.mode.unlikely_branch or frame.module.origin == "library":
        return
    package = name.partition(".")[0]
    if not package.isidentifier() or package in _MODELLED or ctx.interp.import_exists(package):
        return
    if level_of(frame.conditions.path) != ERROR:
        frame.summary.notes[UnseenCall(package, name, span_of(frame.module, ctx.node))] = None


def note_method(ctx: CallContext, cls: Class, name: str) -> None:
    """Note the call of a method that a class has from a base of a package that is not installed."""
    for external in cls.externals:
        note_call(ctx, f"{external}.{name}")
