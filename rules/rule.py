"""Rules: the events that a rule describes, and the texts of its findings.

A rule does not walk syntax trees.  The interpreter does, and emits ``BreakEvent`` objects.  The kinds and subjects of
events are in :mod:`gblint.rules.events`.
"""

from __future__ import annotations

import sys
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, ClassVar, Literal

from gblint.checks.removing_settings import removing_setting
from gblint.diagnostics.break_event import BreakEvent, Category, ReachedBreak
from gblint.diagnostics.finding import NO_CAUSE, Finding, Severity, SeverityCause
from gblint.rules.examples import Example, FixExample, in_range
from gblint.runtime.lazy_dataclasses import dataclass

if TYPE_CHECKING:
    from gblint.rules.events import EventKind

_LONGEST_EXPRESSION = 60
# Escape hatches for code that Dynamo cannot trace and that may run, untraced, in the middle of a graph.
OPAQUE = (
    "escape_hatches.move_to_leaf_function",
    "escape_hatches.move_to_custom_op",
    "escape_hatches.move_to_disabled",
    "escape_hatches.allow_break",
)
# For code that only Dynamo cannot trace: the tracers below Dynamo (AOTAutograd, fake tensors) can.
UNSEEN = (
    "escape_hatches.move_to_leaf_function",
    "escape_hatches.move_to_nonstrict_trace",
    "escape_hatches.move_to_custom_op",
    "escape_hatches.move_to_disabled",
    "escape_hatches.allow_break",
)
# For code that must stay out of graphs.
OUTSIDE = ("escape_hatches.move_to_disabled", "escape_hatches.allow_break")


@dataclass(frozen=True, slots=True)
class On:
    """Events that a rule describes.

    - ``kind``: the kind of the events, one of :data:`gblint.rules.events.EVENTS`.  ``*`` matches every kind, and takes
      precedence over a kind given by name;
    - ``subjects``: shell-style patterns, one of which must match the subject;
    - ``context``: words that the context of the event must contain.
    """

    kind: EventKind | Literal["*"]
    subjects: tuple[str, ...] = ("*",)
    context: frozenset[str] = frozenset()

    def specificity(self, subject: str, context: frozenset[str]) -> int:
        """Return how closely an event of this kind is described: -1 if not at all, else more for a closer match."""
        if not self.context <= context:
            return -1
        best = -1
        for pattern in self.subjects:
            if pattern == subject:
                best = 1000
            elif _matches(subject, pattern):
                best = max(best, len(pattern.replace("*", "")))
        return best if best < 0 else best + 2000 * len(self.context) + (10_000 if self.kind == "*" else 0)


def _matches(subject: str, pattern: str) -> bool:
    """Return the same as ``fnmatchcase``.

    A pattern that has no wildcard but ``*`` is matched without a regular expression, which is slow to compile.
    """
    if "?" in pattern or "[" in pattern:
        return fnmatchcase(subject, pattern)
    if "*" not in pattern:
        return subject == pattern
    first, *between, last = pattern.split("*")
    at = len(first)
    for part in between:
        at = subject.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return subject.startswith(first) and subject.endswith(last) and at + len(last) <= len(subject)


class Rule:
    """One kind of finding.

    The docstring of the module that defines a rule is its documentation page.

    - ``code``, ``name``, ``summary``: the identifier, the name in the configuration, and one line for tables;
    - ``on``: the events that the rule describes;
    - ``message_template``, ``help_template``: the texts of a finding, with the placeholders ``{subject}``, ``{name}``
      (the last part of the subject), ``{expression}``, ``{function}`` and ``{operand}``;
    - ``number_template``: the message instead, if the operand is a number of Python;
    - ``wording``: other texts for some subjects, as tuples of a shell-style pattern, a message template and a help
      template.  The first pattern that matches counts;
    - ``gb_ids``: torch's ids for a break whose event has none;
    - ``since``, ``until``: the first torch version that the rule applies to, and the first that it does not;
    - ``opt_in``: the rule is off unless it is selected;
    - ``recipes``: fixes, the preferred one first, as ``module.function`` of ``gblint.fix.recipes``;
    - ``escape_hatches``: recipes that leave the code as it is and keep Dynamo out of it.  They are offered where no
      other fix is known.

    What Dynamo must show for the examples:

    - ``BREAKS``: breaks on the marked lines and on no others;
    - ``DIVERGES``: the results or the exceptions differ from those without compilation, or nothing is compiled;
    - ``RECOMPILES``: the calls compile a function again;
    - ``ADVISES``: Dynamo treats ``instead`` differently from ``source``;
    - ``CLEAN``: one graph, without any of these.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    summary: ClassVar[str]
    on: ClassVar[tuple[On, ...]]
    message_template: ClassVar[str]
    number_template: ClassVar[str] = ""
    help_template: ClassVar[str]
    wording: ClassVar[tuple[tuple[str, str, str], ...]] = ()
    gb_ids: ClassVar[tuple[str, ...]] = ()
    severity: ClassVar[Severity] = Severity.WARNING
    category: ClassVar[Category] = Category.GRAPH_BREAK
    since: ClassVar[str | None] = None
    until: ClassVar[str | None] = None
    opt_in: ClassVar[bool] = False
    recipes: ClassVar[tuple[str, ...]] = ()
    escape_hatches: ClassVar[tuple[str, ...]] = OPAQUE
    BREAKS: ClassVar[tuple[Example, ...]] = ()
    DIVERGES: ClassVar[tuple[Example, ...]] = ()
    RECOMPILES: ClassVar[tuple[Example, ...]] = ()
    ADVISES: ClassVar[tuple[Example, ...]] = ()
    CLEAN: ClassVar[tuple[Example, ...]] = ()
    FIXES: ClassVar[tuple[FixExample, ...]] = ()

    @property
    def sections(self) -> tuple[tuple[str, tuple[Example, ...]], ...]:
        """The examples of the documentation page, by the title of their section."""
        titled = (
            ("Breaks", self.BREAKS),
            ("Differs from eager Python", self.DIVERGES),
            ("Recompiles", self.RECOMPILES),
            ("Advised against", self.ADVISES),
            ("Does not break" if self.BREAKS else "Is fine", self.CLEAN),
        )
        return tuple((title, examples) for title, examples in titled if examples)

    @property
    def fix_names(self) -> tuple[str, ...]:
        """The names of the recipes in the configuration, in the order of ``recipes``."""
        return tuple(name.rpartition(".")[2].replace("_", "-") for name in self.recipes)

    @property
    def documentation(self) -> str:
        """The documentation page: the docstring of the module that defines the rule."""
        return (sys.modules[type(self).__module__].__doc__ or "").strip()

    def specificity(self, event: BreakEvent) -> int:
        """Return how closely this rule describes ``event``; -1 if not at all."""
        return max(
            (on.specificity(event.subject, event.context) for on in self.on if on.kind in ("*", event.kind)), default=-1
        )

    def is_valid_for(self, version: str) -> bool:
        """Whether the rule applies to this version of torch."""
        return in_range(self.since, version, self.until)

    def match(self, event: BreakEvent) -> bool:
        """Whether this rule describes ``event``; another rule may describe it more closely."""
        return self.specificity(event) >= 0

    def message(self, event: BreakEvent) -> str:
        """Return the message of a finding about ``event``, in one line."""
        number = self.number_template if event.operand in _NUMBERS else ""
        template = number or self._templates(event)[0]
        return _fill(_about_array(template) if event.operand == "ndarray" else template, event)

    def help(self, event: BreakEvent) -> str:
        """Return the help of a finding about ``event``, in one line: the code to write instead."""
        return _fill(self._templates(event)[1], event)

    def finding(self, reached: ReachedBreak) -> Finding:
        """Return the finding for an event that entry points reach."""
        event = reached.event
        message = self.message(event)
        if event.span.path != reached.span.path:
            message += f", inside `{event.function}`, reached through this call"
        return Finding(
            code=self.code,
            rule=self.name,
            category=event.category,
            severity=self._severity(reached),
            confidence=event.confidence,
            span=reached.span,
            message=message,
            help=self.help(event),
            gb_ids=event.gb_ids or self.gb_ids,
            entries=tuple(dict.fromkeys(entry.name for entry in reached.entries)),
            chain=reached.chain,
            consequence=reached.consequence,
            cost=reached.cost,
            severity_cause=_cause(reached),
            expression=event.expression,
            reach=reached.reach,
            when=reached.when,
            setting=removing_setting(reached),
        )

    def _severity(self, reached: ReachedBreak) -> Severity:
        if reached.event.category is Category.COMPILE_ERROR or (_is_break(reached) and reached.region.raises):
            return Severity.ERROR
        return Severity.INFO if _is_break(reached) and reached.region.allows else self.severity

    def _templates(self, event: BreakEvent) -> tuple[str, str]:
        """Return the message template and the help template for ``event``."""
        for pattern, message, advice in self.wording:
            if _matches(event.subject, pattern):
                return message, advice
        return self.message_template, self.help_template


def _cause(reached: ReachedBreak) -> SeverityCause:
    """Return the option of the region that makes the break an error, or that allows it."""
    region = reached.region
    if not _is_break(reached) or region.option_source is None:
        return NO_CAUSE
    return SeverityCause(
        region.option_source if region.raises else None, region.option_source if region.allows else None
    )


def _is_break(reached: ReachedBreak) -> bool:
    return reached.event.category is Category.GRAPH_BREAK


# The operands of events that are numbers of Python, such as one that was read from a tensor.
_NUMBERS = frozenset({"bool", "float", "int", "number"})


def _about_array(template: str) -> str:
    """Return a template about a tensor for a value of NumPy."""
    before, tensor, after = template.replace(" the values of a tensor", " a tensor").partition(" a tensor")
    if not tensor or after.startswith(" subclass"):
        return template
    return f"{before} a NumPy value, which Dynamo traces as a tensor{',' if after.startswith(' ') else ''}{after}"


def _fill(template: str, event: BreakEvent) -> str:
    """Return a template with the names of an event filled in."""
    return template.format(
        subject=event.subject,
        name=event.subject.rpartition(".")[2],
        expression=_shorten(event.expression),
        function=event.function,
        operand=event.operand,
    )


def _shorten(expression: str) -> str:
    text = " ".join(expression.split())
    return text if len(text) <= _LONGEST_EXPRESSION else text[: _LONGEST_EXPRESSION - 3] + "..."
