"""Versions: of Python, of torch and of installed packages, which code asks for before it chooses how to do something.

They are those of the environment that the project is linted for.  Dynamo traces such questions, and keeps the answers
as constants; ``packaging`` is not followed for them, since it takes hundreds of steps to say the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gblint.interp.frames import Frame
from gblint.interp.machine import Args, Handler, Machine
from gblint.knowledge.versions import release
from gblint.values.base import INT, STR, UNKNOWN, Const, Value, members
from gblint.values.containers import Seq
from gblint.values.join import join_all
from gblint.values.objects import External, ExternalObject

if TYPE_CHECKING:
    import ast

    from packaging.version import Version

VERSION = "packaging.version.Version"
_FIELDS = ("major", "minor", "micro", "releaselevel", "serial")


class TorchVersion(str):
    """``torch.__version__``: a text that is compared as a version (``torch.torch_version.TorchVersion``)."""

    def __lt__(self, other: object) -> bool:
        return _compared(self, other) < 0

    def __le__(self, other: object) -> bool:
        return _compared(self, other) <= 0

    def __gt__(self, other: object) -> bool:
        return _compared(self, other) > 0

    def __ge__(self, other: object) -> bool:
        return _compared(self, other) >= 0


def _compared(one: str, other: object) -> int:
    """Below zero, zero or above it: TypeError if it cannot be told which of two versions is the later one."""
    left, right = _parsed(one), _parsed(other) if isinstance(other, str) else None
    if left is None or right is None:
        raise TypeError
    return (left > right) - (left < right)


def of_python(m: Machine) -> Value:
    """``sys.version_info``, of which the first two numbers are known."""
    version = m.project.environment.version
    if version is None:
        return External("sys.version_info")
    return Seq("tuple", (Const(version[0]), Const(version[1]), INT, STR, INT))


def field_of_python(base: Seq, name: str) -> Value | None:
    """``sys.version_info.major`` and its like; None for any other name of an attribute."""
    if name not in _FIELDS or base.items is None or len(base.items) != len(_FIELDS):
        return None
    return base.items[_FIELDS.index(name)]


def of_torch(m: Machine) -> Value:
    """``torch.__version__``, if the torch that is linted for is installed."""
    version = m.project.environment.distribution_version("torch")
    parsed = None if version is None else _parsed(version)
    if version is None or parsed is None or parsed.release[:2] != release(m.knowledge.version):
        return STR
    return Const(TorchVersion(version))


def installed(m: Machine, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``importlib.metadata.version(name)``."""
    name = args.get(0, "distribution_name")
    if not isinstance(name, Const) or not isinstance(name.value, str):
        return STR
    if name.value == "torch":
        version = of_torch(m)
        return Const(str(version.value)) if isinstance(version, Const) else STR
    found = m.project.environment.distribution_version(name.value)
    return STR if found is None else Const(found)


def parse(m: Machine, args: Args, frame: Frame, node: ast.AST) -> Value:
    """``packaging.version.parse(text)`` and ``Version(text)``."""
    return join_all(_version(value) for value in members(args.get(0, "version") or UNKNOWN))


def _version(value: Value) -> Value:
    version = _parsed(value.value) if isinstance(value, Const) and isinstance(value.value, str) else None
    return ExternalObject(VERSION) if version is None else Const(version)


def attribute(version: object, name: str) -> Value | None:
    """What ``name`` is of a constant, if that is a version and has it: a number, a text, or a tuple of such."""
    if not is_version(version) or name.startswith("_") or not hasattr(version, name):
        return None
    value = getattr(version, name)
    return Seq("tuple", tuple(map(Const, value))) if isinstance(value, tuple) else Const(value)


def is_version(value: object) -> bool:
    """Whether a constant is a version as ``packaging`` has them."""
    return type(value).__module__ == "packaging.version"


def _parsed(text: str) -> Version | None:
    from packaging.version import Version

    try:
        return Version(text)
    except ValueError:  # it is none, or a number in it is too long to be one
        return None


HANDLERS: dict[str, Handler] = {
    "importlib.metadata.version": installed,
    VERSION: parse,
    "packaging.version.parse": parse,
}
