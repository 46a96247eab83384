"""Notes on the assumptions of a run (version of torch, environment, configuration), and on silenced findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from gblint.cli.options import Inputs
from gblint.cli.output import Streams
from gblint.filters.noqa import comments
from gblint.project.source_text import display_path, place
from gblint.report.summary import counted

if TYPE_CHECKING:
    from gblint.pipeline.lint import LintResult

LISTED: Final = 3  # comments for a whole file that are named


def print_assumptions(inputs: Inputs, outcome: LintResult, streams: Streams) -> None:
    """Print at a terminal the version of torch with its origin, and the configuration file."""
    if not streams.is_terminal or outcome.context is None:
        return
    config, environment = inputs.config, outcome.context.project.environment
    version, installed = outcome.context.knowledge.version, environment.distribution_version("torch")
    where = "the environment" if environment.packages is None else display_path(str(environment.packages))
    if config.is_given("torch-version"):
        option, line = config.location("torch-version")
        origin = f"({f'{display_path(option)}:{line}' if line else option}); the packages are those of {where}"
    elif installed:
        origin = f"({installed} is installed in {where})"
    else:
        origin = f"(the newest known: torch is not installed in {where})"
    file = "none" if config.source.file is None else display_path(str(config.source.file))
    streams.note(f"linted for torch {version} {origin}; configuration: {file}")


def print_silenced(outcome: LintResult, streams: Streams) -> None:
    """Print how many findings noqa comments silence, and which comments silence a whole file."""
    if outcome.silenced:
        total = counted(len(outcome.silenced), "finding")
        first, *others = _silencers(outcome)
        ways = f": {', '.join(f'{count:,} {way}' for count, way in (first, *others))}" if others else f" {first[1]}"
        streams.note(f"{total} silenced{ways}")


def _silencers(outcome: LintResult) -> Iterator[tuple[int, str]]:
    """Yield the number of findings and the comment of a whole file that silences them, last those of other comments."""
    whole: Counter[tuple[str, int]] = Counter()
    by_path = {path: comments(outcome.source.text(path)) for path in {each.span.path for each in outcome.silenced}}
    for finding in outcome.silenced:
        for comment in by_path[finding.span.path]:
            if comment.first == 0 and comment.silences(finding.code, 0, 0):
                whole[finding.span.path, comment.line] += 1
                break
    for (path, line), count in whole.most_common(LISTED):
        yield count, f"by the comment for the whole file at {place(path, line)}"
    if len(whole) > LISTED:
        left = sum(count for _, count in whole.most_common()[LISTED:])
        yield left, f"by {counted(len(whole) - LISTED, 'other comment')} for whole files"
    rest = len(outcome.silenced) - whole.total()
    if rest:
        yield rest, "by the noqa comment of its line" if rest == 1 else "by the noqa comments of their lines"
