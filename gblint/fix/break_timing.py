"""What single breaks cost: entry points timed with one fix at a time in the place of the code that breaks."""

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

Run = Callable[[list[Job]], list[Result]]


def time_fixes(
    findings: Sequence[Finding],
    runs: Iterable[tuple[Job, Result]],
    request: LintRequest,
    config: Config,
    run: Run,
    progress: Progress | None = None,
) -> list[Finding]:
    """``findings`` with the fixes of those that were confirmed, and what each of these changes where it was timed.

    ``runs`` are those that were measured without fixes.  Of each finding the first fix that changes code is tried,
    alone; nobody has looked whether the results stay the same.
    """
    timed = {job.target.name: (job, result) for job, result in runs if any(t.compiled for t in result.timings)}
    if not any(_confirmed(each) and set(each.entries) & set(timed) for each in findings):
        return list(findings)
    tried = lint_with_fixes(request, config, progress)
    fixes = {(each.code, each.span): each.fixes for each in tried.outcome.report.findings}
    out = []
    for finding in findings:
        known = fixes.get((finding.code, finding.span), ())
        first = next((each for each in known if each.edits and each.applicability != "display"), None)
        entries = [name for name in finding.entries if name in timed]
        if first is None or not entries or not _confirmed(finding):
            out.append(finding)
            continue
        overlays = _overlays(first, tried)
        jobs = [_job(*timed[name], overlays) for name in entries]
        # One at a time: runs side by side would slow each other down.
        found = [m for job in jobs for (after,) in [run([job])] for m in _measured(timed[job.target.name][1], after)]
        shown = replace(first, measured=tuple(found))
        out.append(replace(finding, fixes=tuple(shown if each is first else each for each in known)))
    return out


def _confirmed(finding: Finding) -> bool:
    return finding.confirmation is not None and finding.confirmation.verdict == "confirmed"


def _overlays(fix: Fix, tried: FixRun) -> Mapping[str, str]:
    """The texts of the files that the fix changes, by their full paths."""
    texts = {}
    for path in {edit.span.path for edit in fix.edits}:
        text = tried.text_of(path)
        if text is not None:
            patch = Patch.of([edit for edit in fix.edits if edit.span.path == path], Offsets(text))
            texts[str(tried.originals[path].path.absolute())] = apply_patches(text, [patch])[0]
    return texts


def _job(job: Job, result: Result, overlays: Mapping[str, str]) -> Job:
    """The same run with the fix: what the search has found is not looked for again."""
    target = job.target
    if target.inputs is None and target.inputs_from is None:
        target = replace(target, init=result.call.init or None, inputs=result.call.inputs)
    return replace(job, target=target, overlays=overlays, hints=None)


def _measured(before: Result, after: Result) -> Iterable[FixTiming]:
    """Both times of each mode; where the run with the fix fails, why."""
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
