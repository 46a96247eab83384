"""Options of the command line: ``args.kind`` has the default that the module gives to ``add_argument("--kind", ...)``.

They are looked up only while the project is searched for what it compiles, and only for an object of which nothing else
is known.
"""

from __future__ import annotations

import ast

from gblint.interp.domain import configured_names, reach
from gblint.interp.domain.access_paths import last_name
from gblint.interp.evaluator import classes
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import BOOL, FALSE, NONE, TRUE, Const, TextMember, Value, scalar_of
from gblint.values.lattice import join_all
from gblint.values.objects import Class, EnumMember

_FLAGS = {"store_true": FALSE, "store_false": TRUE}


def of(interp: Interpreter, node: ast.Attribute, frame: Frame) -> Value | None:
    """Return the value of an option, with its default as the usual one; None if the module declares no default."""
    if frame.mode.tracing or interp.compilation.scanned_module is None:
        return None
    parsed = isinstance(node.value, ast.Call) and last_name(node.value.func) == "parse_args"
    if not parsed and not isinstance(node.value, ast.Name):
        return None
    if not frame.module.contains("add_argument"):
        return None
    known = interp.caches.syntax.options.get(frame.module)
    if known is None:
        known = interp.caches.syntax.options[frame.module] = configured_names.options(frame.module.tree)
    option = known.get(node.attr)
    return None if option is None else _value(interp, option, interp.module_frame(frame.module))


def _value(interp: Interpreter, option: ast.Call, frame: Frame) -> Value | None:
    given = {k.arg: k.value for k in option.keywords}
    action = given.get("action")
    if isinstance(action, ast.Constant) and action.value in _FLAGS:
        return reach.expected(BOOL, _FLAGS[action.value])
    if (action is not None and last_name(action) != "BooleanOptionalAction") or "nargs" in given:
        return None
    default = interp.eval(given["default"], frame) if "default" in given else NONE
    if not isinstance(default, Const) or default == NONE:
        return None
    kind = interp.eval(given["type"], frame) if "type" in given else None
    if isinstance(kind, Class) and isinstance(default.value, (EnumMember, TextMember)):
        return reach.expected(join_all(classes.enum_members(interp, kind)), default)
    choices = configured_names.choices(option)
    if choices:
        return reach.expected(join_all(map(Const, choices)), default)
    return reach.expected(scalar_of(default.value), default) if isinstance(default.value, (str, int, float)) else None
