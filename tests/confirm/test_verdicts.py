"""Verdicts on findings, with invented runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gblint.confirm.jobs import Job, ObservedBreak, Recompile, Result, SkippedFrame, Target
from gblint.confirm.verdicts import Verdicts, judge
from gblint.diagnostics.break_event import Category, Confidence
from gblint.diagnostics.finding import Finding, Severity
from gblint.diagnostics.span import ChainLink, Span
from gblint.project.source_text import Source

NET = """\
import helper

def f(x):
    a = x.sum().item()
    if x.sum() > 0:
        x = x + 1
    print(a,
          x)
    return g(x) + helper.far(x)

def g(x):
    y = x.max().item()
    z = x.min().item()
    return y + z
"""


@pytest.fixture
def net(tmp_path: Path) -> Path:
    """The source file of the tests."""
    path = tmp_path / "net.py"
    path.write_text(NET)
    return path


def finding(net: Path, line: int, ids: tuple[str, ...] = ("GB0124",), **others: object) -> Finding:
    base = Finding(
        "GBL101",
        "tensor-item",
        Category.GRAPH_BREAK,
        Severity.WARNING,
        Confidence.CERTAIN,
        Span(str(net), line, 9, line, 20),
        "it breaks",
        gb_ids=ids,
        entries=("net:f",),
    )
    return replace(base, **others)  # type: ignore[arg-type]


def broke(*places: tuple[str, int, str], ids: tuple[str, ...] = ("GB0124",), **others: object) -> ObservedBreak:
    stack = tuple(ChainLink(*place) for place in places)
    base = ObservedBreak(stack, ids, "A break\n  Explanation: It was one.\n", replace(stack[0], line=3))
    return replace(base, **others)  # type: ignore[arg-type]


@pytest.fixture
def verdicts_of(net: Path) -> Callable[..., Verdicts]:
    """The verdicts on findings after a run with these breaks."""

    def run(
        findings: list[Finding],
        *breaks: ObservedBreak,
        less_certain: list[Finding] | None = None,
        suppressed: list[Finding] | None = None,
        kind: str = "script",
        **result: object,
    ) -> Verdicts:
        target = Target(kind, "net:f")  # type: ignore[arg-type]
        made = Result("job", "ok", breaks=breaks, ran={"net.py": ("3-14",)})
        made = replace(made, **result)  # type: ignore[arg-type]
        job = Job("job", target, str(net.parent))
        return judge(findings, less_certain or [], suppressed or [], [(job, made)], [str(net)], Source())

    return run


def one(verdicts: Verdicts) -> tuple[str, str]:
    (found,) = verdicts.findings
    assert found.confirmation is not None
    return found.confirmation.verdict, found.confirmation.reason


def test_the_same_line_confirms(net: Path, verdicts_of: Callable[..., Verdicts]) -> None:
    verdicts = verdicts_of([finding(net, 4)], broke(("net.py", 4, "f")))
    assert one(verdicts) == ("confirmed", "")
    assert (verdicts.recall, verdicts.precision, verdicts.missed) == (1.0, 1.0, [])


def test_another_line_of_the_statement_confirms(net: Path, verdicts_of: Callable[..., Verdicts]) -> None:
    assert (
        one(verdicts_of([finding(net, 7, ("GB0059",))], broke(("net.py", 8, "f"), ids=("GB0059",))))[0] == "confirmed"
    )


def test_a_break_in_a_library_belongs_to_the_call(net: Path, verdicts_of: Callable[..., Verdicts]) -> None:
    assert (
        one(verdicts_of([finding(net, 9)], broke(("net.py", 9, "f"), ("/lib/helper.py", 3, "far"))))[0] == "confirmed"
    )


def test_another_id_is_reported(net: Path, verdicts_of: Callable[..., Verdicts]) -> None:
    assert one(verdicts_of([finding(net, 4)], broke(("net.py", 4, "f"), ids=("GB0033",)))) == (
        "confirmed",
        "Dynamo reports GB0033",
    )


def test_the_id_decides_between_two_on_a_line(net: Path, verdicts_of: Callable[..., Verdicts]) -> None:
    both = [finding(net, 4, ("GB0059",)), finding(net, 4)]
    verdicts = verdicts_of(both, broke(("net.py", 4, "f")), compiled={"net.py": ("3-5",)})
    assert [each.confirmation.verdict for each in verdicts.findings] == ["refuted", "confirmed"]  # type: ignore[union-attr]


def test_compiled_without_a_break_refutes(net: Path, verdicts_of: Callable[..., Verdicts]) -> None:
    verdicts = verdicts_of([finding(net, 4)], compiled={"net.py": ("3-9",)})
    assert one(verdicts) == ("refuted", "the line ran in compiled code and did not break the graph")
    assert (verdicts.recall, verdicts.precision) == (None, 0.0)


def test_a_line_that_did_not_run_is_not_reached(net: Path, verdicts_of: Callable[..., Verdicts]) -> None:
    assert one(verdicts_of([finding(net, 13)], ran={"net.py": ("3-9",)})) == ("not-reached", "the line did not run")


def test_a_run_that_ended_early_is_the_reason(net: Path, verdicts_of: Callable[..., Verdicts]) -> None:
    verdicts = verdicts_of([finding(net, 13)], ran={"net.py": ("3-9",)}, status="error", reason="it raised ValueError")
    assert one(verdicts) == ("not-reached", "the run ended early: it raised ValueError")


def test_a_run_without_executed_lines_gives_no_verdict(net: Path, verdicts_of: Callable[..., Verdicts]) -> None:
    verdicts = verdicts_of([finding(net, 13)], ran={}, status="missing", reason="torch is not installed")
    assert [each.confirmation for each in verdicts.findings] == [None]


@pytest.mark.parametrize(
    ("outcome", "then"),
    [
        ("rest-eager", "the rest of f runs eagerly"),
        ("frame-eager", "f runs eagerly"),
        ("raises", "the compilation fails there with an error"),
    ],
)
def test_an_earlier_break_masks(net: Path, verdicts_of: Callable[..., Verdicts], outcome: str, then: str) -> None:
    verdicts = verdicts_of([finding(net, 7)], broke(("net.py", 4, "f"), outcome=outcome), compiled={"net.py": ("3-4",)})
    assert one(verdicts) == ("masked", f"A break (GB0124): {then}")
    assert verdicts.findings[0].confirmation.by.line == 4  # type: ignore[union-attr]


def test_a_break_inside_a_function_masks_the_rest_of_it(net: Path, verdicts_of: Callable[..., Verdicts]) -> None:
    inlined = broke(("net.py", 9, "f"), ("net.py", 12, "g"), outcome="frame-eager")
    assert one(verdicts_of([finding(net, 13)], inlined))[0] == "masked"


def test_a_break_elsewhere_masks_nothing(net: Path, verdicts_of: Callable[..., Verdicts]) -> None:
    skipped = (SkippedFrame(ChainLink("net.py", 11, "g"), "No tensor-related objects found in frame"),)
    verdicts = verdicts_of([finding(net, 13)], broke(("net.py", 4, "f"), outcome="rest-eager"), skipped=skipped)
    reason = "the line ran only outside of compiled code: no tensor-related objects found in frame"
    assert one(verdicts) == ("not-reached", reason)


def test_an_unpredicted_break_is_a_finding(net: Path, verdicts_of: Callable[..., Verdicts]) -> None:
    (missed,) = verdicts_of([], broke(("net.py", 4, "f"), count=2)).missed
    assert (missed.code, missed.rule, missed.gb_ids) == ("GBL101", "tensor-item", ("GB0124",))
    assert missed.message == "`a = x.sum().item()`: A break, not predicted"
    assert missed.span.line == 4
    assert missed.help
    confirmation = missed.confirmation
    assert confirmation is not None
    assert (confirmation.verdict, confirmation.reason, confirmation.count) == ("missed", "It was one.", 2)


def test_a_consequence_is_not_missed(net: Path, verdicts_of: Callable[..., Verdicts]) -> None:
    assert verdicts_of([], broke(("net.py", 4, "f"), ids=("GB7000",), primary=False)).missed == []


def test_a_break_in_another_package_is_only_counted(net: Path, verdicts_of: Callable[..., Verdicts]) -> None:
    verdicts = verdicts_of([], broke(("/lib/helper.py", 4, "far")))
    assert (verdicts.missed, verdicts.elsewhere) == ([], 1)


def test_a_less_certain_finding_is_added_if_confirmed(net: Path, verdicts_of: Callable[..., Verdicts]) -> None:
    unsure = [finding(net, line, confidence=Confidence.POSSIBLE) for line in (4, 12)]
    verdicts = verdicts_of([], broke(("net.py", 4, "f")), less_certain=unsure, compiled={"net.py": ("3-14",)})
    assert [each.span.line for each in verdicts.findings] == [4]
    assert verdicts.missed == []


def test_a_suppressed_finding_was_not_missed(net: Path, verdicts_of: Callable[..., Verdicts]) -> None:
    verdicts = verdicts_of([], broke(("net.py", 4, "f")), suppressed=[finding(net, 4)])
    assert (verdicts.findings, verdicts.missed) == ([], [])


def test_a_run_of_another_entry_gives_no_verdict(net: Path, verdicts_of: Callable[..., Verdicts]) -> None:
    verdicts = verdicts_of([finding(net, 4, entries=("net:other",))], kind="entry", compiled={"net.py": ("3-9",)})
    assert [each.confirmation for each in verdicts.findings] == [None]


def hint(net: Path, line: int, named: str) -> Finding:
    kind = {"code": "GBL703", "rule": "changing-mode", "category": Category.RECOMPILE}
    return finding(net, line, (), **kind, expression=named)


def recompile(reason: str, function: str = "f") -> Recompile:
    return Recompile(ChainLink("net.py", 3, function), reason)


def test_a_hint_is_confirmed_by_a_guard_on_its_name(net: Path, verdicts_of: Callable[..., Verdicts]) -> None:
    reason = "0/0: flag == False   # if flag:  # net.py:5 in f\nUser stack trace:"
    verdicts = verdicts_of(
        [hint(net, 9, "flag")], recompiles=(recompile(reason), recompile(reason), recompile("0/1: x is None"))
    )
    (hint_finding,) = verdicts.hints
    assert hint_finding.confirmation is not None
    assert (hint_finding.confirmation.verdict, hint_finding.confirmation.count) == ("confirmed", 2)
    assert hint_finding.confirmation.message == "compiled again, because it guards on `flag == False`"
    assert (verdicts.findings, verdicts.recall, verdicts.precision) == ([], None, None)


@pytest.mark.parametrize(
    ("recompiles", "lines", "verdict"),
    [
        ((), ("9",), "refuted"),
        ((recompile("0/0: flag == 1", function="other"),), ("9",), "refuted"),
        ((recompile("0/0: flags == 1"),), ("9",), None),
        ((), ("3",), "not-reached"),
    ],
)
def test_a_hint_without_a_matching_guard(
    net: Path,
    verdicts_of: Callable[..., Verdicts],
    recompiles: tuple[Recompile, ...],
    lines: tuple[str],
    verdict: str | None,
) -> None:
    (hint_finding,) = verdicts_of([hint(net, 9, "flag")], recompiles=recompiles, ran={"net.py": lines}).hints
    assert (hint_finding.confirmation.verdict if hint_finding.confirmation else None) == verdict
