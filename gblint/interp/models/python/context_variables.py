"""Variables of ``contextvars``: the default is the usual value, since the program may set another one."""

from __future__ import annotations

from typing import Final

from gblint.interp.domain import reach
from gblint.interp.state.call_args import Args
from gblint.values.base import UNKNOWN, Const, Value, scalar_of
from gblint.values.lattice import join
from gblint.values.objects import ContextVariable

CLASS: Final = "contextvars.ContextVar"


def made(args: Args, *, pre_existing: bool) -> ContextVariable:
    """Return the variable that ``ContextVar(name, default=value)`` makes."""
    return ContextVariable(CLASS, pre_existing, args.kw.get("default"))


def value(variable: ContextVariable, args: Args) -> Value:
    """Return the result of ``variable.get()``, or of ``variable.get(value)`` for a variable that is not set."""
    known = args.first if args.pos else variable.default
    if isinstance(known, Const) and known.value is not None:
        return reach.expected(scalar_of(known.value), known)
    return UNKNOWN if known is None else reach.expected(join(UNKNOWN, known), known)
