"""The function that a higher-order operator captures."""

from __future__ import annotations

import ast

from gblint.runtime.lazy_dataclasses import dataclass, field
from gblint.values.base import Value


@dataclass(slots=True)
class CapturedFunction:
    """A function that is being captured: what was there before it, and the attributes that it has set.

    ``scopes`` are those that it closes over, ``objects`` what it finds there or is a method of.
    """

    token: int
    scopes: frozenset[int]
    objects: frozenset[int]
    changed: dict[tuple[int, str], tuple[Value, Value]] = field(default_factory=dict)


class Capture:
    """The capture of a function by a higher-order operator.

    function: the innermost captured function that is running; None outside of any.
    operands: numbers of the operands, by call and position.
    written: numbers of the operands that were changed in place; CAPTURED for tensors found around the function.
    """

    def __init__(self) -> None:
        self.function: CapturedFunction | None = None
        self.operands: dict[tuple[ast.AST, int], int] = {}
        self.written: set[int] = set()
