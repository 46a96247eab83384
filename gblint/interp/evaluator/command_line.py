"""Options of the command line: ``args.kind`` has the default that the module gives to ``add_argument("--kind", ...)``.

The object that ``parse_args`` returns has the options with a default, wherever it is passed.  For an object of which
nothing else is known, they are looked up in the module that reads them, while the project is searched for what it
compiles.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from gblint.interp.domain import configured_names, reach
from gblint.interp.domain.access_paths import last_name
from gblint.interp.evaluator import classes
from gblint.interp.models.python import configuration_files
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.values.base import BOOL, FALSE, NONE, STR, TRUE, UNKNOWN, Const, TextMember, Value, members, scalar_of
from gblint.values.containers import Seq
from gblint.values.lattice import join_all
from gblint.values.objects import (
    BuiltinMethod,
    Class,
    EnumMember,
    ExternalName,
    ExternalObject,
    FileObject,
    Instance,
)

_FLAGS = {"store_true": FALSE, "store_false": TRUE}
_ADDING = "add_argument"
_NAMESPACE, _PARSER = "argparse.Namespace", "argparse.ArgumentParser"
_CONVERSIONS: dict[type, Callable[[str], str | int | float]] = {str: str, int: int, float: float}
_PARSING = frozenset(("parse_args", "parse_intermixed_args", "parse_known_args"))


def of(interp: Interpreter, node: ast.Attribute, frame: Frame) -> Value | None:
    """Return the value of an option, with its default as the usual one; None if the module declares no default."""
    if frame.mode.tracing or interp.compilation.scanned_module is None:
        return None
    parsed = isinstance(node.value, ast.Call) and last_name(node.value.func) == "parse_args"
    if not parsed and not isinstance(node.value, ast.Name):
        return None
    if not frame.module.contains(_ADDING):
        return None
    option = _options_of(interp, frame.module).get(node.attr)
    return None if option is None else _value(interp, option, interp.module_frame(frame.module))


def parsed(ctx: CallContext, method: BuiltinMethod) -> Value | None:
    """Return the object that ``parse_args`` makes of the options; None for any other method."""
    parser = method.receiver
    if not isinstance(parser, ExternalObject) or parser.cls != _PARSER or method.name not in _PARSING:
        return None
    interp, module = ctx.interp, ctx.frame.module
    argv = ctx.args.get(0, "args")
    if UNKNOWN in members(argv or NONE):
        interp.compilation.follow_callers(ctx.frame)
    words = _words(argv)
    place = ("options", id(ctx.node), words)
    namespace = interp.caches.instances.get(place)
    if namespace is None:
        namespace = interp.caches.instances[place] = Instance(ExternalName(_NAMESPACE), partial=True)
        for home in _modules_with_options(interp, module):
            for name, option in _options_of(interp, home).items():
                value = _given(interp, option, words, interp.module_frame(home))
                if value is not None:
                    namespace.attrs[name] = value
    return Seq("tuple", (namespace, Seq("list", None, STR))) if method.name.endswith("known_args") else namespace


def _words(argv: Value | None) -> tuple[str, ...]:
    """Return the words of a command line that the program passes to its parser; "" for a word that is not known."""
    items = argv.items if isinstance(argv, Seq) else None
    return tuple(str(each.value) if isinstance(each, Const) else "" for each in items or ())


def _given(interp: Interpreter, option: ast.Call, words: tuple[str, ...], frame: Frame) -> Value | None:
    """Return the value of an option that has its default unless the words set it; None if it is not known."""
    value = _value(interp, option, frame)
    names = [each.value for each in option.args if isinstance(each, ast.Constant)]
    action = next((k.value for k in option.keywords if k.arg == "action"), None)
    for index, word in enumerate(words):
        name, _, text = word.partition("=")
        if isinstance(action, ast.Constant) and name in names:
            default = _FLAGS.get(str(action.value))
            return value if default is None else FALSE if default == TRUE else TRUE
        if action is not None and name.replace("--no-", "--", 1) in names:
            return TRUE if name in names else FALSE
        if name in names:
            return _converted(option, text or "".join(words[index + 1 : index + 2]), value)
    return value


def _converted(option: ast.Call, text: str, value: Value | None) -> Value | None:
    """Return what an option with a default makes of a word; ``value`` if its function for that is not known."""
    if isinstance(value, FileObject):
        return configuration_files.usual_path(Const(text)) or value
    usual = None if value is None else reach.usual(value)
    is_plain = value is None and not any(each.arg in ("type", "nargs") for each in option.keywords)
    default = usual.value if isinstance(usual, Const) else "" if is_plain else None
    convert = _CONVERSIONS.get(type(default)) if text else None
    try:
        return value if convert is None else Const(convert(text))
    except ValueError:  # the program itself refuses the word
        return value


def _modules_with_options(interp: Interpreter, module: Module) -> list[Module]:
    """Return the module that parses the options if it adds any, else those that it imports from and that add some."""
    if module.contains(_ADDING):
        return [module]
    sources = [b.module for bindings in module.symbols.values() for b in bindings if b.kind == "from" and b.module]
    found = [interp.project.find_module(name, module) for name in dict.fromkeys(sources)]
    return [each for each in found if each is not None and each.origin == "user" and each.contains(_ADDING)]


def _options_of(interp: Interpreter, module: Module) -> dict[str, ast.Call]:
    known = interp.caches.syntax.options.get(module)
    if known is None:
        known = interp.caches.syntax.options[module] = configured_names.options(module.tree)
    return known


def _value(interp: Interpreter, option: ast.Call, frame: Frame) -> Value | None:
    given = {k.arg: k.value for k in option.keywords}
    action = given.get("action")
    if isinstance(action, ast.Constant) and action.value in _FLAGS:
        return reach.expected(BOOL, _FLAGS[action.value])
    if action is not None and last_name(action) != "BooleanOptionalAction":
        return None
    default = interp.eval(given["default"], frame) if "default" in given else NONE
    if "nargs" in given:
        # A list of names mostly stays as it is.
        return default if isinstance(default, Seq) and default.items else None
    kind = interp.eval(given["type"], frame) if "type" in given else None
    if isinstance(default, FileObject) or kind == ExternalName("pathlib.Path"):
        return configuration_files.usual_path(default)
    if not isinstance(default, Const) or default == NONE:
        return None
    if isinstance(kind, Class) and isinstance(default.value, (EnumMember, TextMember)):
        return reach.expected(join_all(classes.enum_members(interp, kind)), default)
    choices = configured_names.choices(option)
    if choices:
        return reach.expected(join_all(map(Const, choices)), default)
    return reach.expected(scalar_of(default.value), default) if isinstance(default.value, (str, int, float)) else None
