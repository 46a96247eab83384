"""Accepted findings of ``gblint check``: the baseline, the limits on graph breaks, noqa comments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gblint.cli.options import Inputs, stack
from gblint.cli.output import Streams, status
from gblint.cli.statuses import CLEAN, ERROR, FOUND
from gblint.config.errors import ConfigError, Problem, suggestion
from gblint.config.settings import Config
from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.report import FileError, Report
from gblint.project.source_text import place
from gblint.report.summary import counted
from gblint.runtime.lazy_dataclasses import dataclass, replace

if TYPE_CHECKING:
    from gblint.filters.unused_noqa import UnusedCodes
    from gblint.pipeline.lint import LintResult

LISTED = 10  # the maximum number of baseline entries that are printed
_BREAKS = (Category.GRAPH_BREAK, Category.COMPILE_ERROR)


def _limits(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> dict[str, int]:
    """Read ``[ENTRY=]NUMBER``; a callback for an option."""
    limits = {}
    for text in value:
        entry, _, number = text.rpartition("=")
        if not number.isdecimal():
            raise click.BadParameter(f"a number is expected, or ENTRY=NUMBER, not {text!r}")
        limits[entry] = int(number)
    return limits


options = stack(
    click.option("--baseline", metavar="FILE", help="Report only what is not in this baseline."),
    click.option(
        "--write-baseline", "baseline_action", flag_value="write", help="Write all findings into the baseline."
    ),
    click.option(
        "--update-baseline",
        "baseline_action",
        flag_value="update",
        help="Remove findings that no longer occur from the baseline; add none.",
    ),
    click.option(
        "--strict-baseline", is_flag=True, help="Exit with 1 if the baseline has findings that no longer occur."
    ),
    click.option(
        "--max-graph-breaks",
        multiple=True,
        callback=_limits,
        metavar="[ENTRY=]N",
        help="Exit with 0 if there are at most N graph breaks, in total or from an entry point (may be repeated).",
    ),
    click.option("--add-noqa", is_flag=True, help="Change the files: suppress every finding with a noqa comment."),
    click.option(
        "--warn-unused-noqa/--no-warn-unused-noqa",
        default=None,
        help="Warn of codes in noqa comments that silence nothing, and exit with 1.",
    ),
    click.option(
        "--remove-unused-noqa",
        is_flag=True,
        help="Change the files: remove codes that silence nothing from noqa comments.",
    ),
)


@dataclass(frozen=True, slots=True)
class CheckPolicy:
    """The options about accepted findings.

    ``action`` is ``write`` or ``update`` (the baseline) or None.  ``strict``: outdated baseline entries are a failure.
    ``limits`` are maximum numbers of graph breaks by entry point ("" for all).  ``noqa``: add comments.
    ``removes_noqa``: remove the codes in comments that silence nothing.
    """

    action: str | None
    strict: bool
    limits: Mapping[str, int]
    noqa: bool
    removes_noqa: bool

    def check(self, inputs: Inputs, *, changing: bool, limited: bool) -> None:
        """Raise UsageError for options that contradict each other.

        ``changing`` is true if fixes are made or shown, ``limited`` if not all findings are reported.
        """
        if (self.action or self.strict) and inputs.config.baseline is None:
            option = "--strict-baseline" if self.strict else f"--{self.action}-baseline"
            raise click.UsageError(f"{option} needs a file: --baseline FILE, or `baseline` in the configuration")
        if self.action and (changing or limited or self.noqa):
            raise click.UsageError(
                f"--{self.action}-baseline cannot be combined with options that change or narrow the findings"
            )
        if self.action and not inputs.config.baseline_is_own:
            raise click.UsageError(
                f"the baseline of the configuration, {inputs.config.baseline}, lies outside of the project and is not "
                "written: give its path with --baseline"
            )
        file = inputs.config.baseline_file
        if self.action == "write" and file is not None:
            from gblint.filters.baseline import Baseline

            if not Baseline.may_replace(file):
                raise click.UsageError(f"{_shown(file)} is not a baseline and is not overwritten; remove it first")
        unused = self.removes_noqa or inputs.config.selection.warn_unused_noqa
        if unused and (inputs.entries or inputs.changed is not None):
            raise click.UsageError(
                "unused noqa comments are only known from the whole project: no --entry, no --changed"
            )
        if self.removes_noqa and (changing or inputs.overlays or self.noqa or self.action):
            raise click.UsageError("--remove-unused-noqa cannot be combined with other options that write")
        if self.noqa and (changing or inputs.overlays):
            raise click.UsageError("--add-noqa cannot be combined with --fix, --diff or standard input")

    def prepared(self, inputs: Inputs) -> Inputs:
        """Return the inputs without the old baseline if a new one is to be written."""
        return replace(inputs, config=inputs.config.with_values(baseline=None)) if self.action == "write" else inputs

    def carry_out(self, inputs: Inputs, file: Path | None, outcome: LintResult, streams: Streams) -> int | None:
        """Write comments, or the baseline ``file``; return the exit status if no report follows."""
        if file is not None and self.action == "write":
            return _write_baseline(file, outcome, streams)
        if file is not None and self.action == "update":
            _update_baseline(file, outcome, streams)
        if self.removes_noqa:
            return _remove_unused(inputs, outcome, streams)
        if self.noqa:
            streams.problems(outcome.report.errors)
            return max(_add_noqa(inputs, outcome.report.findings, streams), ERROR if outcome.report.errors else CLEAN)
        return None

    def status(self, outcome: LintResult, config: Config, *, exit_zero: bool, streams: Streams) -> int:
        """Return the exit status according to the limits and the baseline."""
        if outcome.report.errors or exit_zero:
            return status(outcome.report, exit_zero=exit_zero)
        expired = FOUND if self.strict and outcome.expired else CLEAN
        if not self.limits:
            return max(status(outcome.report, fail_on=config.fail_on), expired)
        return max(_within(outcome.report, self.limits, streams), expired)


def _write_baseline(file: Path, outcome: LintResult, streams: Streams) -> int:
    """Write the findings to the baseline; return the exit status."""
    from gblint.filters.baseline import Baseline

    baseline = Baseline.of(file, outcome.report.findings, outcome.unsuppressed, outcome.source)
    baseline.write()
    streams.problems(outcome.report.errors)
    streams.note(f"{_shown(file)} has {counted(len(baseline.entries), 'finding')}")
    return ERROR if outcome.report.errors else CLEAN


def _update_baseline(file: Path, outcome: LintResult, streams: Streams) -> None:
    """Remove outdated findings from the baseline."""
    from gblint.filters.baseline import Baseline

    if outcome.expired:
        Baseline.read(file).without(outcome.expired).write()
    streams.note(f"{_shown(file)}: {counted(len(outcome.expired), 'finding')} taken out")
    outcome.expired.clear()


def print_baseline_notes(inputs: Inputs, outcome: LintResult, streams: Streams) -> None:
    """Print how many findings the baseline hides, and which of its entries are outdated."""
    file = inputs.config.baseline_file
    if file is None:
        return
    if outcome.known:
        streams.note(
            f"{counted(len(outcome.known), 'finding')} not shown, because they are in the baseline {_shown(file)}"
        )
    for entry in outcome.expired[:LISTED]:
        streams.note(f"no longer found, but still in the baseline: {entry.path}: {entry.code} {entry.message}")
    if len(outcome.expired) > LISTED:
        streams.note(f"... and {len(outcome.expired) - LISTED:,} more")
    if outcome.expired:
        streams.note("--update-baseline removes them")


def _add_noqa(inputs: Inputs, findings: Sequence[Finding], streams: Streams) -> int:
    """Suppress the findings with comments; return the exit status."""
    from gblint.fix.noqa import add_noqa_comments

    tops = [path.absolute() for path in inputs.paths]
    by_path: dict[str, list[Finding]] = {}
    for finding in findings:
        by_path.setdefault(finding.span.path, []).append(finding)
    done, files, failed = 0, 0, False
    for path, several in by_path.items():
        full = Path(path).absolute()
        if not any(full == top or top in full.parents for top in tops):
            streams.note(f"{path}: not changed, because it is outside of PATHS")
            continue
        count, problem = add_noqa_comments(full, several, inputs.paths)
        done, files = done + count, files + (count > 0)
        if problem:
            failed = True
            streams.problems([FileError(path, 0, problem)])
    streams.note(f"silenced {counted(done, 'finding')} in {counted(files, 'file')}")
    return ERROR if failed else CLEAN


def _unused(inputs: Inputs, outcome: LintResult) -> list[UnusedCodes]:
    from gblint.filters.unused_noqa import unused_noqa

    unread = [error.path for error in outcome.report.errors]
    return list(unused_noqa(outcome.files, outcome.unfiltered, unread, inputs.config, outcome.source))


def warn_unused(inputs: Inputs, outcome: LintResult, streams: Streams) -> int:
    """Warn of codes in noqa comments that silence nothing, if that is configured; return the exit status."""
    if not inputs.config.selection.warn_unused_noqa:
        return CLEAN
    unused = _unused(inputs, outcome)
    for each in unused:
        where = place(str(each.path), each.comment.line)
        streams.warning(f"{where}: the noqa comment silences no finding of {', '.join(each.codes)}")
    return FOUND if unused else CLEAN


def _remove_unused(inputs: Inputs, outcome: LintResult, streams: Streams) -> int:
    """Remove the codes in noqa comments that silence nothing; return the exit status."""
    from gblint.fix.noqa import remove_unused_codes

    by_path: dict[Path, list[UnusedCodes]] = {}
    for each in _unused(inputs, outcome):
        by_path.setdefault(each.path, []).append(each)
    streams.problems(outcome.report.errors)
    done, files, failed = 0, 0, bool(outcome.report.errors)
    for path, several in by_path.items():
        count, problem = remove_unused_codes(path.absolute(), several, inputs.paths)
        done, files = done + count, files + (count > 0)
        if problem:
            failed = True
            streams.problems([FileError(str(path), 0, problem)])
    streams.note(f"removed {counted(done, 'code')} from noqa comments in {counted(files, 'file')}")
    return ERROR if failed else CLEAN


def _within(report: Report, limits: Mapping[str, int], streams: Streams) -> int:
    """Return FOUND if a limit is exceeded, and warn about each; breaks that the author allows do not count."""
    breaks = [each for each in report.findings if each.category in _BREAKS and not each.is_allowed]
    by_entry = Counter(name for each in breaks for name in each.entries)
    known = {entry.name for entry in report.entries}
    found = CLEAN
    for entry, limit in limits.items():
        if entry and entry not in known:
            hint = suggestion(entry, known)
            raise ConfigError([Problem("--max-graph-breaks", 0, f"there is no entry point {entry!r}{hint}")])
        count = by_entry[entry] if entry else len(breaks)
        if count > limit:
            found = FOUND
            where = f" from {entry}" if entry else ""
            streams.warning(f"{counted(count, 'graph break')}{where}, but the limit is {limit:,}")
    return found


def _shown(file: Path) -> str:
    from gblint.project.source_text import display_path

    return display_path(str(file))
