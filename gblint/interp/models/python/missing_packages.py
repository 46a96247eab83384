"""Calls of packages that are not installed: nothing is known of what they do."""

from __future__ import annotations

import sys
from typing import Final

from gblint.interp.state.call_context import CallContext, Handler
from gblint.interp.state.events import span_of
from gblint.interp.state.path_conditions import ERROR, level_of
from gblint.interp.state.trace_ir import UnseenCall
from gblint.project.test_files import is_test_path
from gblint.values.base import UNKNOWN, Value
from gblint.values.objects import Class, ExternalObject

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


def _stand_in(name: str) -> Handler:
    """Return the model of a mock: outside of tests it stands for a package that the environment lacks."""

    def made(ctx: CallContext) -> Value:
        return ExternalObject(name) if is_test_path(ctx.frame.module.display) else UNKNOWN

    return made


EAGER_HANDLERS: Final[dict[str, Handler]] = {
    name: _stand_in(name) for name in ("unittest.mock.Mock", "unittest.mock.MagicMock", "unittest.mock.NonCallableMock")
}
