"""The call tree of an entry point: functions, breaks, and the graphs between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from gblint.diagnostics.break_event import Outcome
from gblint.diagnostics.count_range import CountRange
from gblint.runtime.lazy_dataclasses import dataclass

PartKind = Literal["call", "loop", "branch", "graph", "eager", "break", "more"]


@dataclass(frozen=True, slots=True)
class CallTreeNode:
    """A step of the execution of a function; the nodes are in the order of execution.

    The kinds of nodes:
    ``call``: a call, at ``line`` of ``path``, of a function with breaks; ``parts`` are its steps.  If these are left
    out, ``breaks`` is the number of breaks in them.
    ``loop``: ``parts`` run ``times`` times, None if that is not known; ``layers`` is set if it iterates over modules.
    ``branch``: one branch of a condition of which several branches break.
    ``graph``: traced code, compiled into the graphs with the numbers ``graph`` to ``last``, of ``operators``
    operators.  With a ``name`` it stands for functions that run between graphs and that Dynamo compiles separately.
    ``eager``: operators that run outside of any graph.
    ``break``: a graph break.  A ``hidden`` one is in code that runs eagerly because of another break.  One that is not
    ``always`` is only on some paths through the function.
    ``more``: ``breaks`` breaks and ``times`` nodes that are left out.

    ``outcome``, ``reason`` and ``resume_line`` describe the effect of a break, or of a call with breaks, on the
    function around it; ``graphs`` is the estimated number of graphs of one call.
    """

    kind: PartKind
    name: str = ""
    path: str = ""
    line: int = 0
    column: int = 0
    graph: int = 0
    last: int = 0
    operators: int = 0
    graphs: CountRange | None = None
    outcome: Outcome | None = None
    reason: str = ""
    resume_line: int = 0
    times: int | None = 1
    layers: int = 0
    breaks: int = 0
    always: bool = True
    hidden: bool = False
    parts: tuple[CallTreeNode, ...] = ()

    def walk(self) -> Iterator[CallTreeNode]:
        """Yield this node and all nodes below it."""
        stack = [self]
        while stack:
            part = stack.pop()
            yield part
            stack += reversed(part.parts)

    @property
    def size(self) -> int:
        """The number of nodes."""
        return sum(1 for _ in self.walk())

    def leads(self) -> int:
        """Return the number of breaks."""
        return sum(part.breaks if part.kind in ("call", "more") else part.kind == "break" for part in self.walk())
