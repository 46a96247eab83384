"""The function that a higher-order operator captures."""

from __future__ import annotations

import ast

from gblint.runtime.lazy_dataclasses import dataclass, field
from gblint.values.base import Value


@dataclass(slots=True)
class CapturedFunction:
    """A function that is being captured.

    token: the branch in which the capture began; ``first_uid``: the lowest uid of the objects that it makes.
    scopes: the scopes that the function closes over; ``objects`` the objects in them, and its receiver.
    changed: the attributes that it has set, each with the old and the new value.
    reported: whether a change of something outside was reported where the function makes it.
    """

    token: int
    first_uid: int
    scopes: frozenset[int]
    objects: frozenset[int]
    changed: dict[tuple[int, str], tuple[Value, Value]] = field(default_factory=dict)
    reported: bool = False


class CaptureState:
    """The capture of a function by a higher-order operator.

    function: the innermost captured function that is running; None outside of any.
    operands: numbers of the operands, by call and position.
    written: numbers of the operands that were changed in place; CAPTURED for tensors found around the function.
    changes: the number of changes so far that may be of something outside of the captured function.
    """

    def __init__(self) -> None:
        self.function: CapturedFunction | None = None
        self.operands: dict[tuple[ast.AST, int], int] = {}
        self.written: set[int] = set()
        self.changes = 0
