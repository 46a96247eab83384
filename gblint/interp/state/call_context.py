"""The context of a call, which every model of an external callable receives."""

from __future__ import annotations

import ast
from collections.abc import Callable

from gblint.interp.state.call_args import Args
from gblint.interp.state.events import Emission
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime.lazy_dataclasses import dataclass
from gblint.values.base import Value


@dataclass(frozen=True, slots=True)
class CallContext:
    """A call: the interpreter, the arguments, the frame that makes the call, and the node at which it stands."""

    interp: Interpreter
    args: Args
    frame: Frame
    node: ast.AST

    def with_args(self, args: Args) -> CallContext:
        """Return the context of the same call with other arguments."""
        return CallContext(self.interp, args, self.frame, self.node)

    def emit(
        self,
        kind: str,
        subject: str,
        causes: tuple[str, ...] = (),
        *,
        about: Value | None = None,
        likely: bool = False,
    ) -> None:
        """Record a break at the call; see ``Interpreter.emit``."""
        self.interp.emit_event(self.frame, self.node, Emission(kind, subject, causes, about, likely))

    def emit_event(self, event: Emission) -> None:
        """Record an event at the call."""
        self.interp.emit_event(self.frame, self.node, event)

    def call(self, function: Value, args: Args) -> Value:
        """Call a value, at the same place."""
        return self.interp.call(function, args, self.frame, self.node)

    def item_of(self, value: Value) -> Value:
        """Return the join of the items of an iterable."""
        return self.interp.item_of(value, self.frame, self.node)

    def items_of(self, value: Value) -> tuple[Value, ...] | None:
        """Return the items of an iterable, in order; None if their number is unknown."""
        return self.interp.items_of(value, self.frame, self.node)

    def get_attribute(self, base: Value, name: str) -> Value:
        """Return ``base.name``."""
        return self.interp.get_attribute(base, name, self.frame, self.node)


Handler = Callable[[CallContext], Value]
"""The model of one callable: takes the call, returns the result."""
