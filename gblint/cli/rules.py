"""``gblint rules``: the list of rules, one per line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import click

from gblint.cli.options import color_option
from gblint.cli.output import Streams
from gblint.cli.statuses import CLEAN, ERROR
from gblint.config.errors import suggestion
from gblint.project.source_text import Style
from gblint.report.markup import plain
from gblint.report.summary import counted
from gblint.rules import Rule, all_rules


@click.command(short_help="List the rules.")
@click.argument("prefixes", metavar="[CODE]...", nargs=-1)
@click.option("--output-format", type=click.Choice(("full", "json")), default="full", show_default=True)
@color_option
def rules(prefixes: tuple[str, ...], output_format: str) -> int:
    """List the rules whose codes start with one of these prefixes (default: all).

    `gblint explain CODE` shows the page of a rule.
    """
    streams = Streams()
    every = all_rules()
    wanted = tuple(prefix.upper() for prefix in prefixes)
    chosen = [rule for rule in every if not wanted or rule.code.startswith(wanted)]
    lost = [prefix for prefix in wanted if not any(rule.code.startswith(prefix) for rule in every)]
    streams.report(
        [json.dumps([_data(each) for each in chosen], indent=2)]
        if output_format == "json"
        else _lines(chosen, streams.style)
    )
    for prefix in lost:
        streams.error(
            f"no rule has a code that starts with {prefix!r}{suggestion(prefix, [rule.code for rule in every])}"
        )
    return ERROR if lost else CLEAN


def _lines(chosen: Sequence[Rule], style: Style) -> Iterator[str]:
    names = max((len(rule.name) for rule in chosen), default=0)
    for rule in chosen:
        marks = [mark for mark, holds in (("fixes", rule.recipes), ("off by default", rule.opt_in)) if holds]
        tail = f"  {style.dim('[' + ', '.join(marks) + ']')}" if marks else ""
        yield f"{style.red(rule.code)}  {rule.name:<{names}}  {plain(rule.summary)}{tail}"
    yield style.bold(f"{counted(len(chosen), 'rule')}.")


def _data(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "summary": plain(rule.summary),
        "category": rule.category.value,
        "severity": rule.severity.value,
        "gb_ids": list(rule.gb_ids),
        "fixes": list(rule.fix_names),
        "default": not rule.opt_in,
        "since": rule.since,
        "until": rule.until,
    }
