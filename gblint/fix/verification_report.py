"""The outcome of a verification as data for reports, and the timing of verified fixes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gblint.confirm.jobs import CallTiming, Platform, Result
from gblint.diagnostics.verification import Latency, TriedEntry, TriedFix, Verification
from gblint.fix.trial_runs import RunJobs
from gblint.fix.verify import VerifiedFixes
from gblint.runtime.lazy_dataclasses import replace


def measure_timings(verified: VerifiedFixes, run: RunJobs) -> None:
    """Time each entry point without the fixes and with those that hold, one run at a time."""
    for entry in verified.entries:
        if entry.after_job is not None and entry.after is not None and entry.after.status == "ok":
            timed = replace(entry.after_job, trial=None, measure=True)
            ((before,), (after,)) = run([replace(timed, overlays={})]), run([timed])
            entry.timings = before.timings, after.timings


def verification_report(verified: VerifiedFixes) -> Verification:
    """Return the outcome as data for a report."""
    entries = [TriedEntry(name, reason) for name, reason in verified.refused.items()]
    for each in verified.entries:
        reason = each.before.reason
        if each.after is None or reason:
            entries.append(TriedEntry(each.name, reason))
            continue
        breaks, graphs = ((count(each.before), count(each.after)) for count in (_breaks, _graphs))
        inputs = tuple(dict.fromkeys(name for one in each.before.passes for name in one.inputs))
        entries.append(TriedEntry(each.name, "", breaks, graphs, tuple(_latencies(*each.timings)), inputs))
    platform = next((each.before.platform for each in verified.entries if each.before.platform.torch), Platform())
    fixes = (
        TriedFix(key.path, key.line, key.code, replace(applied.fix, verdict=verdict))
        for key, (applied, verdict) in sorted(verified.verdicts.items())
    )
    return Verification(platform.device, platform.torch, tuple(entries), tuple(fixes), verified.runs)


def _breaks(result: Result) -> int:
    return len({(each.place, each.gb_ids) for each in result.breaks if each.primary})


def _graphs(result: Result) -> int:
    return max((each.graphs for each in result.timings), default=0)


def _latencies(before: Iterable[CallTiming], after: Iterable[CallTiming]) -> Iterator[Latency]:
    by_name = {each.name: each for each in after}
    for one in before:
        other = by_name.get(one.name)
        if one.compiled is not None and other is not None and other.compiled is not None:
            yield Latency(one.name, one.backend, one.compiled.median, other.compiled.median)
