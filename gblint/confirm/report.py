"""What ``gblint confirm`` shows: the verdicts, the runs, and what could not be run."""

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
from gblint.project.source_text import Source, Style, display_path, neutral
from gblint.report import full
from gblint.report import json as contract
from gblint.report.concise import headline
from gblint.report.summary import counted

MAX_UNREACHED = 10  # lines that were not reached
_SHOWN: tuple[Verdict, ...] = ("confirmed", "refuted", "masked")
_TAIL = 12  # lines of what a run printed


@dataclass(slots=True)
class ConfirmReport:
    """Everything that one call of the command has found out.

    ``refused`` has what could not be made a job, ``stubs`` the files that were written to be filled in, by job.
    """

    report: Report
    verdicts: Verdicts
    runs: Sequence[tuple[Job, Result]] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    stubs: Mapping[str, Path] = field(default_factory=dict)

    @property
    def findings(self) -> list[Finding]:
        """What was foretold and what was not, in the order of the source."""
        both = [*self.verdicts.findings, *self.verdicts.hints, *self.verdicts.missed]
        return sorted(both, key=lambda each: (each.span.path, each.span.line, each.span.column, each.code))

    @property
    def breaks(self) -> int:
        """The number of lines that broke."""
        broken = [*self.verdicts.findings, *self.verdicts.missed]
        return len({(each.span.path, each.span.line) for each in broken if _verdict(each) in ("confirmed", "missed")})

    @property
    def failed(self) -> list[tuple[Job, Result]]:
        """The runs that did not come to their end."""
        return [(job, result) for job, result in self.runs if result.status != "ok"]


def _verdict(finding: Finding) -> str:
    return finding.confirmation.verdict if finding.confirmation is not None else ""


def render(confirmed: ConfirmReport, style: Style, source: Source, form: str) -> Iterator[str]:
    """The report for people; ``form`` is "full" or "concise"."""
    findings = confirmed.findings
    shown = [each for each in findings if _verdict(each) in (*_SHOWN, "missed")]
    if form == "full":
        for finding in shown:
            yield from full.one(finding, style, source)
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
    return f"{neutral(display_path(finding.span.path))}:{finding.span.line}"


def _runs(confirmed: ConfirmReport, style: Style) -> Iterator[str]:
    ended = [(job, result) for job, result in confirmed.runs if result.status == "ok" or result.graphs or result.breaks]
    if not ended:
        return
    platform = next((result.platform for _, result in ended if result.platform.torch), ended[0][1].platform)
    yield style.bold(f"Run on {neutral(platform.device)}, torch {platform.torch}, Python {platform.python}:")
    for job, result in ended:
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
        given = " ".join(
            f"--{name} {_quoted(text)}" for name, text in (("init", result.init), ("inputs", result.inputs)) if text
        )
        if given and job.target.inputs is None and job.target.inputs_from is None:
            yield f"    {style.dim(neutral(given))}"
    yield ""
    yield from _timings(ended, style)
    yield from _costs(confirmed.findings, style)


def _timings(runs: Sequence[tuple[Job, Result]], style: Style) -> Iterator[str]:
    """What compilation brings and costs, in a table, where it was measured."""
    rows = [(job, result, timing) for job, result in runs for timing in result.timings]
    if not rows:
        return
    yield style.bold("Time of a call (median, quartiles), without and with compilation:")
    names = [neutral(f"{job.id} ({t.name})" if t.name != "call" else job.id) for job, _, t in rows]
    wide = max(map(len, names))
    for name, (_, result, timing) in zip(names, rows):
        if timing.eager is None or timing.compiled is None or timing.first is None:
            yield f"  {name:<{wide}}  not measured: {neutral(timing.error)}"
            continue
        faster = timing.eager.median / timing.compiled.median
        again = sum(each.during == timing.name for each in result.recompiles)
        facts = [
            f"eager {_time(timing.eager)}",
            f"{timing.backend} {_time(timing.compiled)}",
            f"{faster:.2f}x",
            f"first call {timing.first:.1f} s",
            counted(timing.graphs, "graph"),
            *([counted(again, "recompile")] if again else []),
        ]
        yield f"  {name:<{wide}}  {', '.join(facts)}"
    yield ""


def _costs(findings: Sequence[Finding], style: Style) -> Iterator[str]:
    """What each break costs, in a table, where a fix for it was measured."""
    told = [(finding, fix) for finding in findings for fix in finding.fixes if fix.measured]
    if told:
        yield style.bold("A compiled call as it is, and with one fix alone:")
        for finding, fix in told:
            yield f"  {_place(finding)}: {finding.code} {neutral(fix.title)}"
            yield from (f"    {neutral(each.entry)}{_cost(each)}" for each in fix.measured)
        yield ""


def _cost(measured: FixTiming) -> str:
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
    """A time in the unit that suits it."""
    unit, scale = _unit(spread.median)
    median, low, high = (f"{value * scale:.3g}" for value in (spread.median, spread.low, spread.high))
    return f"{median} {unit} ({low} to {high})"


def _unit(seconds: float) -> tuple[str, float]:
    """The unit that suits a time, and how many of it are a second."""
    return next((u, s) for u, s in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)) if seconds * s >= 1 or u == "µs")


def _quoted(text: str) -> str:
    return f"'{text}'" if "'" not in text else json.dumps(text)


def _not_run(confirmed: ConfirmReport, style: Style) -> Iterator[str]:
    failed = confirmed.failed
    if not failed and not confirmed.refused:
        return
    yield style.bold("Not run, or not to the end:")
    for name, reason in confirmed.refused.items():
        yield f"  {neutral(name)}: {neutral(reason)}"
    for job, result in failed:
        stub = confirmed.stubs.get(job.id)
        fill = f"; fill in {neutral(display_path(str(stub)))}" if stub is not None else ""
        yield f"  {neutral(job.id)}: {neutral(result.reason)}{fill}"
    if len(confirmed.runs) == 1 and failed:
        lines = failed[0][1].output.splitlines()[-_TAIL:]
        yield from (f"    {style.dim(neutral(line))}" for line in lines)
    yield ""


def _summary(confirmed: ConfirmReport, style: Style) -> Iterator[str]:
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
    unasked = sum(each.confirmation is None for each in verdicts.findings)
    if unasked:
        counts.append(f"{unasked} not put to the test")
    yield style.bold(f"{', '.join(counts)}.")
    shares = [
        f"{name} {share:.0%}"
        for name, share in (("recall", verdicts.recall), ("precision", verdicts.precision))
        if share is not None
    ]
    if shares:
        yield f"Of this run: {', '.join(shares)}."
    if verdicts.hints:
        held = sum(_verdict(each) == "confirmed" for each in verdicts.hints)
        yield f"Recompile hints: {held} of {len(verdicts.hints)} held."
    if verdicts.elsewhere:
        yield f"{counted(verdicts.elsewhere, 'break')} in other packages; --follow shows them."


def document(confirmed: ConfirmReport) -> str:
    """The JSON document: that of a check, with what was run."""
    verdicts = confirmed.verdicts
    report = confirmed.report
    data = contract.head(report.torch_version)
    data["entries"] = [contract.entry(point) for point in report.entries]
    data["findings"] = [contract.finding(each) for each in confirmed.findings]
    data["errors"] = [contract.error(each) for each in report.errors]
    data["runs"] = [{**_without_output(result), "target": job.as_json()["target"]} for job, result in confirmed.runs]
    data["not_run"] = [{"name": name, "reason": reason} for name, reason in confirmed.refused.items()]
    data["stubs"] = {job: str(path) for job, path in confirmed.stubs.items()}
    data["confirmation"] = {
        **{each.replace("-", "_"): verdicts.count(each) for each in (*_SHOWN, "not-reached")},
        "missed": len(verdicts.missed),
        "elsewhere": verdicts.elsewhere,
        "recall": verdicts.recall,
        "precision": verdicts.precision,
    }
    return json.dumps(data, indent=2)


def _without_output(result: Result) -> dict[str, Any]:
    data = result.as_json()
    del data["stub"]
    return data
