"""``gblint explain``: explains a rule, an id of torch, an error message, a name, or a line of source."""

from __future__ import annotations

import re
import shutil
import sys
from typing import TYPE_CHECKING

import click

from gblint.cli.options import color_option, known_torch
from gblint.cli.output import Streams
from gblint.cli.statuses import CLEAN, ERROR

if TYPE_CHECKING:
    from gblint.report.explain_answers import Answer

_WIDEST = 100
_PLACE = re.compile(r"(?P<path>.+\.(?:py|ipynb)):(?P<line>[0-9]{1,9})(?::[0-9]*)?")
# The kinds of questions that the command accepts, each with an example.
FORMS = (
    ("a rule", "GBL101, tensor-item"),
    ("a torch id", "GB0124"),
    ("an error message", "'generic_jump TensorVariable()'"),
    ("a name", "torch.Tensor.tolist, np.interp"),
    ("a line of source", "'if x.sum() > 0:'"),
    ("standard input", "- < error.txt"),
)


@click.command(short_help="Explain a rule, a torch id, an error message, a name or a line of source.")
@click.argument("what", metavar="CODE|GB-ID|MESSAGE|NAME|SOURCE|FILE:LINE|-", nargs=-1, required=True)
@click.option(
    "--output-format",
    type=click.Choice(("full", "json")),
    default="full",
    show_default=True,
    help="The format of the answer.",
)
@click.option(
    "--torch-version", callback=known_torch, metavar="V", help="The torch release for names and lines of source."
)
@color_option
def explain(what: tuple[str, ...], output_format: str, torch_version: str | None) -> int:
    """Explain a rule, a torch id, an error message, a name, or a line of source: what Dynamo does with it.

    Nothing is run.

    \b
    gblint explain GBL101                           a rule, by code or name
    gblint explain GB0124                           a torch id
    gblint explain 'generic_jump TensorVariable()'  an error message, of any torch from 2.0 on
    gblint explain torch.Tensor.tolist              a function, class or method
    gblint explain 'if x.sum() > 0:'                source: an expression, a line, a function
    gblint explain train.py:12                      the same, taken from a file
    python train.py 2>&1 | gblint explain -         standard input, such as a whole traceback
    """
    from gblint.knowledge.version_choice import JUDGED, choose
    from gblint.knowledge.versions import UnknownTorchVersion
    from gblint.report.explain import document, text
    from gblint.report.explain_answers import UnknownAnswer

    streams = Streams()
    try:
        version = choose(torch_version or JUDGED, None).version
    except UnknownTorchVersion as error:
        raise click.UsageError(str(error)) from None
    answers: list[tuple[str, Answer]] = []
    unknown: list[str] = []
    for question in _questions(what):
        try:
            answers.append((question, answer_to(question, version)))
        except UnknownAnswer as error:
            unknown.append(str(error))
    if output_format == "json":
        streams.report([document(answers, version)])
    else:
        width = min(shutil.get_terminal_size((_WIDEST, 24)).columns, _WIDEST)
        for number, (_, each) in enumerate(answers):
            streams.report([*([""] if number else []), *text(each, streams.style, width)])
    for message in unknown:
        streams.error(message)
    if unknown and not answers:
        for form, example in FORMS:
            streams.note(f"{form}: gblint explain {example}")
    return ERROR if unknown else CLEAN


def answer_to(question: str, torch_version: str) -> Answer:
    """Return the answer to one argument; raises UnknownAnswer.

    A text that is both source code and a message of torch (``raise ValueError(x)``) is treated as source code.
    """
    from gblint.report.explain_answers import MessageAnswer, UnknownAnswer
    from gblint.report.explain_lookup import answer, is_source

    unknown: UnknownAnswer | None = None
    found: Answer | None = None
    try:
        found = answer(question, torch_version)
    except UnknownAnswer as error:
        unknown = error
    is_doubtful = found is None or (isinstance(found, MessageAnswer) and (not found.sure or _is_source(question)))
    if is_doubtful and is_source(question):
        from gblint.pipeline.explain_source import explain_source  # imports the interpreter

        found = explain_source(question, torch_version) or found
    if found is None:
        assert unknown is not None
        raise unknown
    return found


def _questions(what: tuple[str, ...]) -> tuple[str, ...]:
    """Return the arguments as questions; several unquoted words of a text are joined into one question."""
    questions = tuple(sys.stdin.read() if question == "-" else _in_file(question) or question for question in what)
    if any(not question.strip() for question in questions):
        raise click.UsageError("there is nothing to explain")
    if (
        len(questions) == 1
        or any(map(_stands_alone, questions))
        or all(_is_dotted(question) or _is_source(question) for question in questions)
    ):
        return questions
    return (" ".join(questions),)


def _in_file(question: str) -> str | None:
    """Return the statement at ``path.py:line``; None for another question, UsageError if there is none."""
    place = _PLACE.fullmatch(question)
    if place is None:
        return None
    from pathlib import Path

    from gblint.pipeline.source_fragments import statement_at
    from gblint.project.source import SourceProblem, read_source

    try:
        found = statement_at(read_source(Path(place["path"])), int(place["line"]))
    except SourceProblem as error:
        raise click.UsageError(f"{place['path']}: {error.message}") from None
    if found is None:
        raise click.UsageError(f"{place['path']} has no code on line {place['line']}")
    return found


def _stands_alone(question: str) -> bool:
    """Return whether an argument is a complete question and not one word of a longer text."""
    from gblint.rules import rule_by_code

    return " " in question.strip() or question.upper().startswith("GB") or rule_by_code(question) is not None


def _is_source(word: str) -> bool:
    from gblint.pipeline.source_fragments import is_plainly_source

    return is_plainly_source(word)


def _is_dotted(word: str) -> bool:
    return "." in word and all(part.isidentifier() for part in word.split("."))
