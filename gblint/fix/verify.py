"""Verification of fixes: the code is run without them and with them, and only fixes that hold are kept.

Nothing is written: in a run the code is imported from the fixed texts instead of the files.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from gblint.config.settings import Config
from gblint.confirm import planning
from gblint.confirm.run import supervisors
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.fix import Fix, FixVerdict
from gblint.fix.fault_search import FaultSearch, Rejections, break_text
from gblint.fix.fixed_point import (
    AppliedFix,
    ChangedTexts,
    Choose,
    FixKey,
    FixResult,
    fix_files,
)
from gblint.fix.lint_with_fixes import FixRun, Resources
from gblint.fix.run_comparison import RemainingBreak, RunComparison
from gblint.fix.trial_runs import EntryRuns, FixedRun, TrialRuns, TrialSetup, fixes_of
from gblint.pipeline.lint import LintRequest, Progress
from gblint.runtime.lazy_dataclasses import dataclass, field, replace

_UNTESTABLE = ("not-run", "not-reached", "unbroken")


@dataclass(slots=True)
class VerifiedFixes:
    """The result of a verification.

    * ``fixed``: the files with the fixes that hold.
    * ``verdicts``: the verdict on each fix that was tried.
    * ``entries``: the entry points that were run.
    * ``refused``: the entry points that cannot be run, with the reason.
    * ``runs``: the number of runs with fixes.
    """

    fixed: FixResult
    verdicts: dict[FixKey, tuple[AppliedFix, FixVerdict]] = field(default_factory=dict)
    entries: list[EntryRuns] = field(default_factory=list)
    refused: Mapping[str, str] = field(default_factory=dict)
    runs: int = 0


class VerificationStopped(KeyboardInterrupt):
    """The end of a verification that the user interrupts; ``verified`` has the verdicts until then."""

    def __init__(self, verified: VerifiedFixes) -> None:
        super().__init__()
        self.verified = verified


class VerificationFailed(Exception):
    """The end of a verification by an error, its cause; ``verified`` has the verdicts until then."""

    def __init__(self, verified: VerifiedFixes, error: Exception) -> None:
        super().__init__(f"{type(error).__name__}: {error}")
        self.verified = verified


def verify(
    request: LintRequest,
    config: Config,
    choose: Choose,
    setup: TrialSetup,
    progress: Progress | None = None,
    attempts: dict[ChangedTexts, FixRun] | None = None,
    resources: Resources | None = None,
) -> VerifiedFixes:
    """Make the fixes that ``choose`` selects in memory, run the entry points, and keep the fixes that hold.

    ``attempts`` caches lint runs by the texts of the files, for other calls with the same request and configuration.
    Raises VerificationStopped if the user interrupts it, and VerificationFailed if an error ends it.
    """
    attempts = {} if attempts is None else attempts
    make_fixes = partial(fix_files, request, config, progress=progress, known=attempts, resources=resources)
    overlays = {str(path.absolute()): text for path, text in request.overlays.items()}
    with tempfile.TemporaryDirectory(prefix="gblint-trial-") as folder, supervisors.forkers():
        return _Verifier(config, choose, make_fixes, TrialRuns(setup, folder, overlays)).result()


class _Verifier:
    """Rejects fixes until a run of every entry point with the remaining ones is right."""

    def __init__(
        self, config: Config, choose: Choose, make_fixes: Callable[[Choose], FixResult], trials: TrialRuns
    ) -> None:
        self._config, self._choose, self._make_fixes, self._trials = config, choose, make_fixes, trials
        self._rejected: Rejections = {}
        # For each entry point, the fixes of its last run that had the same results and broke nothing new.
        self._accepted: dict[str, set[FixKey]] = {}
        # Fixes of lines that break only if other lines are fixed: their first verdicts, the fixes that are tried
        # again, and those that did not help the second time either.
        self._retracted: Rejections = {}
        self._required: set[FixKey] = set()
        self._useless: set[FixKey] = set()
        # Fixes whose breaks are gone in a run with the same results.
        self._proven: dict[FixKey, AppliedFix] = {}

    def result(self) -> VerifiedFixes:
        """Try all chosen fixes together, reject those that do not hold, and repeat until all that are left hold."""
        fixed = self._apply()
        try:
            return self._tried(fixed)
        except KeyboardInterrupt:
            raise VerificationStopped(self._verdicts_so_far(fixed)) from None
        except Exception as error:
            raise VerificationFailed(self._verdicts_so_far(fixed), error) from error

    def _verdicts_so_far(self, fixed: FixResult) -> VerifiedFixes:
        found = self._verdicts(fixed)
        for key, applied in self._proven.items():
            found.verdicts.setdefault(key, (applied, self._holding(applied)))
        return found

    def _verdicts(self, fixed: FixResult) -> VerifiedFixes:
        trials = self._trials
        return VerifiedFixes(fixed, dict(self._rejected), [*trials.entries.values()], runs=trials.fixed_runs)

    def _holding(self, applied: AppliedFix) -> FixVerdict:
        names = (name for name in applied.finding.entries if self._trials.has_baseline(name))
        return FixVerdict("holds", "", tuple(names))

    def _tried(self, fixed: FixResult) -> VerifiedFixes:
        """Run the entry points until all fixes that are left hold."""
        prediction, settled = None, True
        while fixed.applied:
            if prediction is None:
                assert fixed.first is not None and fixed.project is not None
                prediction = planning.prediction_from(fixed.first, fixed.project, self._config)
            self._trials.run_baselines(fixed.applied, prediction)
            required = set(self._required)
            bad = self._untestable(fixed) or self._failing(fixed)
            if bad:
                self._rejected.update((key, self._retracted.get(key, verdict)) for key, verdict in bad.items())
                self._useless |= self._required & bad.keys()
                self._required -= bad.keys()
                settled = not self._required
            elif self._required == required:
                if settled:
                    break
                # The fixes that made these necessary may have been rejected in the meantime.
                self._rejected.update((key, self._retracted[key]) for key in self._required)
                self._required, settled = set(), True
            fixed = self._apply()
        self._attach_verdicts(fixed)
        verified = self._verdicts(fixed)
        verified.refused = prediction.refused if prediction is not None else {}
        for each in fixed.applied:
            verified.verdicts[each.key] = each, self._holding(each)
        return verified

    def _attach_verdicts(self, fixed: FixResult) -> None:
        """Attach the verdicts on rejected fixes to the fixes of the findings that are left."""

        def with_verdict(finding: Finding, each: Fix) -> Fix:
            line_map = fixed.line_maps.get(finding.span.path)
            line = finding.span.line if line_map is None else line_map.before(finding.span.line)
            known = self._rejected.get(FixKey(finding.span.path, line, finding.code, each.title))
            return each if known is None else replace(each, verdict=known[1])

        report = fixed.outcome.report
        report.findings = [
            replace(finding, fixes=tuple(with_verdict(finding, each) for each in finding.fixes))
            if finding.fixes
            else finding
            for finding in report.findings
        ]

    def _apply(self, allowed: frozenset[FixKey] | None = None) -> FixResult:
        """Apply the chosen fixes that are not rejected, or with ``allowed`` the chosen ones among these."""
        # If one fix of a finding cannot be tested, no other can.
        untestable = {
            (key.path, key.line, key.code)
            for key, (_, verdict) in self._rejected.items()
            if verdict.kind in _UNTESTABLE
        }

        def choose(finding: Finding, each: Fix, key: FixKey) -> bool:
            tried = key in self._rejected or (key.path, key.line, key.code) in untestable
            candidate = not tried if allowed is None else key in allowed
            return candidate and self._choose(finding, each, key)

        return self._make_fixes(choose)

    # -- verdicts ----------------------------------------------------------------------------------------------------

    def _untestable(self, fixed: FixResult) -> Rejections:
        """Return the fixes that no run shows anything about: nothing could be run, or the line is not reached."""
        found: Rejections = {}
        for each in fixed.applied:
            names = [name for name in each.finding.entries if self._trials.has_baseline(name)]
            if not names:
                found[each.key] = each, FixVerdict("not-run", self._not_run_reason(each.finding.entries))
                continue
            baselines = [self._trials.baseline(name, fixed) for name in names]
            if not any(baseline.ran(each.key.path, each.key.line) for baseline in baselines):
                found[each.key] = each, FixVerdict("not-reached", "the line did not run", tuple(names))
            elif each.key in self._required:
                continue
            elif each.number == 1 and all(run.unbroken(each.key.path, each.key.line) for run in baselines):
                reason = "without the fix, the line also ran in compiled code and did not break the graph"
                found[each.key] = each, FixVerdict("unbroken", reason, tuple(names))
        return found

    def _not_run_reason(self, names: Sequence[str]) -> str:
        for name in names:
            entry = self._trials.entries.get(name)
            if entry is not None and entry.before.status != "ok":
                return f"{name}: {entry.before.reason}"
        return "no entry point that can be imported by name reaches it; give one with --entry"

    def _failing(self, fixed: FixResult) -> Rejections:
        """Run the entry points with the fixes, and return the fixes that do not hold.

        If a fix that was left out turns out to be required, it is taken up again and nothing is rejected.
        """
        names = [name for name in self._trials.entries if self._trials.has_baseline(name) and fixes_of(name, fixed)]
        outcome = _TrialOutcome()
        required: set[FixKey] = set()
        for name, run in self._trials.run_fixed(fixed, names).items():
            entry = self._trials.entries[name]
            entry.after, entry.after_job = run.result, run.job
            if run.result.status != "ok":
                outcome.failed.append(name)
                continue
            comparison = self._trials.baseline(name, run.fixed).compare(run.job, run.result, fixes_of(name, run.fixed))
            required |= self._newly_required(name, fixed, comparison.new)
            if run.result.differences:
                outcome.failed.append(name)
                continue
            outcome.add(name, run, comparison)
            self._proven.update((each.key, each) for each in fixes_of(name, run.fixed) if each.key in comparison.gone)
            if not comparison.new:
                self._accepted[name] = {each.key for each in fixes_of(name, run.fixed)}
        # First the fixes that have no effect on their own lines: without them the rest may well hold.
        if outcome.bad:
            return outcome.bad
        if required:
            self._required |= required
            self._retracted.update((key, self._rejected.pop(key)) for key in required)
            return {}
        bad: Rejections = {}
        for name in outcome.failed:
            accepted = self._accepted.get(name, set())
            bad.update(FaultSearch(name, fixed, self._trials, self._apply, self._required, accepted).rejected())
        return bad or outcome.unproven()

    def _newly_required(self, name: str, fixed: FixResult, new: Iterable[RemainingBreak]) -> set[FixKey]:
        """Return the fixes that were left out because their lines broke nothing, if a line breaks now."""
        baseline, places = self._trials.baseline(name, fixed), {each.before for each in new}
        left_out = {key for key, (_, verdict) in self._rejected.items() if verdict.kind == "unbroken"}
        return {key for key in left_out - self._useless if baseline.statement_of(key) in places}


class _TrialOutcome:
    """The evidence of one round of runs with fixes.

    ``bad`` are fixes whose breaks are still there, ``failed`` the entry points with an error, other results or new
    breaks, ``masked`` the fixes about which a run showed nothing, ``proven`` those whose breaks are gone.
    """

    def __init__(self) -> None:
        self.bad: Rejections = {}
        self.failed: list[str] = []
        self.masked: Rejections = {}
        self.proven: set[FixKey] = set()

    def add(self, name: str, run: FixedRun, comparison: RunComparison) -> None:
        """Add a run with the same results as the run without fixes."""
        fixes = fixes_of(name, run.fixed)
        for key, found in comparison.still.items():
            each = next(a for a in fixes if a.key == key)
            self.bad[key] = each, FixVerdict("breaks", break_text(found), (name,))
        if comparison.new and not comparison.still:
            self.failed.append(name)
        for each in fixes:
            if each.key in comparison.masked:
                self.masked.setdefault(each.key, (each, FixVerdict("masked", comparison.masked[each.key], (name,))))
            elif each.key in comparison.gone:
                self.proven.add(each.key)

    def unproven(self) -> Rejections:
        """Return the masked fixes that no other run has proven."""
        return {key: verdict for key, verdict in self.masked.items() if key not in self.proven}
