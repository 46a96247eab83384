"""Output of ``gblint confirm``: verdicts, runs and jobs that could not be run, as text or as a JSON document."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gblint.confirm.jobs import Job, Result, TimeQuartiles
from gblint.confirm.verdicts import Verdicts
from gblint.diagnostics.finding import Finding, Verdict
from gblint.diagnostics.fix import FixTiming
from gblint.diagnostics.report import Report
from gblint.project.source_text import Source, Style, neutral, shown_path
from gblint.report import full
from gblint.report import json as contract
from gblint.report.concise import headline
from gblint.report.finding_notes import FindingNotes
from gblint.report.summary import counted

MAX_UNREACHED = 10  # lines listed as not reached
_SHOWN_VERDICTS: tuple[Verdict, ...] = ("confirmed", "refuted", "masked")
_OUTPUT_LINES = 12  # last lines of a run's output


@dataclass(slots=True)
class ConfirmReport:
    """Result of one ``gblint confirm`` command.

    ``refused`` maps the names that could not be made into a job to the reason; ``stubs`` maps a job id to the file
    written for the user to fill in.
    """

    report: Report
    verdicts: Verdicts
    runs: Sequence[tuple[Job, Result]] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    stubs: Mapping[str, Path] = field(default_factory=dict)

    @property
    def findings(self) -> list[Finding]:
        """Predicted findings, recompile hints and unpredicted breaks, in source order."""
        both = [*self.verdicts.findings, *self.verdicts.hints, *self.verdicts.missed]
        return sorted(both, key=lambda each: (each.span.path, each.span.line, each.span.column, each.code))

    @property
    def breaks(self) -> int:
        """Number of source lines with a graph break."""
        broken = [*self.verdicts.findings, *self.verdicts.missed]
        return len({(each.span.path, each.span.line) for each in broken if _verdict(each) in ("confirmed", "missed")})

    @property
    def failed(self) -> list[tuple[Job, Result]]:
        """The runs that did not finish."""
        return [(job, result) for job, result in self.runs if result.status != "ok"]


def _verdict(finding: Finding) -> str:
    """Return the verdict of a finding, or "" if it has none."""
    return finding.confirmation.verdict if finding.confirmation is not None else ""


def render(confirmed: ConfirmReport, style: Style, source: Source, output_format: str) -> Iterator[str]:
    """Yield the lines of the text report; ``output_format`` is "full" or "concise"."""
    findings = confirmed.findings
    shown = [each for each in findings if _verdict(each) in (*_SHOWN_VERDICTS, "missed")]
    if output_format == "full":
        notes = FindingNotes(shown)
        for finding in shown:
            yield from full.one(finding, style, source, notes)
    else:
        yield from (headline(each, style) for each in shown)
    unreached = [each for each in findings if _verdict(each) == "not-reached"]
    if unreached:
        yield style.bold("Not reached:")
        for each in unreached[:MAX_UNREACHED]:
            reason = each.confirmation.reason if each.confirmation is not None else ""
            yield f"  {_place(each)}: {each.code} {style.dim(neutral(reason))}"
        if len(unreached) > MAX_UNREACHED:
            yield f"  ... and {len(unreached) - MAX_UNREACHED:,} more"
        yield ""
    yield from _runs(confirmed, style)
    yield from _not_run(confirmed, style)
    yield from _summary(confirmed, style)


def _place(finding: Finding) -> str:
    return f"{shown_path(finding.span.path)}:{finding.span.line}"


def _runs(confirmed: ConfirmReport, style: Style) -> Iterator[str]:
    """Yield a summary of each run: graphs, compile time, breaks, recompiles and the inputs that were found."""
    finished = [
        (job, result) for job, result in confirmed.runs if result.status == "ok" or result.graphs or result.breaks
    ]
    if not finished:
        return
    platform = next((result.platform for _, result in finished if result.platform.torch), finished[0][1].platform)
    yield style.bold(f"Run on {neutral(platform.device)}, torch {platform.torch}, Python {platform.python}:")
    for job, result in finished:
        operations = sum(graph.operations for graph in result.graphs)
        facts = [
            f"{counted(len(result.graphs), 'graph')} compiled with {counted(operations, 'operation')}",
            f"{result.compile_s:.1f} s to compile",
            counted(len({(each.place, each.gb_ids) for each in result.breaks if each.primary}), "graph break"),
        ]
        if result.recompiles:
            facts.append(counted(len(result.recompiles), "recompile"))
        if result.exit_status:
            facts.append(f"exit status {result.exit_status}")
        passes = ", ".join(each.name for each in result.passes if each.name not in ("run", "call"))
        yield f"  {neutral(job.id)}{f' ({passes})' if passes else ''}: {', '.join(facts)}"
        expressions = " ".join(
            f"--{name} {_quoted(text)}"
            for name, text in (("init", result.call.init), ("inputs", result.call.inputs))
            if text
        )
        if expressions and job.target.inputs is None and job.target.inputs_from is None:
            yield f"    {style.dim(neutral(expressions))}"
    yield ""
    yield from _timings(finished, style)
    yield from _costs(confirmed.findings, style)


def _timings(runs: Sequence[tuple[Job, Result]], style: Style) -> Iterator[str]:
    """Yield a table of eager and compiled call times, for the runs that were measured."""
    rows = [(job, result, timing) for job, result in runs for timing in result.timings]
    if not rows:
        return
    yield style.bold("Time of a call (median, quartiles), without and with compilation:")
    names = [neutral(f"{job.id} ({t.name})" if t.name != "call" else job.id) for job, _, t in rows]
    width = max(map(len, names))
    for name, (_, result, timing) in zip(names, rows):
        if timing.eager is None or timing.compiled is None or timing.first is None:
            yield f"  {name:<{width}}  not measured: {neutral(timing.error)}"
            continue
        faster = timing.eager.median / timing.compiled.median
        recompiles = sum(each.during == timing.name for each in result.recompiles)
        facts = [
            f"eager {_time(timing.eager)}",
            f"{timing.backend} {_time(timing.compiled)}",
            f"{faster:.2f}x",
            f"first call {timing.first:.1f} s",
            counted(timing.graphs, "graph"),
            *([counted(recompiles, "recompile")] if recompiles else []),
        ]
        yield f"  {name:<{width}}  {', '.join(facts)}"
    yield ""


def _costs(findings: Sequence[Finding], style: Style) -> Iterator[str]:
    """Yield a table of call times with and without each fix, for the fixes that were measured."""
    timed_fixes = [(finding, fix) for finding in findings for fix in finding.fixes if fix.measured]
    if timed_fixes:
        yield style.bold("A compiled call without fixes, and with one fix:")
        for finding, fix in timed_fixes:
            yield f"  {_place(finding)}: {finding.code} {neutral(fix.title)}"
            yield from (f"    {neutral(each.entry)}{_cost(each)}" for each in fix.measured)
        yield ""


def _cost(measured: FixTiming) -> str:
    """Return the measured call times of one fix as text."""
    mode = f" ({measured.mode})" if measured.mode != "call" and measured.mode else ""
    if measured.seconds is None or measured.graphs is None:
        return f"{mode}: not measured: {neutral(measured.error)}"
    before, after = measured.seconds
    unit, scale = _unit(before)
    return (
        f"{mode}: {measured.backend} {before * scale:.3g} {unit}, with the fix {after * scale:.3g} {unit}"
        f" ({before / after:.2f}x), {counted(measured.graphs[0], 'graph')}, with the fix {measured.graphs[1]}"
    )


def _time(spread: TimeQuartiles) -> str:
    """Format a time in a suitable unit."""
    unit, scale = _unit(spread.median)
    median, low, high = (f"{value * scale:.3g}" for value in (spread.median, spread.low, spread.high))
    return f"{median} {unit} ({low} to {high})"


def _unit(seconds: float) -> tuple[str, float]:
    """Return the unit for a time, and the factor from seconds to that unit."""
    return next((u, s) for u, s in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)) if seconds * s >= 1 or u == "µs")


def _quoted(text: str) -> str:
    """Quote an expression for the shell."""
    return f"'{text}'" if "'" not in text else json.dumps(text)


def _not_run(confirmed: ConfirmReport, style: Style) -> Iterator[str]:
    """Yield the jobs that were refused, failed or did not finish, with the reasons."""
    failed = confirmed.failed
    if not failed and not confirmed.refused:
        return
    yield style.bold("Not run, or not finished:")
    for name, reason in confirmed.refused.items():
        yield f"  {neutral(name)}: {neutral(reason)}"
    for job, result in failed:
        stub = confirmed.stubs.get(job.id)
        fill = f"; fill in {shown_path(str(stub))}" if stub is not None else ""
        yield f"  {neutral(job.id)}: {neutral(result.reason)}{fill}"
    if len(confirmed.runs) == 1 and failed:
        lines = failed[0][1].output.splitlines()[-_OUTPUT_LINES:]
        yield from (f"    {style.dim(neutral(line))}" for line in lines)
    yield ""


def _summary(confirmed: ConfirmReport, style: Style) -> Iterator[str]:
    """Yield the counts of verdicts, recall and precision."""
    verdicts = confirmed.verdicts
    if not confirmed.runs and not confirmed.findings:
        return
    counts = [
        f"{verdicts.count('confirmed')} confirmed",
        f"{verdicts.count('refuted')} refuted",
        f"{verdicts.count('masked')} masked",
        f"{verdicts.count('not-reached')} not reached",
        f"{len(verdicts.missed)} not predicted",
    ]
    untested = sum(each.confirmation is None for each in verdicts.findings)
    if untested:
        counts.append(f"{untested} not tested")
    yield style.bold(f"{', '.join(counts)}.")
    shares = [
        f"{name} {share:.0%}"
        for name, share in (("recall", verdicts.recall), ("precision", verdicts.precision))
        if share is not None
    ]
    if shares:
        yield f"Of this run: {', '.join(shares)}."
    if verdicts.hints:
        confirmed_hints = sum(_verdict(each) == "confirmed" for each in verdicts.hints)
        yield f"Recompile hints: {confirmed_hints} of {len(verdicts.hints)} confirmed."
    if verdicts.elsewhere:
        yield f"{counted(verdicts.elsewhere, 'break')} in other packages; --follow shows them."


def document(confirmed: ConfirmReport) -> str:
    """Return the JSON document: that of ``gblint check`` with the runs and verdict counts added."""
    verdicts = confirmed.verdicts
    report = confirmed.report
    data = contract.head(report.torch_version)
    data["entries"] = [contract.entry(point) for point in report.entries]
    data["findings"] = [contract.finding(each) for each in confirmed.findings]
    data["errors"] = [contract.error(each) for each in report.errors]
    data["unresolved"] = [contract.unresolved(each) for each in report.unresolved]
    data["runs"] = [{**_without_output(result), "target": job.as_json()["target"]} for job, result in confirmed.runs]
    data["not_run"] = [{"name": name, "reason": reason} for name, reason in confirmed.refused.items()]
    data["stubs"] = {job: str(path) for job, path in confirmed.stubs.items()}
    data["confirmation"] = {
        **{each.replace("-", "_"): verdicts.count(each) for each in (*_SHOWN_VERDICTS, "not-reached")},
        "missed": len(verdicts.missed),
        "elsewhere": verdicts.elsewhere,
        "recall": verdicts.recall,
        "precision": verdicts.precision,
    }
    return json.dumps(data, indent=2)


def _without_output(result: Result) -> dict[str, Any]:
    """Return the result as JSON without the stub text."""
    data = result.as_json()
    del data["stub"]
    return data
