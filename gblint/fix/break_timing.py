"""The cost of single breaks: entry points are timed with one fix at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from gblint.config.settings import Config
from gblint.confirm.jobs import Job, Result
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.fix import Fix, FixTiming
from gblint.fix.edits import Offsets, Patch, apply_patches
from gblint.fix.lint_with_fixes import FixRun, lint_with_fixes
from gblint.pipeline.lint import LintRequest, Progress
from gblint.runtime.lazy_dataclasses import replace

RunJobs = Callable[[list[Job]], list[Result]]


def time_fixes(
    findings: Sequence[Finding],
    runs: Iterable[tuple[Job, Result]],
    request: LintRequest,
    config: Config,
    run: RunJobs,
    progress: Progress | None = None,
) -> list[Finding]:
    """Return ``findings`` with fixes on the confirmed ones, and the times of their entry points with the fix.

    ``runs`` are the measured runs without fixes. For each finding the first fix that changes code is tried alone;
    whether the results stay the same is not checked.
    """
    timed = {job.target.name: (job, result) for job, result in runs if any(t.compiled for t in result.timings)}
    if not any(_confirmed(each) and set(each.entries) & set(timed) for each in findings):
        return list(findings)
    fix_run = lint_with_fixes(request, config, progress)
    fixes = {(each.code, each.span): each.fixes for each in fix_run.outcome.report.findings}
    out = []
    for finding in findings:
        known = fixes.get((finding.code, finding.span), ())
        first = next((each for each in known if each.edits and each.applicability != "display"), None)
        entries = [name for name in finding.entries if name in timed]
        if first is None or not entries or not _confirmed(finding):
            out.append(finding)
            continue
        overlays = _overlays(first, fix_run)
        jobs = [_job(*timed[name], overlays) for name in entries]
        # One at a time: parallel runs slow each other down.
        found = [m for job in jobs for (after,) in [run([job])] for m in _timings(timed[job.target.name][1], after)]
        shown = replace(first, measured=tuple(found))
        out.append(replace(finding, fixes=tuple(shown if each is first else each for each in known)))
    return out


def _confirmed(finding: Finding) -> bool:
    return finding.confirmation is not None and finding.confirmation.verdict == "confirmed"


def _overlays(fix: Fix, fix_run: FixRun) -> Mapping[str, str]:
    """Return the fixed texts by full path."""
    texts = {}
    for path in {edit.span.path for edit in fix.edits}:
        text = fix_run.text_of(path)
        if text is not None:
            patch = Patch.of([edit for edit in fix.edits if edit.span.path == path], Offsets(text))
            texts[str(fix_run.originals[path].path.absolute())] = apply_patches(text, [patch])[0]
    return texts


def _job(job: Job, result: Result, overlays: Mapping[str, str]) -> Job:
    """Return the same run with the fix, and with the arguments that the search has found."""
    target = job.target
    if target.inputs is None and target.inputs_from is None:
        target = replace(target, init=result.call.init or None, inputs=result.call.inputs)
    return replace(job, target=target, overlays=overlays, hints=None)


def _timings(before: Result, after: Result) -> Iterable[FixTiming]:
    """Yield both times of each mode, or the error of the run with the fix."""
    if after.status != "ok":
        yield FixTiming(before.job, error=after.reason)
        return
    later = {each.name: each for each in after.timings}
    for one in before.timings:
        other = later.get(one.name)
        if one.compiled is not None and other is not None:
            if other.compiled is None:
                yield FixTiming(before.job, one.name, one.backend, error=other.error)
                continue
            times, graphs = (one.compiled.median, other.compiled.median), (one.graphs, other.graphs)
            yield FixTiming(before.job, one.name, one.backend, times, graphs)
