"""The mini-language of ``Fact.returns``: the result of a call, in one short text.

========================  ==========================================================================================
``tensor``                a tensor of which nothing else is known
``tensor[DTYPE;RANK;L]``  DTYPE is ``bool``, ``int``, ``float``, ``complex``, ``same`` (as the receiver or the first
                          tensor argument), ``number`` (the same, but a bool becomes an int, as in ``sum``) or
                          ``promote`` (what type promotion makes of all operands).  RANK is a number, ``same``,
                          ``+1``, ``-1``, ``reduce`` (less the dimensions given, 0 without any), ``flat`` (1 without
                          a dim argument), ``squeeze`` (less the dimensions given, which have size 1 in code that
                          gives them), ``broadcast`` (the greatest rank of the operands) or ``size`` (one per int
                          argument, or the length of the sequence given as size).  L is ``sparse``, ``nested`` or
                          ``quantized``.  Each may be left out.  An explicit ``dtype=`` argument overrides DTYPE,
                          ``keepdim=True`` RANK by ``same``.
``ndarray[...]``          the same for an ndarray
``(A,B)``                 a tuple; ``(A...)`` a tuple of unknown length; ``[A]`` a list
``A|B``                   A with one positional argument and no ``dim``/``axis``, B otherwise
``int float bool str ..`` a Python scalar known at trace time; ``size`` is an int that comes from a shape;
                          ``data-int``, ``data-float``, ``data-bool`` depend on tensor data, ``data-item`` is
                          of the kind that the items of the receiver are
``const:V``               the Python constant V; ``none`` is ``const:None``
any other name            ``dtype``, ``device``, ``shape``, ``self`` (the receiver, changed in place), ``arg0`` (the
                          first argument), ``module``, ``np-scalar``, ``object``, ``unknown``, or the dotted name of
                          a class, of which an instance is returned
========================  ==========================================================================================
"""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import Literal, cast, get_args

from gblint.runtime.lazy_dataclasses import dataclass

SCALARS = frozenset(
    {"int", "float", "bool", "str", "bytes", "complex", "size", "data-int", "data-float", "data-bool", "data-item"}
)
NAMES = frozenset(
    {"dtype", "device", "shape", "layout", "np-scalar", "module", "self", "arg0", "object", "iterator", "function"}
    | {"dict", "list", "tuple", "set", "type", "generator", "unknown"}
)
DTYPES = frozenset({"bool", "int", "float", "complex", "same", "number", "promote"})
Layout = Literal["", "sparse", "nested", "quantized"]
LAYOUTS: frozenset[str] = frozenset(get_args(Layout))
RANKS = frozenset({"same", "+1", "-1", "reduce", "norm", "flat", "size", "squeeze", "broadcast"})


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """A tensor, or an ndarray if ``ndarray``; None stands for an unknown dtype or rank."""

    dtype: str | None = None
    rank: int | str | None = None
    ndarray: bool = False
    layout: Layout = ""


@dataclass(frozen=True, slots=True)
class TupleSpec:
    """A tuple of known length."""

    items: tuple[ReturnSpec, ...]


@dataclass(frozen=True, slots=True)
class SequenceSpec:
    """A list, or a tuple of unknown length, all of whose items are alike."""

    kind: Literal["list", "tuple"]
    item: ReturnSpec


@dataclass(frozen=True, slots=True)
class ScalarSpec:
    """A Python scalar; ``kind`` is one of ``SCALARS``."""

    kind: str


@dataclass(frozen=True, slots=True)
class ConstSpec:
    """A value that Dynamo knows without looking at the arguments."""

    value: object


@dataclass(frozen=True, slots=True)
class NameSpec:
    """Something that has only a name: one of ``NAMES`` or a dotted class name."""

    name: str


@dataclass(frozen=True, slots=True)
class EitherSpec:
    """``no_dim`` with one positional argument and no ``dim``, ``with_dim`` otherwise."""

    no_dim: ReturnSpec
    with_dim: ReturnSpec


ReturnSpec = TensorSpec | TupleSpec | SequenceSpec | ScalarSpec | ConstSpec | NameSpec | EitherSpec

_TOKEN = re.compile(
    r"""(?P<tensor>tensor|ndarray)(?![\w-]|\.\w)(?:\[(?P<dtype>\w*)(?:;(?P<rank>[+\-\w]*))?(?:;(?P<layout>\w+))?\])?
    |const:(?P<const>'[^']*'|[\w.+-]+)
    |(?P<name>[A-Za-z_][\w.-]*?)(?=\.\.\.|[^\w.-]|$)
    |(?P<mark>\.\.\.|[()\[\],|])""",
    re.VERBOSE,
)


class ReturnsError(ValueError):
    """A text that is not in the mini-language."""


@cache
def parse_returns(text: str) -> ReturnSpec:
    """Parse one text of the mini-language; raise ReturnsError if it is not in it."""
    parser = _Parser(text)
    spec = parser.either()
    if parser.peek():
        raise ReturnsError(f"unexpected {parser.peek()!r} in {text!r}")
    return spec


class _Parser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[re.Match[str]] = []
        self.position = 0
        at = 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise ReturnsError(f"cannot read {text[at:]!r} in {text!r}")
            self.tokens.append(match)
            at = match.end()

    def peek(self) -> str:
        """The text of the next token, or nothing at the end."""
        return self.tokens[self.position].group() if self.position < len(self.tokens) else ""

    def take(self, *wanted: str) -> bool:
        """Step over the next token if it is one of ``wanted``."""
        if self.peek() in wanted:
            self.position += 1
            return True
        return False

    def expect(self, mark: str) -> None:
        """Step over ``mark`` or raise."""
        if not self.take(mark):
            raise ReturnsError(f"expected {mark!r} before {self.peek()!r} in {self.text!r}")

    def either(self) -> ReturnSpec:
        """``single`` or ``single|single``."""
        first = self.single()
        return EitherSpec(first, self.single()) if self.take("|") else first

    def single(self) -> ReturnSpec:
        """Anything but an alternative at the top."""
        if self.take("("):
            return self.tuple_()
        if self.take("["):
            item = self.either()
            self.expect("]")
            return SequenceSpec("list", item)
        if not self.peek():
            raise ReturnsError(f"{self.text!r} ends too early")
        token = self.tokens[self.position]
        if token["mark"]:
            raise ReturnsError(f"unexpected {token.group()!r} in {self.text!r}")
        self.position += 1
        return _leaf(token)

    def tuple_(self) -> ReturnSpec:
        """Parse the items after an opening parenthesis."""
        items: list[ReturnSpec] = []
        while not self.take(")"):
            items.append(self.either())
            if self.take("..."):
                self.expect(")")
                return SequenceSpec("tuple", items[-1])
            if not self.take(","):
                self.expect(")")
                break
        return TupleSpec(tuple(items))


def _leaf(token: re.Match[str]) -> ReturnSpec:
    if token["tensor"]:
        return _tensor(token)
    if token["const"] is not None:
        return ConstSpec(ast.literal_eval(token["const"]))
    name = token["name"]
    if name == "none":
        return ConstSpec(None)
    if name in SCALARS:
        return ScalarSpec(name)
    if name in NAMES or "." in name:
        return NameSpec(name)
    raise ReturnsError(f"unknown name {name!r}")


def _tensor(token: re.Match[str]) -> TensorSpec:
    dtype, rank = token["dtype"] or None, token["rank"] or None
    if dtype is not None and dtype not in DTYPES:
        raise ReturnsError(f"unknown dtype {dtype!r} in {token.group()!r}")
    if rank is not None and rank not in RANKS and not rank.isdigit():
        raise ReturnsError(f"unknown rank {rank!r} in {token.group()!r}")
    layout = token["layout"] or ""
    if layout not in LAYOUTS:
        raise ReturnsError(f"unknown layout {layout!r} in {token.group()!r}")
    number = int(rank) if rank is not None and rank.isdigit() else rank
    return TensorSpec(dtype, number, token["tensor"] == "ndarray", cast(Layout, layout))
