"""``gblint check --fix`` and ``--diff``: change files, or show how they would change."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from gblint.cli import verifying
from gblint.cli.check_options import FixRequest
from gblint.cli.options import Inputs
from gblint.cli.output import Streams
from gblint.cli.progress import ProgressBar
from gblint.cli.statuses import CLEAN, ERROR, FOUND
from gblint.config.errors import ConfigError, Problem, suggestion
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.fix import Fix
from gblint.diagnostics.report import FileError
from gblint.filters.selection import Selection
from gblint.report.summary import counted, error_line
from gblint.rules import all_rules, rule_by_code
from gblint.runtime.lazy_dataclasses import dataclass

if TYPE_CHECKING:
    from gblint.fix.fixed_point import FixKey, FixResult
    from gblint.fix.lint_with_fixes import Resources
    from gblint.pipeline.lint import LintRequest, LintResult


@dataclass(frozen=True, slots=True)
class FixSelection:
    """A predicate on fixes: accepts safe fixes, and with ``unsafe`` also those that may change results.

    ``files`` are the files that may be changed, None for all.
    """

    unsafe: bool
    files: frozenset[str] | None = None

    def __call__(self, finding: Finding, fix: Fix, key: FixKey) -> bool:
        if self.files is not None and os.path.abspath(finding.span.path) not in self.files:
            return False
        return fix.applicability == "safe" or (self.unsafe and fix.applicability == "unsafe")


def check_choices(inputs: Inputs) -> None:
    """Raise ConfigError for choices in ``fixes`` that no rule offers."""
    if not inputs.config.fix.fixes:
        return
    offered = {rule.code: rule.fix_names for rule in all_rules()}
    problems = []
    for code, choice in inputs.config.fix.fixes.items():
        place = inputs.config.location(f"fixes.{code}")
        known = [*offered.get(code, ()), "off"]
        if code not in offered:
            problems.append(Problem(*place, f"fixes: no rule has the code {code!r}"))
        elif choice not in known:
            hint = suggestion(choice, known)
            problems.append(Problem(*place, f"fixes.{code}: {choice!r} is not one of {', '.join(known)}{hint}"))
    if problems:
        raise ConfigError(problems)


def offer(inputs: Inputs, outcome: LintResult, streams: Streams) -> None:
    """Print on a terminal how many findings may have a fix.

    The exact number would take as long as the check, and much longer than a check from the cache.
    """
    if not streams.is_terminal:
        return
    fix = inputs.config.fix
    fixable = Selection.of_codes(fix.fixable, fix.extend_fixable, fix.unfixable)
    count = sum(fixable.wants(each.code) and _may_be_fixed(each, inputs) for each in outcome.report.findings)
    if count:
        which = "whether it does" if count == 1 else "which do"
        streams.note(f"{counted(count, 'finding')} may have a fix: --diff shows {which}")


def _may_be_fixed(finding: Finding, inputs: Inputs) -> bool:
    rule = rule_by_code(finding.code)
    path = os.path.abspath(finding.span.path)
    return rule is not None and bool(rule.recipes) and (inputs.changed is None or path in inputs.changed)


def run(
    inputs: Inputs, streams: Streams, options: FixRequest, trial: dict[str, Any] | None, resources: Resources
) -> tuple[LintResult, int]:
    """Make the fixes; return the result after them, and the exit status of writing them.

    ``trial`` has the options of ``--verify``: the fixes are run first, and only those that hold are made.
    """
    from gblint.fix.budget import about_fixes
    from gblint.fix.fixed_point import fix_files
    from gblint.pipeline.lint import LintRequest

    unsafe = inputs.config.fix.unsafe_fixes or options.interactive
    if trial is not None:
        fixed, verification = verifying.run(inputs, FixSelection(unsafe, inputs.changed), trial, resources, streams)
        fixed.outcome.report.verification = verification
    else:
        request = LintRequest(inputs.paths, inputs.entries, inputs.overlays, inputs.named, call_trees=inputs.draws)
        with ProgressBar() as progress:
            if options.interactive:
                fixed = _fix_interactively(request, inputs, progress, streams, resources)
            else:
                choose = FixSelection(unsafe, inputs.changed)
                fixed = fix_files(request, inputs.config, choose, progress, resources=resources)
    streams.problems(fixed.problems)
    for key, problem in fixed.dropped.items():
        streams.warning(f"{key.path}:{key.line}: {key.code} is not fixed: after the fix, {problem}")
    if options.diff:
        streams.report(_diff(fixed))
        for each in about_fixes(fixed.outcome.warnings):  # there is no report with them
            streams.warning(error_line(each))
        if fixed.outcome.report.verification is not None:
            from gblint.report.verification import render

            streams.report_to_stderr()
            streams.report(render(fixed.outcome.report.verification, streams.style))
        streams.note(_summary(fixed, "would fix", unsafe))
        return fixed.outcome, FOUND if fixed.changed else CLEAN
    failed = _write(fixed, inputs, streams)
    if failed:
        _report_as_written(fixed, failed, inputs)
    streams.note(_summary(fixed, "fixed", unsafe, failed))
    if failed or fixed.problems:
        return fixed.outcome, ERROR
    return fixed.outcome, FOUND if options.fails_on_fix and fixed.changed else CLEAN


def _fix_interactively(
    request: LintRequest, inputs: Inputs, progress: ProgressBar, streams: Streams, resources: Resources
) -> FixResult:
    """Make the fixes that the user chooses, also unsafe ones."""
    from gblint.cli.interactive import InteractiveSelection
    from gblint.fix.fixed_point import fix_files

    choose = InteractiveSelection(FixSelection(True, inputs.changed), streams.style, progress)
    fixed = fix_files(request, inputs.config, choose, progress, resources=resources, on_round=choose.begin_round)
    if not choose.asked:
        streams.note("there is nothing to fix")
    return fixed


def _write(fixed: FixResult, inputs: Inputs, streams: Streams) -> set[str]:
    """Write the new texts to their files, or to standard output for standard input; return the files that failed."""
    from gblint.fix.writer import WriteProblem, replace_file

    unsaved = {path.absolute() for path in inputs.overlays}
    for where, text in inputs.overlays.items():
        new = (t for path, t in fixed.texts.items() if fixed.originals[path].path == where.absolute())
        sys.stdout.write(next(new, text))
    failed: set[str] = set()
    for path in fixed.changed:
        if fixed.originals[path].path in unsaved:
            continue
        try:
            replace_file(fixed.originals[path], fixed.texts[path], inputs.paths)
        except WriteProblem as problem:
            failed.add(path)
            streams.problems([FileError(path, 0, f"not fixed: {problem}")])
    return failed


def _report_as_written(fixed: FixResult, failed: set[str], inputs: Inputs) -> None:
    """Replace the outcome by that of the files as they are now, since some were not written."""
    from gblint.pipeline.lint import LintRequest, lint

    verification = fixed.outcome.report.verification
    if failed.issuperset(fixed.changed) and fixed.first is not None:
        fixed.outcome = fixed.first
    else:
        request = LintRequest(inputs.paths, inputs.entries, inputs.overlays, inputs.named, call_trees=inputs.draws)
        fixed.outcome = lint(request, inputs.config)
    fixed.outcome.report.verification = verification


def _diff(fixed: FixResult) -> Iterator[str]:
    from gblint.cli.diffs import unified

    for path in fixed.changed:
        yield from unified(path, fixed.originals[path].text, fixed.texts[path])


def _summary(fixed: FixResult, verb: str, unsafe: bool, failed: Collection[str] = ()) -> str:
    """Return a line about the fixes that were made, except in the files that failed, and those that remain."""
    done = counted(sum(each.key.path not in failed for each in fixed.applied), "finding")
    changed = [path for path in fixed.changed if path not in failed]
    files = f" in {counted(len(changed), 'file')}" if changed else ""
    more = sum(any(fix.applicability == "unsafe" for fix in f.fixes) for f in fixed.outcome.report.findings)
    which = f"{more:,} more" if changed else counted(more, "finding")
    tail = f"; {which} can be fixed with --unsafe-fixes" if more and not unsafe else ""
    dropped = f"; {counted(len(fixed.dropped), 'fix', 'fixes')} dropped" if fixed.dropped else ""
    return f"{verb} {done}{files}{tail}{dropped}"
