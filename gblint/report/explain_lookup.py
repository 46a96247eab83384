"""Lookup of the answers of ``gblint explain``: for a rule, an id of torch, a qualified name or an error message."""

from __future__ import annotations

import difflib
import keyword
import re
from collections.abc import Mapping
from functools import cache

from gblint.diagnostics.break_event import BreakEvent
from gblint.diagnostics.span import Span
from gblint.knowledge.catalog import load
from gblint.knowledge.id_examples import ExampleLine, id_examples
from gblint.knowledge.messages import recognise
from gblint.knowledge.pasted_errors import PastedPlace, clean
from gblint.knowledge.registry import GbEntry
from gblint.knowledge.undetectable_ids import Unseen, unseen
from gblint.knowledge.version_choice import JUDGED
from gblint.knowledge.versions import available_versions
from gblint.report.explain_answers import Answer, IdAnswer, MessageAnswer, RuleAnswer, UnknownAnswer
from gblint.report.explain_names import looks_like_name, name_answer, similar_names
from gblint.rules.index import index
from gblint.rules.registry import rule_by_code, rule_for
from gblint.rules.rule import Rule
from gblint.rules.torch_ids import rules_for_id

_NEAR = 3
_DASHED = re.compile(r"\w+(?:-\w+)+")
_SIMILAR = 0.6  # the least similarity of the user's line to an example that decides between rules
# The callable in messages of GB0007, GB0059, GB0156 and their older spellings.
_CALLED = (
    re.compile(r"module: (?P<module>[\w.]+), qualname: (?P<name>[\w.]+)"),
    re.compile(r"\bbuiltin operator `(?:(?P<module>[\w.]+)\.)?(?P<name>\w+)`"),
    re.compile(r"BuiltinVariable\((?P<name>\w+)\)"),
    re.compile(r"\bbuiltin: (?P<name>\w+) \["),
    re.compile(r"unsupported (?:Python )?builtin (?P<module>[\w.]+?)\.(?P<name>\w+)\. "),
    re.compile(r"call_function (?P<name>\w+) in skip_files \S*?/(?P<module>\w+)\.py"),
    re.compile(r"call_method \w+\(<?(?:module|class) '?(?P<module>[\w.]+)'?[^)]*\) (?P<name>\w+)"),
)
# The conversion in messages of GB0124 and GB0109.
_CONVERTED = re.compile(r"call_method TensorVariable\(\) (?P<name>item|to_?list)\b")


def answer(question: str, torch_version: str = JUDGED) -> Answer:
    """Return the answer to one argument of ``gblint explain``; raises UnknownAnswer.

    Source code is not answered here, because that needs the interpreter.
    """
    word = question.strip()
    rule = rule_by_code(word.upper()) or rule_by_code(word.lower())
    if rule is not None:
        return RuleAnswer(rule)
    if re.fullmatch(r"GB\d+", word.upper()):
        gb_id = f"GB{word[2:]:0>4}"
        if gb_id not in registry():
            raise UnknownAnswer(f"torch has no graph break {gb_id}")
        return id_answer(gb_id)
    return name_answer(word, load(torch_version)) or _message(word)


def is_source(question: str) -> bool:
    """Return whether an unknown text may be source code rather than a misspelled name."""
    text = question.strip()
    if keyword.iskeyword(text):
        return True
    if looks_like_name(text):
        member = text.rpartition(".")[2]
        known = load(JUDGED)
        tensors = known.tensor_method(member) is not None or known.tensor_attribute(member) is not None
        return "." in text and (tensors or text.startswith("self."))
    return not (_DASHED.fullmatch(text) and similar_rules(text))


def id_answer(gb_id: str, place: PastedPlace | None = None, text: str = "") -> IdAnswer:
    """Return the answer about an id; raises KeyError if torch does not have it.

    ``place`` and ``text`` are those of a message; they decide which rule comes first.
    """
    rules = rules_for_id(gb_id)
    first, shown = _best(gb_id, place, text)
    if first is not None:
        rules = (first, *(rule for rule in rules if rule is not first))
    reason = None if rules else reason_for(gb_id)
    return IdAnswer(registry()[gb_id], versions(gb_id), rules, shown, reason)


def reason_for(gb_id: str) -> Unseen | None:
    """Return why no example shows an id; None if no reason is known."""
    if gb_id not in load(JUDGED).registry():
        first = next(version for version in available_versions() if gb_id in load(version).registry())
        return Unseen("version", f"It is new in torch {first}; the examples are run with torch {JUDGED}.")
    reason = unseen().get(gb_id)
    if reason is None or reason.kind != "retired":
        return reason
    given = versions(gb_id)
    last = f"Torch {given[-1]} was the last" if given else f"No torch from {available_versions()[0]} on is known"
    return Unseen(reason.kind, f"{reason.why} {last} to give it.")


@cache
def registry() -> Mapping[str, GbEntry]:
    """Return torch's ids of all known versions, each in the wording of the newest version that has it."""
    return {gb_id: entry for version in available_versions() for gb_id, entry in load(version).registry().items()}


def versions(gb_id: str) -> tuple[str, ...]:
    """Return the known torch versions that can give the id, oldest first."""
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
        return f"nothing is known about {text!r}" + _did_you_mean(text)
    return "no message of Dynamo is similar to this text" + (
        f"; the nearest are {', '.join(f'{each} ({registry()[each].type})' for each in near)}" if near else ""
    )


def _did_you_mean(word: str) -> str:
    names = similar_names(word, load(JUDGED)) if looks_like_name(word) else []
    close = names if "." in word and names else similar_rules(word) or names
    return f"; did you mean {' or '.join(repr(each) for each in close)}?" if close else ""


def similar_rules(word: str) -> list[str]:
    """Return the codes and names of rules that are spelled most like ``word``."""
    known = [name for entry in index().values() for name in (entry.code, entry.name)]
    return difflib.get_close_matches(word.lower(), known, n=_NEAR) or difflib.get_close_matches(
        word.upper(), known, n=_NEAR
    )


def _best(gb_id: str, place: PastedPlace | None, text: str) -> tuple[Rule | None, ExampleLine | None]:
    """Return the rule for the callable named in a message, or that of the example most similar to the user's line."""
    examples = id_examples().get(gb_id)
    if examples is None:
        return _called_rule(gb_id, text), None
    ranked = {rule.code: rule for rule in rules_for_id(gb_id)}
    # Examples of other rules can break with the id as well.
    lines = tuple(line for line in examples.lines if gb_id in ranked[line.rule].gb_ids) or examples.lines
    shown = max(lines, key=lambda each: _similarity(each.text, place.code), default=None) if place else None
    called = _called_rule(gb_id, text)
    if called is not None:
        own = [each for each in lines if each.rule == called.code]
        code = place.code if place else ""
        return called, max(own, key=lambda each: _similarity(each.text, code), default=None)
    if shown is not None and place is not None and _similarity(shown.text, place.code) >= _SIMILAR:
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
            # The rule for all untraceable calls is less specific than the example.
            if (
                rule is not None
                and rule.specificity(event) > 0
                and (gb_id in rule.gb_ids or rule in rules_for_id(gb_id))
            ):
                return rule
    return None


def _similarity(line: str, other_line: str) -> float:
    """Return the similarity of two lines by keywords, operators, calls and attributes: 0 to 1."""
    first, second = _marks_of(line), _marks_of(other_line)
    return len(first & second) / len(first | second) if first and second else 0.0


_TOKEN = re.compile(r"\.?[A-Za-z_]\w*\(?|[<>=!]=?|[^\w\s]")
_KEYWORDS = frozenset("if elif while for in not and or assert with try except raise yield lambda is del import".split())


def _marks_of(line: str) -> frozenset[str]:
    return frozenset(
        token for token in _TOKEN.findall(line) if token in _KEYWORDS or token[:1] == "." or token[-1:] == "("
    )
