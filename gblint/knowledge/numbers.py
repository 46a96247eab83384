"""Parameters of torch's operators that have to be numbers, read from its stub files.

A tensor given for one is read, as ``item()`` would read it: ``torch.zeros(sizes.max())``.  The text for a function is
one word for each such parameter: ``i`` for an integer, a size or a list of them, ``n`` for another number, ``g`` for a
generator; its position, ``-`` if it has none; ``*`` if it takes all further positional arguments; a colon; its name.
For methods the receiver counts as the first positional argument.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

from gblint.runtime.lazy_dataclasses import dataclass

_WORD = re.compile(r"([ing])(\d+|-)(\*?):(\w+)")
_TENSORS = ("Tensor", "list", "Any", "object", "Storage")
_INTEGERS = ("_int", "SymInt", "_size", "_symsize", "IntLikeType", "Sequence[int]", "int")
_NUMBERS = ("Number", "_float", "_complex", "float", "SymFloat")


@dataclass(frozen=True, slots=True)
class NumberParameter:
    """One parameter that takes no tensor; ``kind`` is "int", "number" or "generator"."""

    kind: str
    position: int | None
    variadic: bool
    name: str


_KINDS = {"i": "int", "n": "number", "g": "generator"}


class NumbersError(ValueError):
    """A text that does not describe parameters."""


@cache
def parse_numbers(text: str) -> tuple[NumberParameter, ...]:
    """Parse the text for one function; raise NumbersError if it is malformed."""
    found = []
    for word in text.split():
        match = _WORD.fullmatch(word)
        if match is None:
            raise NumbersError(f"not a parameter: {word!r}")
        kind, position, star, name = match.groups()
        found.append(NumberParameter(_KINDS[kind], None if position == "-" else int(position), bool(star), name))
    return tuple(found)


def number_parameters(stub: str, class_name: str | None = None) -> dict[str, str]:
    """The text for every function of a stub file, or for every method of ``class_name``, that has such parameters."""
    body: list[ast.stmt] = ast.parse(stub).body
    if class_name is not None:
        body = next(n.body for n in body if isinstance(n, ast.ClassDef) and n.name == class_name)
    overloads: dict[str, list[ast.FunctionDef]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef) and (not node.name.startswith("_")):
            overloads.setdefault(node.name, []).append(node)
    texts = {name: _text(nodes) for name, nodes in overloads.items()}
    return {name: text for name, text in texts.items() if text}


def _text(nodes: list[ast.FunctionDef]) -> str:
    """Return the text for all overloads together; a position where one of them takes a tensor is left out."""
    kinds: dict[str, str] = {}
    positions: dict[str, set[int]] = {}
    variadic: set[str] = set()
    refused_names: set[str] = set()
    refused_positions: set[int] = set()
    for node in nodes:
        for position, argument, star in _parameters(node):
            kind = _kind(argument)
            if not kind:
                continue
            if kind == "t":
                refused_names.add(argument.arg)
                if position is not None:
                    refused_positions.add(position)
                continue
            kinds[argument.arg] = min(kind, kinds.get(argument.arg, kind))
            if star:
                variadic.add(argument.arg)
            if position is not None:
                positions.setdefault(argument.arg, set()).add(position)
    words = []
    for name, kind in kinds.items():
        if name in refused_names:
            continue
        free = sorted(positions.get(name, set()) - refused_positions)
        for place in map(str, free) if free else ["-"]:
            words.append(f"{kind}{place}{'*' if name in variadic else ''}:{name}")
    return " ".join(words)


def _parameters(node: ast.FunctionDef) -> Iterator[tuple[int | None, ast.arg, bool]]:
    positional = [*node.args.posonlyargs, *node.args.args]
    for position, argument in enumerate(positional):
        yield position, argument, False
    if node.args.vararg is not None:
        yield len(positional), node.args.vararg, True
    for argument in node.args.kwonlyargs:
        yield None, argument, False


def _kind(argument: ast.arg) -> str:
    """``i``, ``n`` or ``g``; ``t`` if it takes tensors, nothing for what is neither a tensor nor a number."""
    if argument.annotation is None:
        return ""
    text = ast.unparse(argument.annotation)
    if any(word in text for word in _TENSORS):
        return "t"
    if "Generator" in text:
        return "g"
    words = set(re.findall(r"[\w.]+(?:\[int\])?", text))
    if words & {"_bool", "bool", "str", "_dtype"}:
        return ""
    if words & set(_NUMBERS):
        return "n"
    return "i" if words & set(_INTEGERS) else ""
