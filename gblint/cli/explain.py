"""``gblint explain``: a rule, an id of torch's, or a pasted error message."""

from __future__ import annotations

import shutil
import sys

import click

from gblint.cli.options import color_option
from gblint.cli.output import CLEAN, ERROR, Streams

_WIDEST = 100


@click.command(short_help="Explain a rule, an id of torch's or an error message.")
@click.argument("what", metavar="CODE|GB-ID|MESSAGE|-", nargs=-1, required=True)
@click.option(
    "--output-format", type=click.Choice(("full", "json")), default="full", show_default=True, help="how to print it"
)
@color_option
def explain(what: tuple[str, ...], output_format: str) -> int:
    """Explain a rule (GBL101, tensor-item), an id of torch's (GB0124), or an error message pasted whole; - reads it
    from standard input."""
    from gblint.knowledge.catalog import load
    from gblint.report.explain import document, text
    from gblint.report.explain_lookup import Answer, UnknownAnswer, answer

    streams = Streams()
    answers: list[tuple[str, Answer]] = []
    unknown: list[str] = []
    for asked in _asked(what):
        try:
            answers.append((asked, answer(asked)))
        except UnknownAnswer as error:
            unknown.append(str(error))
    if output_format == "json":
        streams.report([document(answers, load().version)])
    else:
        width = min(shutil.get_terminal_size((_WIDEST, 24)).columns, _WIDEST)
        for number, (_, each) in enumerate(answers):
            streams.report([*([""] if number else []), *text(each, streams.style, width)])
    for message in unknown:
        streams.error(message)
    return ERROR if unknown else CLEAN


def _asked(what: tuple[str, ...]) -> tuple[str, ...]:
    """The arguments, each a question; words of a message that was not quoted are one."""
    asked = tuple(sys.stdin.read() if each == "-" else each for each in what)
    if any(not each.strip() for each in asked):
        raise click.UsageError("there is nothing to explain")
    return asked if len(asked) == 1 or any(map(_stands_alone, asked)) else (" ".join(asked),)


def _stands_alone(asked: str) -> bool:
    """Whether an argument is a question by itself, not one word of a message."""
    from gblint.rules import rule_by_code

    return " " in asked.strip() or asked.upper().startswith("GB") or rule_by_code(asked) is not None
