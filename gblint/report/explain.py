"""The answers of ``gblint explain`` as text and as a JSON document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from gblint.diagnostics.break_event import Confidence
from gblint.knowledge.id_examples import id_examples
from gblint.knowledge.messages import Topic
from gblint.knowledge.pasted_errors import PastedPlace
from gblint.project.source_text import Style, display_path, neutral, shown_path
from gblint.report.explain_answers import (
    Answer,
    Assumption,
    IdAnswer,
    MessageAnswer,
    NameAnswer,
    RuleAnswer,
    SourceAnswer,
    rule_advice,
    rule_cause,
    rule_vain,
    url,
    whole_hints,
)
from gblint.report.explain_names import effect_of, rule_of
from gblint.report.json import head
from gblint.report.markup import plain, rendered, sections
from gblint.rules.registry import rule_by_code
from gblint.rules.rule import Rule

_SHOWN_IDS = 6
_PLURALS = {
    "a tensor": "tensors",
    "a tensor computed there": "tensors computed there",
    "an array": "arrays",
    "a mask": "masks",
}


def text(answer: Answer, style: Style, width: int) -> Iterator[str]:
    """Return the lines of an answer for a terminal of ``width`` columns."""
    if isinstance(answer, RuleAnswer):
        return _rule(answer.rule, style, width)
    if isinstance(answer, IdAnswer):
        return _id(answer, style, width)
    if isinstance(answer, NameAnswer):
        return _name(answer, style, width)
    if isinstance(answer, SourceAnswer):
        return _source(answer, style, width)
    return _message(answer, style, width)


def document(answers: Iterable[tuple[str, Answer]], torch_version: str) -> str:
    """Return the JSON document: each question with its answer."""
    contents = head(torch_version)
    contents["answers"] = [{"asked": asked, **_as_json(answer)} for asked, answer in answers]
    return json.dumps(contents, indent=2)


def _rule(rule: Rule, style: Style, width: int) -> Iterator[str]:
    yield f"{style.red(rule.code)} {style.bold(rule.name)}: {rule.summary}"
    facts = [f"category: {rule.category.value}", f"severity: {rule.severity.value}"]
    facts += [f"{word} torch {version}" for word, version in (("since", rule.since), ("until", rule.until)) if version]
    facts += ["off unless selected"] if rule.opt_in else []
    yield style.dim("; ".join(facts))
    for section in sections(rule.documentation):
        yield ""
        if section.title:
            yield style.bold(section.title)
        yield from _paragraphs(section.paragraphs, style, width)
    for title, examples in rule.sections:
        yield ""
        yield style.bold(title)
        yield from _code(examples[0].source)
    if rule.gb_ids:
        yield ""
        yield style.bold("Torch's ids")
        yield from (f"  {style.red(gb_id)}  {url(gb_id)}" for gb_id in rule.gb_ids)


def _code(source: str) -> Iterator[str]:
    yield from (f"    {line}".rstrip() for line in source.strip("\n").splitlines())


def _paragraphs(paragraphs: Iterable[str], style: Style, width: int, indent: str = "") -> Iterator[str]:
    for number, paragraph in enumerate(paragraphs):
        # No empty line between the items of one list.
        if number and not paragraph.startswith("- "):
            yield ""
        yield from rendered(paragraph, style, width, indent)


def _id(answer: IdAnswer, style: Style, width: int) -> Iterator[str]:
    yield from _heading(answer, style)
    yield style.dim("torch " + ", ".join(answer.versions)) if answer.versions else ""
    yield ""
    yield style.bold("What torch says")
    yield from rendered(_one_line(answer.entry.explanation), style, width, "  ")
    if answer.entry.context:
        yield from rendered(f"Context: {_one_line(answer.entry.context)}", style, width, "  ")
    for hint in whole_hints(answer.entry):
        yield from rendered(f"- {_one_line(hint)}", style, width, "  ")
    yield ""
    if answer.rules:
        yield style.bold("Reported by gblint as")
        yield from (f"  {style.red(rule.code)} {rule.name}: {rule.summary}" for rule in answer.rules)
        if answer.shown is not None:
            yield ""
            yield style.bold("Breaks")
            yield from _code(id_examples()[answer.entry.id].source)
    elif answer.unseen is not None:
        yield style.bold(f"Not visible in source ({answer.unseen.kind})")
        yield from rendered(answer.unseen.why, style, width, "  ")
    else:
        yield "No rule of gblint reports it yet."


def _one_line(words: str) -> str:
    return " ".join(words.split()) or "(nothing)"


def _heading(answer: IdAnswer, style: Style) -> Iterator[str]:
    yield f"{style.red(answer.entry.id)} {style.bold(answer.entry.type)}"
    yield answer.url


def _message(answer: MessageAnswer, style: Style, width: int) -> Iterator[str]:
    if answer.place is not None:
        yield from _at(answer.place, style)
        yield ""
    first = True
    for topic in answer.topics:
        if not first:
            yield ""
        first = False
        yield from _topic(topic, style, width)
    for each in answer.ids[:_SHOWN_IDS]:
        if not first:
            yield ""
        first = False
        if not answer.sure:
            yield style.dim("The text is not exactly a message of Dynamo; the nearest message is")
        yield from _heading(each, style)
        yield from _helped(each, style, width)
    if len(answer.ids) > _SHOWN_IDS:
        yield ""
        more = ", ".join(each.entry.id for each in answer.ids[_SHOWN_IDS:])
        yield f"The text also contains: {more} (gblint explain ID)"


def _at(place: PastedPlace, style: Style) -> Iterator[str]:
    where = f"{style.bold(shown_path(place.path))}{style.cyan(':')}{place.line}"
    yield where + (f", in {neutral(place.function)}" if place.function else "")
    if place.code:
        yield f"    {neutral(place.code)}"


def _helped(answer: IdAnswer, style: Style, width: int) -> Iterator[str]:
    cause = answer.cause or ((_one_line(answer.entry.explanation),) if answer.entry.explanation else ())
    for title, paragraphs in (("Why", cause), ("Try", answer.advice), ("Does not help", answer.vain)):
        if paragraphs:
            yield style.bold(title)
            yield from _paragraphs(paragraphs, style, width, "  ")
    rule = rule_by_code(answer.shown.rule) if answer.shown is not None else None
    if answer.shown is not None and rule is not None:
        yield style.bold("For example")
        yield f"    {answer.shown.text}"
        yield f"{style.red(rule.code)} {rule.name}: gblint explain {rule.code}"


def _name(answer: NameAnswer, style: Style, width: int) -> Iterator[str]:
    yield style.bold(answer.name)
    yield style.dim(f"torch {answer.torch_version}")
    for use in answer.uses:
        yield from rendered(f"{use.use[:1].upper()}{use.use[1:]}: {effect_of(use.fact)}.", style, width)
    for rule in dict.fromkeys(rule for use in answer.uses if (rule := rule_of(use)) is not None):
        yield ""
        yield f"{style.red(rule.code)} {style.bold(rule.name)}: {rule.summary}"
        yield from _rule_in_short(rule, style, width)


def _source(answer: SourceAnswer, style: Style, width: int) -> Iterator[str]:
    yield from (style.bold(neutral(line)) for line in answer.text.splitlines())
    context = _assumed(answer.assumptions, answer.torch_version)
    if answer.only_if_assumed:
        context += " gblint knows no other graph break in it."
    yield from rendered(context, style, width)
    if not answer.findings:
        yield ""
        yield from rendered(_nothing_breaks(answer), style, width)
    for finding in answer.findings:
        rule = rule_by_code(finding.code)
        assert rule is not None
        yield ""
        guess = " (possible: it depends on the values)" if finding.confidence is Confidence.POSSIBLE else ""
        yield f"{style.red(finding.code)} {style.bold(finding.rule)}: {neutral(finding.message)}{guess}"
        yield from (url(gb_id) for gb_id in finding.gb_ids)
        yield from _rule_in_short(rule, style, width)


def _assumed(assumptions: tuple[Assumption, ...], torch_version: str) -> str:
    """Return the sentence about the function around the source and the kinds of its names."""
    start = f"In a function compiled with torch {torch_version}"
    by_kind: dict[str, list[str]] = {}
    for each in assumptions:
        by_kind.setdefault(each.kind, []).append(f"`{each.name}`")
    taken = [
        f"{_joined(names)} for {_PLURALS.get(kind, kind) if len(names) > 1 else kind}"
        for kind, names in by_kind.items()
    ]
    return f"{start}, taking {_joined(taken)}." if taken else f"{start}."


def _joined(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _nothing_breaks(answer: SourceAnswer) -> str:
    unknown = [f"`{each.name}`" for each in answer.assumptions if not each.is_known]
    if unknown:
        verb = "is" if len(unknown) == 1 else "are"
        return f"gblint knows no graph break in it; the rest depends on what {_joined(unknown)} {verb}."
    return f"Dynamo {answer.torch_version} traces it without a graph break."


def _rule_in_short(rule: Rule, style: Style, width: int) -> Iterator[str]:
    """Yield the page of a rule without its examples."""
    for title, paragraphs in (
        ("Why", rule_cause(rule)),
        ("Try", rule_advice(rule)),
        ("Does not help", rule_vain(rule)),
    ):
        if paragraphs:
            yield style.bold(title)
            yield from _paragraphs(paragraphs, style, width, "  ")
    yield f"With examples: gblint explain {rule.code}"


def _topic(topic: Topic, style: Style, width: int) -> Iterator[str]:
    yield style.bold(topic.title)
    for title, paragraphs in (
        ("Why", (topic.cause,)),
        ("Try", tuple(f"- {each}" for each in topic.advice)),
        ("Does not help", tuple(f"- {each}" for each in topic.vain)),
    ):
        if paragraphs:
            yield style.bold(title)
            yield from _paragraphs(paragraphs, style, width, "  ")


def _as_json(answer: Answer) -> dict[str, Any]:
    if isinstance(answer, RuleAnswer):
        return {"kind": "rule", "rule": _rule_json(answer.rule)}
    if isinstance(answer, IdAnswer):
        return {"kind": "id", "id": _id_json(answer)}
    if isinstance(answer, NameAnswer):
        return {"kind": "name", "name": _name_json(answer)}
    if isinstance(answer, SourceAnswer):
        return {"kind": "source", "source": _source_json(answer)}
    place = answer.place
    return {
        "kind": "message",
        "sure": answer.sure,
        "place": place
        and {"path": display_path(place.path), "line": place.line, "function": place.function, "code": place.code},
        "ids": [_id_json(each) for each in answer.ids],
        "topics": [
            {
                "name": topic.name,
                "title": topic.title,
                "cause": topic.cause,
                "try": list(topic.advice),
                "does_not_help": list(topic.vain),
            }
            for topic in answer.topics
        ],
    }


def _rule_json(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": rule.summary,
        "category": rule.category.value,
        "severity": rule.severity.value,
        "gb_ids": [{"id": gb_id, "url": url(gb_id)} for gb_id in rule.gb_ids],
        "since": rule.since,
        "until": rule.until,
        "documentation": rule.documentation,
        "breaks": [example.source for example in rule.BREAKS],
        "diverges": [example.source for example in rule.DIVERGES],
        "recompiles": [example.source for example in rule.RECOMPILES],
        "advises": [example.source for example in rule.ADVISES],
        "clean": [example.source for example in rule.CLEAN],
    }


def _id_json(answer: IdAnswer) -> dict[str, Any]:
    entry = answer.entry
    return {
        "id": entry.id,
        "type": entry.type,
        "url": answer.url,
        "context": entry.context,
        "explanation": entry.explanation,
        "hints": list(whole_hints(entry)),
        "torch_versions": list(answer.versions),
        "rules": [{"code": rule.code, "name": rule.name, "summary": rule.summary} for rule in answer.rules],
        "unseen": answer.unseen and {"kind": answer.unseen.kind, "why": answer.unseen.why},
        "cause": [plain(each) for each in answer.cause],
        "try": [plain(each) for each in answer.advice],
        "does_not_help": [plain(each) for each in answer.vain],
    }


def _name_json(answer: NameAnswer) -> dict[str, Any]:
    return {
        "name": answer.name,
        "torch_version": answer.torch_version,
        "uses": [
            {
                "use": plain(use.use),
                "effect": use.fact.effect,
                "when": use.fact.when or None,
                "gb_ids": [{"id": gb_id, "url": url(gb_id)} for gb_id in use.fact.gb_ids],
                "breaks": use.fact.breaks,
                "rule": (rule := rule_of(use)) and {"code": rule.code, "name": rule.name, "summary": rule.summary},
            }
            for use in answer.uses
        ],
    }


def _source_json(answer: SourceAnswer) -> dict[str, Any]:
    return {
        "text": answer.text,
        "torch_version": answer.torch_version,
        "only_if_assumed": answer.only_if_assumed,
        "assumptions": [
            {"name": each.name, "taken_for": each.kind, "known": each.is_known} for each in answer.assumptions
        ],
        "findings": [
            {
                "code": each.code,
                "rule": each.rule,
                "category": each.category.value,
                "confidence": each.confidence.value,
                "message": each.message,
                "help": each.help,
                "gb_ids": [{"id": gb_id, "url": url(gb_id)} for gb_id in each.gb_ids],
            }
            for each in answer.findings
        ],
    }
