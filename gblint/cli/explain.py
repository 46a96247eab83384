"""``gblint explain``: the page about a rule, found by its code or name, or by the id of a graph break."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from gblint.cli.output import CLEAN, ERROR, Streams
from gblint.config import suggestion
from gblint.report.text import Style

if TYPE_CHECKING:
    from gblint.knowledge import GbEntry
    from gblint.rules import Rule


@click.command()
@click.argument("what", metavar="CODE|GB-ID")
def explain(what: str) -> int:
    """Explain a rule (GBL101, tensor-item), or an id of torch's (GB0124) and the rules that it falls under."""
    from gblint.knowledge import load
    from gblint.rules import all_rules, rule_by_code

    streams = Streams()
    word = what.strip()
    rule = rule_by_code(word.upper()) or rule_by_code(word.lower())
    if rule is not None:
        streams.report(_page(rule, streams.style))
        return CLEAN
    if re.fullmatch(r"GB\d+", word.upper()):
        try:
            entry = load().gb(word.upper())
        except KeyError:
            streams.error(f"torch has no graph break {word.upper()}")
            return ERROR
        streams.report(_registered(entry, [each for each in all_rules() if entry.id in each.gb_ids], streams.style))
        return CLEAN
    known = [name for each in all_rules() for name in (each.code, each.name)]
    hint = suggestion(word.upper(), known) or suggestion(word.lower(), known)
    streams.error(f"no rule speaks about {what!r}{hint}")
    return ERROR


def _registered(entry: GbEntry, rules: list[Rule], style: Style) -> Iterator[str]:
    """What torch says about one of its ids, and where gblint says it."""
    yield f"{style.red(entry.id)} {style.bold(entry.type)}"
    yield from ("", entry.explanation, "")
    if rules:
        yield style.bold("Reported by gblint as")
        yield from (f"  {style.red(rule.code)} {rule.name}: {rule.summary}" for rule in rules)
    else:
        yield "No rule of gblint is about this id alone."


def _page(rule: Rule, style: Style) -> Iterator[str]:
    yield f"{style.red(rule.code)} {style.bold(rule.name)}: {rule.summary}"
    facts = [f"category: {rule.category.value}", f"severity: {rule.severity.value}"]
    if rule.gb_ids:
        facts.append(f"torch's ids: {', '.join(rule.gb_ids)}")
    yield style.dim("; ".join(facts))
    yield ""
    yield rule.documentation
    for title, examples in (("Breaks:", rule.BREAKS[:1]), ("Does not:", rule.CLEAN[:1])):
        for example in examples:
            yield ""
            yield style.bold(title)
            yield from (f"    {line}".rstrip() for line in example.source.strip("\n").splitlines())
