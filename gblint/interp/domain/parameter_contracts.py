"""Types of parameters from checks such as ``assert isinstance(n, int)``, and from docstrings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from gblint.interp.domain import reach
from gblint.interp.domain.torch_records import PACKED_SEQUENCE
from gblint.interp.state.interpreter import Interpreter
from gblint.project.symbols import bound_anywhere
from gblint.runtime.lazy_dataclasses import replace
from gblint.values.base import BOOL, FLOAT, INT, NONE, NUMBER, STR, UNKNOWN, Scalar, Tensor, Union, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import join_all
from gblint.values.objects import ExternalName, ExternalObject, Function

_DTYPES: Final = {"Float": "float", "Double": "float", "Half": "float", "Long": "int", "Int": "int", "Bool": "bool"}
_TYPES: Final[dict[str, Value]] = {
    **dict.fromkeys(("int", "integer", "ints"), INT),
    **dict.fromkeys(("float", "double", "floats"), FLOAT),
    **dict.fromkeys(("bool", "boolean"), BOOL),
    **dict.fromkeys(("str", "string"), STR),
    **dict.fromkeys(("number", "numeric", "scalar"), NUMBER),
    **dict.fromkeys(("tensor", "Tensor", "Variable", "Parameter"), Tensor(proven=False)),
    **{f"{name}Tensor": Tensor(dtype=dtype, proven=False) for name, dtype in _DTYPES.items()},
    **dict.fromkeys(("ndarray", "np.ndarray"), Tensor(proven=False, ndarray=True)),
    **dict.fromkeys(
        ("PackedSequence", PACKED_SEQUENCE.removeprefix("torch.")), ExternalObject(PACKED_SEQUENCE, pre_existing=True)
    ),
    "SparseTensor": Tensor(proven=False, layout="sparse"),
    "complex": Scalar("complex"),
    "None": NONE,
    "list": Seq("list", None),
    "tuple": Seq("tuple", None),
    "dict": Mapping((), UNKNOWN),
}
# Patterns that are compiled for the first docstring.
_ROLE: Final = r":(?:py:)?(?:class|obj|type):"
_REST: Final = r"(?:,\s*)?\b(?:optional|default|defaults|required)\b.*|\bof\b.*|\(.*"
_BRACKETS: Final = r"\[[^\[\]]*\]"
_SPHINX: Final = r"^\s*:param\s+(?P<type>[^:\s][^:]*?)\s+\*{0,2}(?P<name>\w+)\s*:"
# The type before the description: ``:param n: int, the number``.
_SPHINX_FIRST: Final = r"^\s*:param\s+(?P<name>\w+)\s*:\s*(?P<type>[\w.]+)\s*,"
_SPHINX_TYPE: Final = r"^\s*:type\s+(?P<name>\w+)\s*:\s*(?P<type>.+)$"
_GOOGLE: Final = r"^[ \t]+(?P<name>\w+)[ \t]*\((?P<type>[^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)[ \t]*:"
_NUMPY: Final = r"^[ \t]*(?P<name>\w+) : (?P<type>[^\n]+)$"
# "mask: Boolean mask of shape (B, L)", also with the description in the line after the type.
_BOOLEAN: Final = (
    r"^[ \t]*(?::param\s+(?:\w+\s+)?)?(?P<name>\w+)\b[^\n:]*:[ \t]*(?:[^\n]*\n[ \t]+)?(?:an? |the |optional )?"
    r"bool(?:ean)?[ -](?:\w+ ){0,2}(?:mask|tensor|array)\b"
)


def described(function: Function, name: str, value: Value) -> Value:
    """Return the value of a parameter; its tensors are of bools if the docstring describes it as a boolean mask."""
    if isinstance(function.node, ast.Lambda) or not any(isinstance(v, Tensor) and not v.dtype for v in members(value)):
        return value
    text = ast.get_docstring(function.node, clean=False)
    if not text or name not in text or "bool" not in text.lower():
        return value
    found = re.finditer(_BOOLEAN, text, re.MULTILINE | re.IGNORECASE)
    if all(each["name"] != name for each in found):
        return value
    masks = (replace(v, dtype="bool") if isinstance(v, Tensor) and not v.dtype else v for v in members(value))
    return reach.expected(join_all(masks), value.usual if isinstance(value, Union) else None)


def kind(interp: Interpreter, function: Function, name: str) -> Value | None:
    """Return the value that the checks in ``function``, or else its docstring, allow for the parameter ``name``."""
    if isinstance(function.node, ast.Lambda):
        return None
    return _checked(interp, function, name) or _documented(function.node, name)


def _checked(interp: Interpreter, function: Function, name: str) -> Value | None:
    """Find ``assert isinstance(name, T)`` or ``if not isinstance(name, T): raise`` among the first statements."""
    for statement in function.node.body if not isinstance(function.node, ast.Lambda) else ():
        for test in _demanded(statement):
            if _asks_type(test, name):
                assert isinstance(test, ast.Call)
                cls = interp.eval(test.args[1], interp.module_frame(function.module))
                made = interp.instance_of_class(cls)
                return (
                    ExternalObject(cls.name, pre_existing=True)
                    if made is None and isinstance(cls, ExternalName)
                    else made
                )
    return None


def refuses_none(function: Function, name: str) -> bool:
    """Return whether a check of the type of ``name`` comes before ``function`` assigns another value to it."""
    for statement in function.node.body if not isinstance(function.node, ast.Lambda) else ():
        if any(_asks_type(test, name) for test in _demanded(statement)):
            return True
        if name in bound_anywhere(statement):
            return False
    return False


def _demanded(statement: ast.stmt) -> Iterator[ast.expr]:
    """Yield the conditions that hold after ``statement``."""
    if isinstance(statement, ast.Assert):
        yield from _operands(statement.test, ast.And)
    elif isinstance(statement, ast.If) and isinstance(statement.body[-1], ast.Raise) and not statement.orelse:
        for test in _operands(statement.test, ast.Or):
            if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
                yield test.operand


def _operands(test: ast.expr, operator: type[ast.boolop]) -> list[ast.expr]:
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, operator) else [test]


def _asks_type(test: ast.expr, name: str) -> bool:
    if not isinstance(test, ast.Call) or not isinstance(test.func, ast.Name) or len(test.args) != 2:
        return False
    return test.func.id == "isinstance" and isinstance(test.args[0], ast.Name) and test.args[0].id == name


def _documented(node: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> Value | None:
    """Return the type in a docstring of Sphinx, Google or NumPy style."""
    text = ast.get_docstring(node, clean=False)
    if not text or name not in text:
        return None
    for pattern in (_SPHINX, _SPHINX_FIRST, _SPHINX_TYPE, _GOOGLE, _NUMPY):
        for found in re.finditer(pattern, text, re.MULTILINE):
            if found["name"] == name:
                return _value_of(found["type"])
    return None


def _value_of(text: str) -> Value | None:
    """Return the value for a type in words; None if a word is unknown."""
    text = re.sub(_REST, "", re.sub(_ROLE, "", text).replace("`", "").replace("~", ""), flags=re.DOTALL)
    while re.search(_BRACKETS, text):
        text = re.sub(_BRACKETS, "", text)
    parts = [part.strip() for part in re.split(r"\bor\b|\||,|/", text)]
    found = [_TYPES.get(part.removeprefix("torch.").removeprefix("a ")) for part in parts if part]
    known = [value for value in found if value is not None]
    return join_all(known) if known and len(known) == len(found) else None
