"""Fixes put to the test: the code is run without them and with them, and only those stay that hold.

Nothing is written: the code is imported with the fixed text in the place of the file's.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from gblint.config.settings import Config
from gblint.confirm import planning
from gblint.confirm.jobs import CallTiming, ComparisonStep, Job, Platform, Result, Target
from gblint.confirm.planning import RunOptions
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.fix import Fix, FixVerdict
from gblint.diagnostics.verification import Latency, TriedEntry, TriedFix, Verification
from gblint.fix.fixed_point import Applied, Choose, Fixed, FixKey, Texts, fix
from gblint.fix.lint_with_fixes import Attempt, Resources
from gblint.fix.run_comparison import BaselineRun, RunFailed
from gblint.pipeline.lint import LintRequest, Progress
from gblint.runtime.lazy_dataclasses import dataclass, field, replace

Run = Callable[[list[Job]], list[Result]]
# Up to so many kinds of fixes are left out one at a time, to see which does not go with the others.
_KINDS = 4
_UNTESTABLE = ("not-run", "not-reached", "unbroken")


@dataclass(slots=True)
class EntryRuns:
    """One entry point: the job and its result without fixes, and the last result with those that were kept.

    ``timings`` are those without fixes and with them, if they were asked for.
    """

    name: str
    job: Job
    before: Result
    after: Result | None = None
    after_job: Job | None = None
    timings: tuple[tuple[CallTiming, ...], tuple[CallTiming, ...]] = ((), ())


@dataclass(slots=True)
class Tried:
    """What came of it: the fixes that hold, what is known of each that was tried, and the entry points that were run.

    ``runs`` counts the runs with fixes.
    """

    fixed: Fixed
    verdicts: dict[FixKey, tuple[Applied, FixVerdict]] = field(default_factory=dict)
    entries: list[EntryRuns] = field(default_factory=list)
    refused: Mapping[str, str] = field(default_factory=dict)
    runs: int = 0


def verify(
    request: LintRequest,
    config: Config,
    wanted: Choose,
    options: RunOptions,
    targets: Sequence[Target],
    run: Run,
    progress: Progress | None = None,
    attempts: dict[Texts, Attempt] | None = None,
    effort: Resources | None = None,
) -> Tried:
    """Make the fixes that ``wanted`` takes, and keep those that hold.

    ``targets`` say how to call entry points that are named; ``run`` runs jobs and gives their results in order.
    ``attempts`` keeps what is found in files with some text, for other calls with the same request and configuration.
    """
    with tempfile.TemporaryDirectory(prefix="gblint-trial-") as folder:
        verifier = _Verifier(request, config, wanted, options, targets, run, progress, folder)
        verifier.attempts = {} if attempts is None else attempts
        verifier.effort = effort
        return verifier.result()


@dataclass(frozen=True, slots=True)
class _After:
    """A run with fixes, and the fixes."""

    job: Job
    result: Result
    fixed: Fixed


class _Verifier:
    def __init__(
        self,
        request: LintRequest,
        config: Config,
        wanted: Choose,
        options: RunOptions,
        targets: Sequence[Target],
        run: Run,
        progress: Progress | None,
        folder: str,
    ) -> None:
        self._request, self._config, self._wanted, self._progress = request, config, wanted, progress
        self._options, self._targets, self._run, self._folder = options, targets, run, folder
        self._unsaved = {str(path.absolute()): text for path, text in request.overlays.items()}
        self.rejected: dict[FixKey, tuple[Applied, FixVerdict]] = {}
        self.entries: dict[str, EntryRuns] = {}
        self._results: dict[object, _After] = {}
        # By entry point the fixes of its last run that had the same results and broke nothing new.
        self._fine: dict[str, set[FixKey]] = {}
        self.attempts: dict[Texts, Attempt] = {}
        self.effort: Resources | None = None
        self.runs = 0
        # Fixes of lines that break only where others are fixed: what was said of them, those that are tried again, and
        # those that were of no use then either.
        self._left_out: dict[FixKey, tuple[Applied, FixVerdict]] = {}
        self._needed: set[FixKey] = set()
        self._useless: set[FixKey] = set()

    def result(self) -> Tried:
        """Try all that is wanted together; take out what does not hold, and try again, until all of it does."""
        fixed = self._fixed()
        prediction, sure = None, True
        while fixed.applied:
            if prediction is None:
                assert fixed.first is not None and fixed.project is not None
                prediction = planning.prediction_from(fixed.first, fixed.project, self._config)
            self._run_before(fixed.applied, prediction)
            needed = set(self._needed)
            bad = self._untestable(fixed) or self._judge(fixed)
            if bad:
                self.rejected.update((key, self._left_out.get(key, told)) for key, told in bad.items())
                self._useless |= self._needed & bad.keys()
                self._needed -= bad.keys()
                sure = not self._needed
            elif self._needed == needed:
                if sure:
                    break
                # What needed them may be among those that were taken out since.
                self.rejected.update((key, self._left_out[key]) for key in self._needed)
                self._needed, sure = set(), True
            fixed = self._fixed()
        self._mark(fixed)
        tried = Tried(fixed, dict(self.rejected), [*self.entries.values()], runs=self.runs)
        tried.refused = prediction.refused if prediction is not None else {}
        for each in fixed.applied:
            entries = tuple(name for name in each.finding.entries if self._ran(name))
            tried.verdicts[each.key] = each, FixVerdict("holds", "", entries)
        return tried

    def _mark(self, fixed: Fixed) -> None:
        """The findings that are left say of their fixes what trying them has shown."""

        def marked(finding: Finding, each: Fix) -> Fix:
            origins = fixed.origins.get(finding.span.path)
            line = finding.span.line if origins is None else origins.before(finding.span.line)
            known = self.rejected.get(FixKey(finding.span.path, line, finding.code, each.title))
            return each if known is None else replace(each, verified=known[1])

        report = fixed.outcome.report
        report.findings = [
            replace(finding, fixes=tuple(marked(finding, each) for each in finding.fixes)) if finding.fixes else finding
            for finding in report.findings
        ]

    def _fixed(self, allowed: frozenset[FixKey] | None = None) -> Fixed:
        """The fixes that are wanted and not rejected; with ``allowed`` only those."""
        # Where one way to fix a finding says nothing, no other does.
        untestable = {
            (key.path, key.line, key.code) for key, (_, told) in self.rejected.items() if told.verdict in _UNTESTABLE
        }

        def choose(finding: Finding, each: Fix, key: FixKey) -> bool:
            tried = key in self.rejected or (key.path, key.line, key.code) in untestable
            known = not tried if allowed is None else key in allowed
            return known and self._wanted(finding, each, key)

        return fix(self._request, self._config, choose, self._progress, self.attempts, self.effort)

    # -- runs --------------------------------------------------------------------------------------------------------

    def _run_before(self, applied: Iterable[Applied], prediction: planning.Prediction) -> None:
        """Run the entry points that the fixes are reached from, as far as that was not done."""
        names = dict.fromkeys(name for each in applied for name in each.finding.entries)
        known = {each.name: each for each in self._targets}
        targets = [known.get(name) or Target("entry", name) for name in names if name not in self.entries]
        targets = [each for each in targets if each.name not in prediction.refused]
        jobs = [
            replace(job, trial=ComparisonStep(self._folder, f"{number}.pt", first=True), overlays=self._unsaved)
            for number, job in enumerate(planning.entry_jobs(targets, prediction, self._options), len(self.entries))
        ]
        for job, result in zip(jobs, self._run(jobs)):
            self.entries[job.target.name] = EntryRuns(job.target.name, job, result)

    def _ran(self, name: str) -> bool:
        entry = self.entries.get(name)
        return entry is not None and entry.before.status == "ok"

    def _run_after(self, fixed: Fixed, names: Iterable[str]) -> dict[str, _After]:
        """Run entry points with the fixes; not again where those that it reaches are the same as in an earlier run."""
        changed = {str(fixed.originals[path].path.absolute()): fixed.texts[path] for path in fixed.changed}
        overlays = {**self._unsaved, **changed}
        jobs = {}
        for name in names:
            exact = all(each.fix.applicability == "safe" for each in _of(name, fixed))
            before = self.entries[name]
            trial = before.job.trial
            assert trial is not None
            given = before.job.target
            if given.inputs is None and given.inputs_from is None:
                given = replace(given, init=before.before.init or None, inputs=before.before.inputs)
            jobs[name] = replace(
                before.job, target=given, overlays=overlays, trial=replace(trial, first=False, exact=exact), hints=None
            )
        keys = {name: (job.trial, frozenset(_gist(each) for each in _of(name, fixed))) for name, job in jobs.items()}
        new = [name for name in jobs if keys[name] not in self._results]
        self.runs += len(new)
        for name, result in zip(new, self._run([jobs[name] for name in new])):
            self._results[keys[name]] = _After(jobs[name], result, fixed)
        return {name: self._results[keys[name]] for name in jobs}

    # -- verdicts ----------------------------------------------------------------------------------------------------

    def _untestable(self, fixed: Fixed) -> dict[FixKey, tuple[Applied, FixVerdict]]:
        """The fixes that no run says anything of: nothing could be run, or the line is not reached."""
        found = {}
        for each in fixed.applied:
            names = [name for name in each.finding.entries if self._ran(name)]
            if not names:
                found[each.key] = each, FixVerdict("not-run", self._why_not(each.finding.entries))
                continue
            sights = [self._sight(name, fixed) for name in names]
            if not any(sight.ran(each.key.path, each.key.line) for sight in sights):
                found[each.key] = each, FixVerdict("not-reached", "the line did not run", tuple(names))
            elif each.key in self._needed:
                continue
            elif each.number == 1 and all(sight.unbroken(each.key.path, each.key.line) for sight in sights):
                said = "without the fix the line ran compiled, too, and broke nothing"
                found[each.key] = each, FixVerdict("unbroken", said, tuple(names))
        return found

    def _why_not(self, names: Sequence[str]) -> str:
        for name in names:
            entry = self.entries.get(name)
            if entry is None:
                continue
            if entry.before.status != "ok":
                return f"{name}: {entry.before.reason}"
        return "nothing that can be imported by its name reaches it; name an entry point with --entry"

    def _sight(self, name: str, fixed: Fixed) -> BaselineRun:
        entry = self.entries[name]
        return BaselineRun(entry.job, entry.before, fixed)

    def _judge(self, fixed: Fixed) -> dict[FixKey, tuple[Applied, FixVerdict]]:
        """The fixes that do not hold."""
        names = [name for name in self.entries if self._ran(name) and _of(name, fixed)]
        after = self._run_after(fixed, names)
        bad: dict[FixKey, tuple[Applied, FixVerdict]] = {}
        proven: set[FixKey] = set()
        needed: set[FixKey] = set()
        masked: dict[FixKey, tuple[Applied, FixVerdict]] = {}
        failed: list[str] = []
        for name, run in after.items():
            self.entries[name].after, self.entries[name].after_job = run.result, run.job
            mine = _of(name, run.fixed)
            if run.result.status != "ok":
                failed.append(name)
                continue
            broken = self._sight(name, run.fixed).compare(run.job, run.result, mine)
            needed |= self._uncovered(name, fixed, broken.new)
            if run.result.differences:
                failed.append(name)
                continue
            for key, found in broken.still.items():
                each = next(a for a in mine if a.key == key)
                bad[key] = each, FixVerdict("breaks", _told(found), (name,))
            if not broken.new:
                self._fine[name] = {each.key for each in mine}
            elif not broken.still:
                failed.append(name)
            for each in mine:
                if each.key in broken.masked:
                    masked.setdefault(each.key, (each, FixVerdict("masked", broken.masked[each.key], (name,))))
                elif each.key in broken.gone:
                    proven.add(each.key)
        # First the fixes that are known by their lines to be of no use: without them the rest may well hold.
        if bad:
            return bad
        if needed:
            self._needed |= needed
            self._left_out.update((key, self.rejected.pop(key)) for key in needed)
            return {}
        for name in failed:
            bad.update(self._sift(name, fixed))
        return bad or {key: told for key, told in masked.items() if key not in proven}

    def _uncovered(self, name: str, fixed: Fixed, new: Iterable[RunFailed]) -> set[FixKey]:
        """The fixes that were left out for lines that broke nothing, where one of them does now."""
        sight, places = self._sight(name, fixed), {each.before for each in new}
        left_out = {key for key, (_, told) in self.rejected.items() if told.verdict == "unbroken"} - self._useless
        return {key for key in left_out if sight.site(key) in places}

    def _sift(self, name: str, fixed: Fixed) -> dict[FixKey, tuple[Applied, FixVerdict]]:
        """Which of the fixes that ``name`` reaches do not hold: halves are tried, with what is known to be good."""
        mine = {each.key: each for each in _of(name, fixed)}
        others = frozenset(each.key for each in fixed.applied) - set(mine)
        good: set[FixKey] = set()
        bad: dict[FixKey, tuple[Applied, FixVerdict]] = {}
        # Those that others need are always among them.
        needed = self._needed & mine.keys()

        def told(keys: Iterable[FixKey]) -> tuple[FixVerdict | None, set[FixKey]]:
            tried = self._fixed(others | good | needed | set(keys))
            run = self._run_after(tried, [name])[name]
            result = run.result
            if _wrong(result):
                said = result.reason if result.status != "ok" else "; ".join(map(str, result.differences[:3]))
                return FixVerdict("differs", said, (name,)), set()
            broken = self._sight(name, run.fixed).compare(run.job, result, _of(name, run.fixed))
            found = FixVerdict("new-break", _told(broken.new[0]), (name,)) if broken.new else None
            return found, broken.gone & set(keys)

        useless = told(())[0] if needed else None
        if useless is not None:
            return {key: (mine[key], useless) for key in needed}
        # What has come to the fixes of a run that was right is looked at first.
        fine = self._fine.get(name, set()) & mine.keys()
        if fine and told(fine)[0] is None:
            good.update(fine)
        # Then what broke without them: of the other lines less is known.
        sight = self._sight(name, fixed)
        broke = {key for key in mine if sight.broke(key.path, key.line)}
        if not good and broke and broke != mine.keys() and told(broke)[0] is None:
            good.update(broke)
        kinds = _by_kind(mine)
        if not good and 1 < len(kinds) <= _KINDS:
            # What works on all that is compiled, as settings do, shows when all of a kind are left out.
            seen = {kind: told(mine.keys() - keys) for kind, keys in kinds.items()}
            gone = {kind: len(found) for kind, (verified, found) in seen.items() if verified is None}
            best = max(gone, key=lambda kind: gone[kind], default=None)
            if best is not None and gone[best]:
                others_say = next((each for kind, (each, _) in seen.items() if kind != best and each), None)
                verdict = others_say or FixVerdict("new-break", "another line breaks with it", (name,))
                return {key: (mine[key], verdict) for key in kinds[best]}

        def sift(keys: Sequence[FixKey]) -> None:
            verified, _ = told(keys)
            if verified is None:
                good.update(keys)
            elif len(keys) == 1:
                bad[keys[0]] = mine[keys[0]], verified
            else:
                sift(keys[: len(keys) // 2])
                sift(keys[len(keys) // 2 :])

        keys = sorted(mine.keys() - good - needed)
        if good or len(keys) == 1:
            sift(keys or [*mine])
        else:
            sift(keys[: len(keys) // 2])
            sift(keys[len(keys) // 2 :])
        if not bad:
            # Each alone is good, all together are not: nothing of it is proven.
            said = "with the other fixes of the file it comes to other results"
            bad = {key: (each, FixVerdict("differs", said, (name,))) for key, each in mine.items()}
        return bad


def _by_kind(fixes: Mapping[FixKey, Applied]) -> dict[str, set[FixKey]]:
    """The fixes that do the same, by what they do."""
    kinds: dict[str, set[FixKey]] = {}
    for key in fixes:
        kinds.setdefault(key.title, set()).add(key)
    return kinds


def _of(name: str, fixed: Fixed) -> list[Applied]:
    """The fixes that an entry point reaches."""
    return [each for each in fixed.applied if name in each.finding.entries]


def _gist(applied: Applied) -> tuple[FixKey, tuple[str, ...]]:
    return applied.key, tuple(edit.content for edit in applied.fix.edits)


def _wrong(result: Result) -> bool:
    return result.status != "ok" or bool(result.differences)


def _told(found: RunFailed) -> str:
    ids = f" ({', '.join(found.gb_ids)})" if found.gb_ids else ""
    return f"line {found.line} of the fixed file: {found.title}{ids}"


def measure(tried: Tried, run: Run) -> None:
    """Time each entry point without the fixes and with those that hold, one run at a time."""
    for entry in tried.entries:
        if entry.after_job is not None and entry.after is not None and entry.after.status == "ok":
            timed = replace(entry.after_job, trial=None, measure=True)
            ((before,), (after,)) = run([replace(timed, overlays={})]), run([timed])
            entry.timings = before.timings, after.timings


def told(tried: Tried) -> Verification:
    """What came of it, as data for a report."""
    entries = [TriedEntry(name, reason) for name, reason in tried.refused.items()]
    for each in tried.entries:
        reason = each.before.reason
        if each.after is None or reason:
            entries.append(TriedEntry(each.name, reason))
            continue
        breaks, graphs = ((count(each.before), count(each.after)) for count in (_breaks, _graphs))
        entries.append(TriedEntry(each.name, "", breaks, graphs, tuple(_latencies(*each.timings))))
    platform = next((each.before.platform for each in tried.entries if each.before.platform.torch), Platform())
    fixes = (
        TriedFix(key.path, key.line, key.code, replace(applied.fix, verified=verified))
        for key, (applied, verified) in sorted(tried.verdicts.items())
    )
    return Verification(platform.device, platform.torch, tuple(entries), tuple(fixes), tried.runs)


def _breaks(result: Result) -> int:
    return len({(each.place, each.gb_ids) for each in result.breaks if each.primary})


def _graphs(result: Result) -> int:
    return max((each.graphs for each in result.timings), default=0)


def _latencies(before: Iterable[CallTiming], after: Iterable[CallTiming]) -> Iterator[Latency]:
    later = {each.name: each for each in after}
    for one in before:
        other = later.get(one.name)
        if one.compiled is not None and other is not None and other.compiled is not None:
            yield Latency(one.name, one.backend, one.compiled.median, other.compiled.median)
