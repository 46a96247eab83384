"""``gblint explain``: the page about a rule, found by its code or name, or by the id of a graph break."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from gblint.cli.output import CLEAN, ERROR, Streams
from gblint.config import suggestion
from gblint.report.text import Style

if TYPE_CHECKING:
    from gblint.rules import Rule


@click.command()
@click.argument("what", metavar="CODE|GB-ID")
def explain(what: str) -> int:
    """Explain a rule (GBL101, tensor-item), or say which rules a graph break id of torch (GB0124) falls under."""
    from gblint.rules import all_rules, rule_by_code

    streams = Streams()
    word = what.strip()
    rule = rule_by_code(word.upper()) or rule_by_code(word.lower())
    rules = [rule] if rule else [each for each in all_rules() if word.upper() in each.gb_ids]
    if not rules:
        known = [name for each in all_rules() for name in (each.code, each.name, *each.gb_ids)]
        hint = suggestion(word.upper(), known) or suggestion(word.lower(), known)
        streams.error(f"no rule speaks about {what!r}{hint}")
        return ERROR
    streams.report(_lines(word.upper(), rules, streams.style))
    return CLEAN


def _lines(word: str, rules: list[Rule], style: Style) -> Iterator[str]:
    if word.startswith("GB") and not word.startswith("GBL"):
        yield style.bold(f"{word} falls under {', '.join(rule.code for rule in rules)}.")
        yield ""
    for rule in rules:
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
        yield ""
