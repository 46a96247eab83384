"""What a call of an entry point runs, as data to be drawn: functions, breaks, and the graphs between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from gblint.diagnostics.break_event import Outcome
from gblint.diagnostics.count_range import CountRange
from gblint.runtime.lazy_dataclasses import dataclass

PartKind = Literal["call", "loop", "way", "graph", "eager", "break", "more"]


@dataclass(frozen=True, slots=True)
class CallTreeNode:
    """Something that happens in a function, in the order in which it happens.

    ``call``: a function that leads to breaks is called at ``line`` of ``path``; ``parts`` is what happens in it.  Where
    that is left out, ``breaks`` of them are in it.
    ``loop``: ``parts`` happen ``times`` times (None: nobody knows); ``layers`` tells that it goes through modules.
    ``way``: what happens on one side of a condition whose other sides break too.
    ``graph``: traced code, which becomes the graphs numbered ``graph`` to ``last``, of ``operators`` operators; with a
    ``name``, functions that Python calls and Dynamo compiles on their own.
    ``eager``: operators that run outside of any graph.
    ``break``: Dynamo gives up here.  ``hidden`` is one in code that runs eagerly because of another break; what is not
    ``sure`` happens on some ways through the function only.
    ``more``: ``breaks`` breaks and ``times`` parts that are left out.

    ``outcome``, ``reason`` and ``resume_line`` say what becomes of the function around a break or a call that breaks;
    ``graphs`` is the estimate for one call of a function.
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
    sure: bool = True
    hidden: bool = False
    parts: tuple[CallTreeNode, ...] = ()

    def walk(self) -> Iterator[CallTreeNode]:
        """This part and all within it."""
        stack = [self]
        while stack:
            part = stack.pop()
            yield part
            stack += reversed(part.parts)

    @property
    def size(self) -> int:
        """How many parts it is made of."""
        return sum(1 for _ in self.walk())

    def leads(self) -> int:
        """How many breaks are in it."""
        return sum(part.breaks if part.kind in ("call", "more") else part.kind == "break" for part in self.walk())
