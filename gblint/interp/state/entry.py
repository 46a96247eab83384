"""An entry point that is to be traced."""

from __future__ import annotations

import ast

from gblint.diagnostics.entry_point import EntryPoint
from gblint.interp.state.branch_record import OtherValue
from gblint.interp.state.call_args import Args
from gblint.interp.state.path_conditions import Condition
from gblint.project.modules import Module
from gblint.runtime.lazy_dataclasses import dataclass
from gblint.values.base import Value
from gblint.values.objects import Class, Instance


@dataclass(frozen=True, slots=True)
class SingleCall:
    """The arguments of one of several calls of an entry point, and the place of the call.

    receiver: the object whose method is called, if it holds functions that callers pass.
    free: the free variables of the function that hold other values in this call than at the end.
    """

    args: Args
    module: Module
    node: ast.AST
    receiver: Instance | None = None
    free: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry point, with the compiled callable, the module that compiles it, and what all calls of it may pass.

    apart: the calls that are traced one by one, too.
    receiver: the object whose method is called in such a call.
    chosen: the choice of the target if it is one of several, and not the one that the declared defaults choose.
    grad: false if all calls that are seen are below ``torch.no_grad()``.
    settings: the fields of the configuration of Dynamo that are set around all calls that are seen.
    other_values: attributes with another value, which a branch stores that excludes the compilation.
    seen_in: the files of the project that decide what is compiled and with which arguments it is called.
    """

    point: EntryPoint
    target: Value
    module: Module
    args: Args | None = None
    cls: Class | None = None
    called: tuple[Module, int] | None = None
    seen_in: frozenset[str] = frozenset()
    apart: tuple[SingleCall, ...] = ()
    receiver: Instance | None = None
    chosen: Condition | None = None
    settings: tuple[tuple[str, bool], ...] = ()
    grad: bool = True
    other_values: tuple[OtherValue, ...] = ()
