"""Configuration files that a program reads: ``json.load(open("conf/base.json"))``, also of YAML and TOML.

What the file contains decides which models a program builds.  It is read while the project is searched for what it
compiles.  If the name of the file is only the default of an option, its contents are what the defaults choose.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable
from pathlib import PurePath

from gblint.interp.domain import reach
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.project.path_finder import SETTING_FILES
from gblint.project.setting_formats import SettingFormat, parse
from gblint.values.base import BOOL, FLOAT, INT, STR, UNKNOWN, Const, Value, scalar_of
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import join_all
from gblint.values.objects import ExternalObject, FileObject

MAX_PATH_LENGTH = 4_096
"""Characters of a path that is put together."""
_OTHERS = join_all((BOOL, INT, FLOAT, STR, UNKNOWN))
"""The values of settings that a file does not have, and another one may have."""
_OPEN_FILE, _PATH = "io.TextIOWrapper", "pathlib.Path"
_OPENING = frozenset(("builtins.open", "io.open", "codecs.open"))
_PATHS = frozenset(("pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath"))
_SAME_PATH = frozenset(("resolve", "absolute", "expanduser"))
_RENAMING = frozenset(("with_name", "with_stem", "with_suffix"))
_SAME_NAME = frozenset(("os.path.abspath", "os.path.realpath", "os.path.expanduser", "os.fspath"))


# Functions that read a configuration, by their qualified names.
_READERS: dict[str, SettingFormat] = {
    **dict.fromkeys(("json.load", "json.loads"), "json"),
    **dict.fromkeys(("tomllib.load", "tomllib.loads", "tomli.load", "tomli.loads", "toml.load", "toml.loads"), "toml"),
    **dict.fromkeys(("yaml.load", "yaml.safe_load", "yaml.full_load", "yaml.unsafe_load"), "yaml"),
}
_CALLED = frozenset((*_OPENING, *_PATHS, *_SAME_NAME, *_READERS, "os.path.join", "os.path.dirname", "builtins.str"))
LIBRARY_READERS = frozenset(name.partition(".")[2] for name in _READERS)


def called(ctx: CallContext, name: str) -> Value | None:
    """Return the result of a call that makes a path, opens or reads a configuration file; None for any other call."""
    if name not in _CALLED:
        return None
    if name in _OPENING:
        return opened(ctx.args.get(0, "file"))
    if name in _PATHS or name == "os.path.join":
        path = _joined(ctx.args.pos) if not ctx.args.star else None
        return path if path is None or name == "os.path.join" else FileObject(_PATH, path=path)
    if name == "os.path.dirname" and len(ctx.args.pos) == 1:
        return _changed(ctx.args.pos[0], os.path.dirname)
    if name in _SAME_NAME and len(ctx.args.pos) == 1:
        return _changed(ctx.args.pos[0], str)
    if name == "builtins.str" and len(ctx.args.pos) == 1 and isinstance(ctx.args.pos[0], FileObject):
        return ctx.args.pos[0].path
    if name in _READERS and ctx.args.pos:
        return _read(ctx, ctx.args.pos[0], _READERS[name])
    return None


def opened(file: Value | None) -> Value | None:
    """Return the open file for a path that names a configuration file."""
    path = None if file is None else _path_of(file)
    name = None if path is None else reach.usual(path)
    if path is None or not isinstance(name, Const) or not str(name.value).endswith(SETTING_FILES):
        return None
    return FileObject(_OPEN_FILE, path=path)


def call_method(ctx: CallContext, file: FileObject, name: str) -> Value | None:
    """Return the result of a method of a path or of an open file; None if it is not known."""
    if ctx.frame.mode.tracing:
        return None
    if file.cls == _OPEN_FILE:
        return _text(ctx, file) if name == "read" and not ctx.args.pos else file if name == "__enter__" else None
    if name in _SAME_PATH:
        return file
    if name == "open":
        return opened(file)
    if name in ("read_text", "read_bytes"):
        return _text(ctx, file)
    if name == "joinpath":
        return joined(file, *ctx.args.pos)
    if name in _RENAMING and ctx.args.pos and isinstance(ctx.args.pos[0], Const):
        given = str(ctx.args.pos[0].value)
        path = _changed(file.path, lambda text: str(getattr(PurePath(text), name)(given)))
        return None if path is None else FileObject(_PATH, path=path)
    return None


def attribute(file: FileObject, name: str) -> Value | None:
    """Return an attribute of a path; None if it is not known."""
    if file.cls != _PATH:
        return None
    if name == "parent":
        path = _changed(file.path, lambda text: str(PurePath(text).parent))
        return None if path is None else FileObject(_PATH, path=path)
    if name in ("name", "stem", "suffix"):
        return _changed(file.path, lambda text: str(getattr(PurePath(text), name)))
    return None


def joined(*parts: Value) -> Value | None:
    """Return ``parts[0] / parts[1]``, a path."""
    path = _joined(parts)
    return None if path is None else FileObject(_PATH, path=path)


def usual_path(default: Value) -> Value | None:
    """Return the path that an option of the command line has by default; None if it is not known."""
    path = _path_of(default)
    known = None if path is None else reach.usual(path)
    return None if known is None else FileObject(_PATH, path=reach.expected(STR, known))


def _path_of(value: Value) -> Value | None:
    """Return the text of a path, which is a string or an object."""
    value = value.path if isinstance(value, FileObject) else value
    known = reach.usual(value)
    return value if isinstance(known, Const) and isinstance(known.value, str) else None


def _joined(parts: tuple[Value, ...]) -> Value | None:
    paths = [_path_of(part) for part in parts]
    known = [None if path is None else reach.usual(path) for path in paths]
    names = [str(each.value) for each in known if isinstance(each, Const)]
    if not names or len(names) < len(parts) or sum(map(len, names)) > MAX_PATH_LENGTH:
        return None
    name = Const(os.path.join(*names))
    return name if all(isinstance(path, Const) for path in paths) else reach.expected(STR, name)


def _changed(value: Value, change: Callable[[str], str]) -> Value | None:
    path = _path_of(value)
    known = None if path is None else reach.usual(path)
    if not isinstance(known, Const):
        return None
    try:
        name = Const(change(str(known.value)))
    except ValueError:
        return None
    return name if isinstance(path, Const) else reach.expected(STR, name)


def _text(ctx: CallContext, file: FileObject) -> Value | None:
    text = _text_of(ctx.interp, file, ctx.frame.module)
    if text is None:
        return None
    return Const(text) if isinstance(file.path, Const) else reach.expected(STR, Const(text))


def _text_of(interp: Interpreter, file: FileObject, module: Module) -> str | None:
    """Return the text of a configuration file, whose path is relative to a folder above the module, or to its own."""
    known = reach.usual(file.path)
    if not isinstance(known, Const):
        return None
    for folder in (interp.project.root, module.path.parent, *module.path.parent.parents):
        if not folder.is_relative_to(interp.project.root):
            break
        text = interp.project.configuration(folder / str(known.value))
        if text is not None:
            return text
    return None


def _read(ctx: CallContext, source: Value, form: SettingFormat) -> Value | None:
    """Return what a reader makes of a file or of a text."""
    if isinstance(source, FileObject):
        text, exact = _text_of(ctx.interp, source, ctx.frame.module), isinstance(source.path, Const)
    else:
        known = reach.usual(source)
        text = known.value if isinstance(known, Const) and isinstance(known.value, str) else None
        exact = isinstance(source, Const)
    data = None if text is None else parse(text, form)
    return _value_of(data, exact) if isinstance(data, (dict, list)) else None


def _value_of(data: object, exact: bool) -> Value:
    """Return the value of a part of a configuration.

    exact: the program reads this file; else another file may be named, in which there are other values and keys.
    Nothing is known of a value that is not set.
    """
    if isinstance(data, dict):
        entries = tuple((Const(key), _value_of(value, exact)) for key, value in data.items() if isinstance(key, str))
        optional = frozenset() if exact else frozenset(key for key, _ in entries)
        return Mapping(entries, _OTHERS, optional=optional)
    if isinstance(data, list):
        # The strings of a list are kept apart: a loop joins its items, and of two defaults one would be lost.
        return Seq("list", tuple(Const(item) if isinstance(item, str) else _value_of(item, exact) for item in data))
    if isinstance(data, (bool, int, float, str)):
        # A flag is there to be changed: what it switches off is analysed as well.
        given = exact and not isinstance(data, bool)
        return Const(data) if given else reach.expected(scalar_of(data), Const(data))
    return ExternalObject("datetime.datetime") if isinstance(data, datetime.date) else UNKNOWN
