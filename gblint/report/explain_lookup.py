"""What ``gblint explain`` knows about a rule, an id of torch's or an error message, before it is written out."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from functools import cache

from gblint.diagnostics.break_event import BreakEvent
from gblint.diagnostics.span import Span
from gblint.knowledge.catalog import load
from gblint.knowledge.id_examples import ExampleLine, id_examples
from gblint.knowledge.messages import Topic, recognise, topic_of
from gblint.knowledge.pasted_errors import PastedPlace, clean
from gblint.knowledge.registry import GbEntry
from gblint.knowledge.undetectable_ids import Unseen, unseen
from gblint.knowledge.version_choice import JUDGED
from gblint.knowledge.versions import available_versions
from gblint.report.markup import sections
from gblint.rules.registry import all_rules, rule_by_code, rule_for
from gblint.rules.rule import Rule
from gblint.rules.torch_ids import rules_for_id
from gblint.runtime.lazy_dataclasses import dataclass

# Where messages of torch's link to (torch/_dynamo/exc.py).
_SITE = "https://meta-pytorch.github.io/compile-graph-break-site/gb/"
# What people try first with any break; each was run.
VAIN = (
    "`fullgraph=True` does not remove the break: it makes it an error.",
    "`torch.compiler.disable` on the function around it is a break as well, at the call.",
    "`try: ... except` around it: Dynamo raises nothing there, and the whole function then runs eagerly.",
    "`suppress_errors = True` is about errors of compilation; the graph breaks all the same.",
)
# With these `fullgraph=True` does help: it captures what breaks otherwise.
_CAPTURED = frozenset({"GB0124", "GB0036", "GB0109", "GB0246"})
_NEAR = 3
_ALIKE = 0.6  # how like an example a line has to be to decide between rules
# How messages name the callable: GB0007, GB0059, GB0156 and the older spellings of the three.
_CALLED = (
    re.compile(r"module: (?P<module>[\w.]+), qualname: (?P<name>[\w.]+)"),
    re.compile(r"\bbuiltin operator `(?:(?P<module>[\w.]+)\.)?(?P<name>\w+)`"),
    re.compile(r"BuiltinVariable\((?P<name>\w+)\)"),
    re.compile(r"unsupported (?:Python )?builtin (?P<module>[\w.]+?)\.(?P<name>\w+)\. "),
    re.compile(r"call_function (?P<name>\w+) in skip_files \S*?/(?P<module>\w+)\.py"),
    re.compile(r"call_method \w+\(<?(?:module|class) '?(?P<module>[\w.]+)'?[^)]*\) (?P<name>\w+)"),
)
# And the conversion of a tensor: GB0124, GB0109.
_CONVERTED = re.compile(r"call_method TensorVariable\(\) (?P<name>item|to_?list)\b")


@dataclass(frozen=True, slots=True)
class RuleAnswer:
    """The page of a rule."""

    rule: Rule


@dataclass(frozen=True, slots=True)
class IdAnswer:
    """What is known about an id: the rules that show it, best first, or why none can."""

    entry: GbEntry
    versions: tuple[str, ...]
    rules: tuple[Rule, ...]
    shown: ExampleLine | None
    unseen: Unseen | None

    @property
    def url(self) -> str:
        """The page of torch's about it, as messages link to it."""
        return url(self.entry.id)

    @property
    def topic(self) -> Topic | None:
        """What there is to say besides if no rule speaks of it."""
        return None if self.rules else topic_of(self.entry.id)

    @property
    def cause(self) -> tuple[str, ...]:
        """Why the graph breaks, in paragraphs: in the words of the rule, else the reason why there is none."""
        if self.rules:
            return _section(self.rules[0], "")[:2]
        if self.topic:
            return (self.topic.cause,)
        return (self.unseen.why,) if self.unseen else ()

    @property
    def advice(self) -> tuple[str, ...]:
        """What to do about it."""
        if self.rules:
            return _section(self.rules[0], "Instead")
        if self.topic:
            return tuple(f"- {text}" for text in self.topic.advice)
        return tuple(f"- {hint}" for hint in whole_hints(self.entry) if not hint.startswith(_NO_ADVICE))

    @property
    def vain(self) -> tuple[str, ...]:
        """What does not help, and why."""
        if self.topic:
            return tuple(f"- {text}" for text in self.topic.vain)
        own = _section(self.rules[0], "Does not help") if self.rules else ()
        usual = VAIN[1:] if self.entry.id in _CAPTURED else VAIN
        return own or tuple(f"- {text}" for text in usual)


_NO_ADVICE = (
    "This graph break is fundamental",
    "It may be possible to write Dynamo tracing rules",
    "Please report an issue",
    "This is likely to be a Dynamo bug",
)


def whole_hints(entry: GbEntry) -> tuple[str, ...]:
    """The hints of an entry, those put together again that the registry has in pieces."""
    hints: list[str] = []
    for piece in entry.hints:
        if hints and (piece[:1].islower() or hints[-1].endswith(" ")):
            hints[-1] = f"{hints[-1].rstrip()} {piece}"
        else:
            hints.append(piece)
    return tuple(hints)


@dataclass(frozen=True, slots=True)
class MessageAnswer:
    """What an error text is about."""

    place: PastedPlace | None
    ids: tuple[IdAnswer, ...]
    topics: tuple[Topic, ...]
    sure: bool = True


Answer = RuleAnswer | IdAnswer | MessageAnswer


class UnknownAnswer(LookupError):
    """Nothing is known about what was asked; the text says what comes near."""


def answer(asked: str, version: str | None = None) -> Answer:
    """The answer to one argument of ``gblint explain``; raises Unknown."""
    word = asked.strip()
    rule = rule_by_code(word.upper()) or rule_by_code(word.lower())
    if rule is not None:
        return RuleAnswer(rule)
    if re.fullmatch(r"GB\d+", word.upper()):
        gb_id = f"GB{word[2:]:0>4}"
        if gb_id not in registry():
            raise UnknownAnswer(f"torch has no graph break {gb_id}")
        return id_answer(gb_id)
    return _message(word)


def id_answer(gb_id: str, place: PastedPlace | None = None, text: str = "") -> IdAnswer:
    """What is known about an id; KeyError if torch does not have it.  A message decides which rule comes first."""
    rules = rules_for_id(gb_id)
    first, shown = _best(gb_id, place, text)
    if first is not None:
        rules = (first, *(rule for rule in rules if rule is not first))
    reason = None if rules else reason_for(gb_id)
    return IdAnswer(registry()[gb_id], versions(gb_id), rules, shown, reason)


def url(gb_id: str) -> str:
    """The page of torch's about an id."""
    return f"{_SITE}{gb_id.lower()}.html"


def reason_for(gb_id: str) -> Unseen | None:
    """Why no example shows an id; None if it is only that nobody has written one yet."""
    if gb_id not in load(JUDGED).registry():
        first = next(version for version in available_versions() if gb_id in load(version).registry())
        return Unseen("version", f"It came with torch {first}; the examples are run on {JUDGED}.")
    reason = unseen().get(gb_id)
    if reason is None or reason.kind != "retired":
        return reason
    given = versions(gb_id)
    last = f"Torch {given[-1]} was the last" if given else f"No torch from {available_versions()[0]} on is known"
    return Unseen(reason.kind, f"{reason.why} {last} to give it.")


@cache
def registry() -> Mapping[str, GbEntry]:
    """Torch's ids in all versions that are known, each as the newest that has it words it."""
    return {gb_id: entry for version in available_versions() for gb_id, entry in load(version).registry().items()}


def versions(gb_id: str) -> tuple[str, ...]:
    """The torch versions that can give the id, of those that are known; oldest first."""
    found = ((version, load(version).registry().get(gb_id)) for version in available_versions())
    return tuple(version for version, entry in found if entry is not None and not entry.retired)


def _message(text: str) -> MessageAnswer:
    pasted = clean(text)
    found = recognise(pasted)
    if not found.matches and not found.topics:
        raise UnknownAnswer(_nothing(text, found.near))
    ids = list(dict.fromkeys(match.id for match in found.matches))
    ids += [gb_id for topic in found.topics for gb_id in topic.ids if not ids and gb_id in registry()]
    whole = "\n".join(pasted.lines)
    sure = not any(match.by == "likeness" for match in found.matches)
    return MessageAnswer(
        pasted.place, tuple(id_answer(gb_id, pasted.place, whole) for gb_id in ids), found.topics, sure
    )


def _nothing(text: str, near: tuple[str, ...]) -> str:
    if len(text.split()) == 1:
        known = [name for rule in all_rules() for name in (rule.code, rule.name)]
        return f"nothing is known about {text!r}" + _did_you_mean(text, known)
    said = "no message of Dynamo's is like this text"
    return said + (
        f"; the nearest are {', '.join(f'{each} ({registry()[each].type})' for each in near)}" if near else ""
    )


def _did_you_mean(word: str, known: list[str]) -> str:
    close = difflib.get_close_matches(word.lower(), known, n=_NEAR) or difflib.get_close_matches(
        word.upper(), known, n=_NEAR
    )
    return f"; did you mean {' or '.join(repr(each) for each in close)}?" if close else ""


def _section(rule: Rule, title: str) -> tuple[str, ...]:
    return next((each.paragraphs for each in sections(rule.documentation) if each.title == title), ())


def _best(gb_id: str, place: PastedPlace | None, text: str) -> tuple[Rule | None, ExampleLine | None]:
    """The rule for what a message names, or else the one with an example most like the user's own line."""
    examples = id_examples().get(gb_id)
    if examples is None:
        return _called_rule(gb_id, text), None
    ranked = {rule.code: rule for rule in rules_for_id(gb_id)}
    # An example of another rule breaks with the id in passing.
    lines = tuple(line for line in examples.lines if gb_id in ranked[line.rule].gb_ids) or examples.lines
    shown = max(lines, key=lambda each: _likeness(each.text, place.code), default=None) if place else None
    called = _called_rule(gb_id, text)
    if called is not None:
        own = [each for each in lines if each.rule == called.code]
        code = place.code if place else ""
        return called, max(own, key=lambda each: _likeness(each.text, code), default=None)
    if shown is not None and place is not None and _likeness(shown.text, place.code) >= _ALIKE:
        return ranked[shown.rule], shown
    first = next(iter(ranked))
    return None, next((each for each in lines if each.rule == first), None)


def _called_rule(gb_id: str, text: str) -> Rule | None:
    if found := _CONVERTED.search(text):
        event = BreakEvent("tensor-to-python", found["name"].replace("to_list", "tolist"), Span("", 1), "")
        rule = rule_for(event)
        if rule is not None and gb_id in rule.gb_ids:
            return rule
    for pattern in _CALLED:
        if found := pattern.search(text):
            module = found.groupdict().get("module") or "builtins"
            event = BreakEvent("call", f"{module}.{found['name']}", Span("", 1, 1, 1, 1), "", expression="")
            rule = rule_for(event)
            # A rule for whatever cannot be called says less than the line does.
            if (
                rule is not None
                and rule.specificity(event) > 0
                and (gb_id in rule.gb_ids or rule in rules_for_id(gb_id))
            ):
                return rule
    return None


def _likeness(one: str, other: str) -> float:
    """How alike two lines of code are, going by keywords, operators, calls and attributes; 0 to 1."""
    first, second = _marks_of(one), _marks_of(other)
    return len(first & second) / len(first | second) if first and second else 0.0


_TOKEN = re.compile(r"\.?[A-Za-z_]\w*\(?|[<>=!]=?|[^\w\s]")
_KEYWORDS = frozenset("if elif while for in not and or assert with try except raise yield lambda is del import".split())


def _marks_of(line: str) -> frozenset[str]:
    return frozenset(
        token for token in _TOKEN.findall(line) if token in _KEYWORDS or token[:1] == "." or token[-1:] == "("
    )
