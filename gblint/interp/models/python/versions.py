"""Versions of Python, torch and installed packages, which code tests before it chooses an implementation.

They are those of the linted environment.  Dynamo traces such tests and keeps the results as constants; ``packaging`` is
not evaluated for them, since it takes hundreds of steps for the same result.
"""

from __future__ import annotations

import ast

from gblint.interp.domain import reach
from gblint.interp.state.call_context import CallContext, Handler
from gblint.interp.state.interpreter import Interpreter
from gblint.knowledge.versions import parse_version, release
from gblint.values.base import INT, NONE, STR, UNKNOWN, Const, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import join_all
from gblint.values.objects import ExternalName, ExternalObject

VERSION = "packaging.version.Version"
_LAST_PATCH = 9
_FIELDS = ("major", "minor", "micro", "releaselevel", "serial")


class TorchVersion(str):
    """``torch.__version__``: a string that compares as a version (``torch.torch_version.TorchVersion``)."""

    def __lt__(self, other: object) -> bool:
        return _compared(self, other) < 0

    def __le__(self, other: object) -> bool:
        return _compared(self, other) <= 0

    def __gt__(self, other: object) -> bool:
        return _compared(self, other) > 0

    def __ge__(self, other: object) -> bool:
        return _compared(self, other) >= 0


def _compared(one: str, other: object) -> int:
    """Return a negative number, zero or a positive number; raises TypeError if two versions cannot be ordered."""
    left, right = parse_version(one), parse_version(other) if isinstance(other, str) else None
    if left is None or right is None:
        raise TypeError
    return (left > right) - (left < right)


def of_python(interp: Interpreter) -> Value:
    """``sys.version_info``, of which the first two numbers are known."""
    version = interp.project.environment.version
    if version is None:
        return ExternalName("sys.version_info")
    return Seq("tuple", (Const(version[0]), Const(version[1]), INT, STR, INT))


def field_of_python(base: Seq, name: str) -> Value | None:
    """``sys.version_info.major`` and similar; None for other attributes."""
    if name not in _FIELDS or base.items is None or len(base.items) != len(_FIELDS):
        return None
    return base.items[_FIELDS.index(name)]


def of_torch(interp: Interpreter) -> Value:
    """``torch.__version__``: that of the installed torch, or the versions of the release that gblint lints for.

    It is read from ``torch/version.py``: the metadata may omit the local part, as in ``2.13.0+cu130``.
    """
    source = interp.project.find_module("torch.version")
    bindings = () if source is None else source.symbols.get("__version__", ())
    assigned = bindings[-1].value if bindings else None
    text = assigned.value if isinstance(assigned, ast.Constant) else None
    known = isinstance(text, str) and _is_linted_for(interp, text)
    return join_all(Const(TorchVersion(each)) for each in ([str(text)] if known else _of_release(interp)))


def _of_release(interp: Interpreter) -> tuple[str, str]:
    """Return the first version of the release that gblint lints for, and one as high as its last, with a local part.

    A comparison that is true of both is true of every version of the release.
    """
    version = ".".join(map(str, release(interp.knowledge.version)))
    return f"{version}.0", f"{version}.{_LAST_PATCH}+cpu"


def _of_distribution(interp: Interpreter, name: str) -> tuple[str, ...]:
    """Return the possible versions of an installed package; the release that gblint lints for is known of torch."""
    version = interp.project.environment.distribution_version(name)
    if name == "torch" and (version is None or not _is_linted_for(interp, version)):
        return _of_release(interp)
    return () if version is None else (version,)


def _is_linted_for(interp: Interpreter, version: str) -> bool:
    parsed = parse_version(version)
    return parsed is not None and parsed.release[:2] == release(interp.knowledge.version)


def installed(ctx: CallContext) -> Value:
    """``importlib.metadata.version(name)``."""
    name = ctx.args.get(0, "distribution_name")
    text = name.value if isinstance(name, Const) and isinstance(name.value, str) else ""
    found = _of_distribution(ctx.interp, text)
    return join_all(map(Const, found)) if found else STR


def distributions(ctx: CallContext) -> Value:
    """``importlib.metadata.packages_distributions()``: the names of distributions by those of their packages."""
    return Mapping(((Const("torch"), Seq("list", (Const("torch"),))),), Seq("list", None, STR))


def parse(ctx: CallContext) -> Value:
    """``packaging.version.parse(text)`` and ``Version(text)``, which raise for None."""
    text = ctx.args.get(0, "version") or UNKNOWN
    given, usual = members(text), reach.usual(text)
    result = join_all(_version(value) for value in [each for each in given if each != NONE] or given)
    return result if usual is None else reach.expected(result, _version(usual))


def _version(value: Value) -> Value:
    version = parse_version(value.value) if isinstance(value, Const) and isinstance(value.value, str) else None
    return ExternalObject(VERSION) if version is None else Const(version)


def attribute(version: object, name: str) -> Value | None:
    """Return the attribute ``name`` of a version constant: a number, a string or a tuple; None for other constants."""
    if not is_version(version) or name.startswith("_") or not hasattr(version, name):
        return None
    value = getattr(version, name)
    if callable(value):
        return None
    return Seq("tuple", tuple(map(Const, value))) if isinstance(value, tuple) else Const(value)


def is_version(value: object) -> bool:
    """Return whether a constant is a version of ``packaging``."""
    return type(value).__module__ == "packaging.version"


HANDLERS: dict[str, Handler] = {
    "importlib.metadata.version": installed,
    "importlib.metadata.packages_distributions": distributions,
    VERSION: parse,
    "packaging.version.parse": parse,
}
