"""The table at the end of ``gblint check --fix --verify``."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from gblint.diagnostics.fix import FixVerdictKind
from gblint.diagnostics.verification import TriedEntry, Verification
from gblint.project.source_text import Style, neutral, shown_path
from gblint.report.summary import counted

VERDICT_TEXTS: dict[FixVerdictKind, str] = {
    "holds": "holds",
    "differs": "the results differ",
    "breaks": "the line still breaks the graph",
    "new-break": "another line breaks the graph",
    "unbroken": "no break without the fix",
    "masked": "not shown",
    "not-reached": "not reached",
    "not-run": "not run",
}


def render(item: Verification, style: Style) -> Iterator[str]:
    """Yield a line on each entry point before and after, and a line on the verdict on each fix."""
    if not item.fixes:
        return
    ran = [each for each in item.entries if each.breaks is not None]
    if ran:
        yield style.bold(f"Tried on {neutral(item.device)}, torch {item.torch_version}:")
        wide = max(len(neutral(each.name)) for each in ran)
        for entry in ran:
            yield f"  {neutral(entry.name):<{wide}}  {', '.join(_facts(entry))}"
            if entry.inputs:
                text = f"with {', '.join(entry.inputs)}"
                yield from (style.dim(f"    {line}") for line in textwrap.wrap(text, 112))
        yield ""
    yield style.bold("Fixes:")
    for each in item.fixes:
        verdict = each.fix.verdict
        assert verdict is not None
        shown = style.bold if verdict.kind == "holds" else style.yellow
        text = shown(VERDICT_TEXTS[verdict.kind])
        yield f"  {shown_path(each.path)}:{each.line}: {each.code} {neutral(each.fix.title)}: {text}"
        if verdict.reason:
            yield f"    {style.dim(neutral(verdict.reason))}"
    yield ""
    failed = [each for each in item.entries if each.reason]
    if failed:
        yield style.bold("Not run:")
        yield from (f"  {neutral(each.name)}: {neutral(each.reason)}" for each in failed)
        yield ""
    held = [each for each in item.fixes if each.fix.verdict is not None and each.fix.verdict.kind == "holds"]
    rest = len(item.fixes) - len(held)
    others = f"; {counted(rest, 'other')} not made" if rest else ""
    yield f"{counted(len(held), 'fix', 'fixes')} held in {counted(item.runs, 'run')}{others}."


def _facts(entry: TriedEntry) -> Iterator[str]:
    for what, both in (("graph break", entry.breaks), ("graph", entry.graphs)):
        if both is not None:
            yield f"{counted(both[0], what)} before and {both[1]} after"
    for each in entry.latencies:
        mode = f" ({each.mode})" if each.mode != "call" else ""
        faster = each.before / each.after
        yield f"{each.backend}{mode} {each.before * 1e3:.3g} ms before and {each.after * 1e3:.3g} after ({faster:.2f}x)"
