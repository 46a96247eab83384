"""Break events: the records of the interpreter, before a rule turns them into findings."""

from __future__ import annotations

from enum import Enum
from typing import Literal

from gblint.diagnostics.entry_point import EntryPoint, Region
from gblint.diagnostics.reach import Reach, ReachCondition
from gblint.diagnostics.span import ChainLink, Span
from gblint.runtime.lazy_dataclasses import dataclass, replace

Outcome = Literal["resumes", "rest-eager", "frame-eager"]


class Confidence(Enum):
    """The confidence of a finding; see "How sure a finding is" in ``docs/how-it-works.md``."""

    CERTAIN = "certain"
    LIKELY = "likely"
    POSSIBLE = "possible"

    @property
    def rank(self) -> int:
        """3 for certain, 2 for likely, 1 for possible."""
        return {"certain": 3, "likely": 2, "possible": 1}[self.value]


class Category(Enum):
    """The category of a finding."""

    GRAPH_BREAK = "graph-break"
    COMPILE_ERROR = "compile-error"
    DIVERGENCE = "divergence"
    RECOMPILE = "recompile"
    CONFIG = "config"


@dataclass(frozen=True, slots=True)
class Consequence:
    """The effect of a break on the frames around it.

    ``outcome``: the frame ``resumes`` after the break, or the rest of it, or all of it, runs eagerly.
    ``frame``: the name of the function with the worst outcome.
    ``reason``: "loop", "try", "with", or the kind of operation that Dynamo cannot resume from.
    ``line``: the line at which the rest begins.
    ``repeats``: how often the place runs in one call of ``entry``, None if that is not known.
    ``layers``: the number of modules that the loop around the place iterates over, 0 for any other loop.
    ``behind``: an earlier break after which Python runs the place, so that Dynamo comes there only once that break is
    removed; its line is 0 for a function without tensors that Python calls then.
    """

    outcome: Outcome
    frame: str
    reason: str = ""
    line: int = 0
    repeats: int | None = 1
    entry: str = ""
    layers: int = 0
    behind: ChainLink | None = None


def of_both(first: Consequence | None, second: Consequence | None) -> Consequence | None:
    """Return the first consequence for two ways to one place; a break hides the place only if it is hidden in both."""
    if first is None or first.behind is None or (second is not None and second.behind is not None):
        return first
    return replace(first, behind=None)


@dataclass(frozen=True, slots=True)
class BreakEvent:
    """An operation at which Dynamo gives up.

    ``kind`` and ``subject``: the kind of event and the object it happens to; ``rules/events.py`` lists both.
    ``operand``: a short description of the value involved ("Tensor", "ndarray", "unknown").
    ``expression``: the source text of the offending expression. ``context``: the surroundings of the place, any of
    "loop", "try", "with", "comprehension", "guard-raise", "assert" and "hop". "hop" is the body of a higher-order
    operator such as ``torch.cond``, where a break raises in every mode.
    """

    kind: str
    subject: str
    span: Span
    function: str
    gb_ids: tuple[str, ...] = ()
    confidence: Confidence = Confidence.CERTAIN
    operand: str = "Tensor"
    expression: str = ""
    context: frozenset[str] = frozenset()
    category: Category = Category.GRAPH_BREAK


@dataclass(frozen=True, slots=True)
class ReachedBreak:
    """A break event with the entry points that reach it.

    ``event``: the event, at the place where Dynamo gives up.
    ``span``: the place to report: that of the event, or, for a break in a library, the user's call that leads there.
    ``entries``: the first one is the one that reaches the event most easily.
    ``chain``: the shortest call chain, from the first entry point to the event.
    ``region``: the region with the highest cost, with the ``error_on_graph_break`` in force at the place itself.
    ``consequence``: the consequence in the first entry point.
    ``cost``: a measure of the consequence, only to be compared with others.
    ``reach``, ``when``: how far it is reached there, and the conditions on the path.
    """

    event: BreakEvent
    span: Span
    chain: tuple[ChainLink, ...]
    entries: tuple[EntryPoint, ...]
    region: Region
    consequence: Consequence | None = None
    cost: int = 0
    reach: Reach = "always"
    when: tuple[ReachCondition, ...] = ()
