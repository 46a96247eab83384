"""The answers of ``gblint explain``: to a rule, an id, an error message, a name, or a line of source."""

from __future__ import annotations

from gblint.diagnostics.finding import Finding
from gblint.knowledge.facts import Fact
from gblint.knowledge.id_examples import ExampleLine
from gblint.knowledge.id_groups import id_group
from gblint.knowledge.messages import Topic, topic_of
from gblint.knowledge.pasted_errors import PastedPlace
from gblint.knowledge.registry import GbEntry
from gblint.knowledge.undetectable_ids import Unseen
from gblint.report.markup import sections
from gblint.rules.rule import Rule
from gblint.runtime.lazy_dataclasses import dataclass

# The folder of the pages that torch's messages link to (torch/_dynamo/exc.py).
_SITE = "https://meta-pytorch.github.io/compile-graph-break-site/gb/"
# Measures that remove no break, with the reasons.  Each was tested with Dynamo.
VAIN = (
    "`fullgraph=True`: it does not remove the break, but turns it into an error.",
    "`torch.compiler.disable` on the function around it: its call breaks the graph too.",
    "`try: ... except` around it: Dynamo raises nothing there, and the whole function then runs eagerly.",
    "`suppress_errors = True`: it hides errors of compilation, but does not remove the graph break.",
)
# Beginnings of hints in the registry that contain no advice.
_NO_ADVICE = (
    "This graph break is fundamental",
    "It may be possible to write Dynamo tracing rules",
    "Please report an issue",
    "This is likely to be a Dynamo bug",
)


@dataclass(frozen=True, slots=True)
class RuleAnswer:
    """The page of a rule."""

    rule: Rule


@dataclass(frozen=True, slots=True)
class IdAnswer:
    """The answer for a torch id graph breaks.

    ``versions`` are the torch versions that use the id, ``rules`` the rules that report it (the best first), and
    ``shown`` is a line of an example that breaks with it.  ``unseen`` is the reason why no rule reports it, if any.
    """

    entry: GbEntry
    versions: tuple[str, ...]
    rules: tuple[Rule, ...]
    shown: ExampleLine | None
    unseen: Unseen | None

    @property
    def url(self) -> str:
        """The address of torch's page about the id."""
        return url(self.entry.id)

    @property
    def topic(self) -> Topic | None:
        """The topic that covers the id, if no rule reports it."""
        return None if self.rules else topic_of(self.entry.id)

    @property
    def cause(self) -> tuple[str, ...]:
        """The paragraphs on why the graph breaks: those of the rule, or the reason why there is no rule."""
        if self.rules:
            return rule_cause(self.rules[0])
        if self.topic:
            return (self.topic.cause,)
        return (self.unseen.why,) if self.unseen else ()

    @property
    def advice(self) -> tuple[str, ...]:
        """The paragraphs on the code to write instead."""
        if self.rules:
            return rule_advice(self.rules[0])
        if self.topic:
            return tuple(f"- {text}" for text in self.topic.advice)
        return tuple(f"- {hint}" for hint in whole_hints(self.entry) if not hint.startswith(_NO_ADVICE))

    @property
    def vain(self) -> tuple[str, ...]:
        """The measures that do not help, with the reasons."""
        if self.topic:
            return tuple(f"- {text}" for text in self.topic.vain)
        usual = VAIN[1:] if self.entry.id in id_group("captured-by-fullgraph") else VAIN
        return (rule_vain(self.rules[0]) if self.rules else ()) or tuple(f"- {text}" for text in usual)


@dataclass(frozen=True, slots=True)
class MessageAnswer:
    """The answer for an error text: the line of the user's code that it refers to, its ids, and its topics.

    ``sure`` is false if the text is only similar to a message of Dynamo.
    """

    place: PastedPlace | None
    ids: tuple[IdAnswer, ...]
    topics: tuple[Topic, ...]
    sure: bool = True


@dataclass(frozen=True, slots=True)
class NameUse:
    """One way to use a name, the fact about it, and the rule that reports it.

    ``use`` is a phrase with the name in it, such as "calling `torch.nonzero`".
    """

    use: str
    fact: Fact
    rule: Rule | None


@dataclass(frozen=True, slots=True)
class NameAnswer:
    """A qualified name, and what Dynamo of ``torch_version`` does with each use of it."""

    name: str
    torch_version: str
    uses: tuple[NameUse, ...]


@dataclass(frozen=True, slots=True)
class Assumption:
    """A name in a piece of source, and a description of the kind of value assumed for it ("a tensor")."""

    name: str
    kind: str
    is_known: bool = True


@dataclass(frozen=True, slots=True)
class SourceAnswer:
    """A piece of source as a part of a compiled function: the findings in it, one of each rule, the surest first.

    ``only_if_assumed`` is true if nothing is known to break unless the assumptions hold.
    """

    text: str
    torch_version: str
    findings: tuple[Finding, ...]
    assumptions: tuple[Assumption, ...]
    only_if_assumed: bool = False


Answer = RuleAnswer | IdAnswer | MessageAnswer | NameAnswer | SourceAnswer


class UnknownAnswer(LookupError):
    """Nothing is known about a text; the message names the nearest known ones."""


def url(gb_id: str) -> str:
    """Return the address of torch's page about an id."""
    return f"{_SITE}{gb_id.lower()}.html"


def whole_hints(entry: GbEntry) -> tuple[str, ...]:
    """Return the hints of an entry; hints that are split in the registry are joined."""
    hints: list[str] = []
    for piece in entry.hints:
        if hints and (piece[:1].islower() or hints[-1].endswith(" ")):
            hints[-1] = f"{hints[-1].rstrip()} {piece}"
        else:
            hints.append(piece)
    return tuple(hints)


def rule_cause(rule: Rule) -> tuple[str, ...]:
    """Return the paragraphs of a rule's page on why the graph breaks."""
    return _section(rule, "")[:2]


def rule_advice(rule: Rule) -> tuple[str, ...]:
    """Return the paragraphs of a rule's page on the code to write instead."""
    return _section(rule, "Instead")


def rule_vain(rule: Rule) -> tuple[str, ...]:
    """Return the paragraphs of a rule's page on what does not help."""
    return _section(rule, "Does not help")


def _section(rule: Rule, title: str) -> tuple[str, ...]:
    return next((each.paragraphs for each in sections(rule.documentation) if each.title == title), ())
