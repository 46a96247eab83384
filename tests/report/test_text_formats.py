from __future__ import annotations

import os
from pathlib import Path

import pytest

from gblint.diagnostics.break_event import Category, Confidence, Consequence, Outcome
from gblint.diagnostics.count_range import CountRange
from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.finding import Finding, Severity
from gblint.diagnostics.reach import ReachCondition
from gblint.diagnostics.report import FileError, Report
from gblint.diagnostics.span import ChainLink, Span
from gblint.project.source_text import Source, Style, display_path, neutral, width
from gblint.report import concise, full, summary
from gblint.report.consequences import sentence
from gblint.report.cost_groups import UNIT
from gblint.report.eager_functions import EagerFunctions
from gblint.report.listing import listing
from gblint.runtime.lazy_dataclasses import replace

PLAIN = Style()
CODE = """\
def forward(self, x):
    y = self.linear(x)

    peak = y.max().item()
    return y * peak
"""


def finding(path: str = "pkg/net.py", **changes: object) -> Finding:
    values: dict[str, object] = {
        "code": "GBL101",
        "rule": "tensor-item",
        "category": Category.GRAPH_BREAK,
        "severity": Severity.WARNING,
        "confidence": Confidence.CERTAIN,
        "span": Span(path, 4, 12, 4, 26),
        "message": "`y.max().item()` takes a number out of a tensor",
        "help": "keep it a tensor",
        "entries": ("train:main",),
        "chain": (ChainLink("train.py", 9, "main"), ChainLink(path, 4, "Net.forward")),
    }
    return Finding(**{**values, **changes})  # type: ignore[arg-type]


def lines(item: Finding, code: str = CODE) -> list[str]:
    source = Source({os.path.abspath(item.span.path): code})
    return list(full.render(Report("2.13", findings=[item]), listing([item]), PLAIN, source))


def test_the_last_line_lists_what_there_is() -> None:
    kinds = (Category.GRAPH_BREAK, Category.GRAPH_BREAK, Category.COMPILE_ERROR, Category.CONFIG)
    said = []
    for number in (1, 3, 4):
        report = Report("2.13", findings=[finding(category=kind) for kind in kinds[:number]])
        said.append(next(summary.summary(report, 0, PLAIN)))
    assert said == [
        "Found 1 graph break in 1 file.",
        "Found 2 graph breaks and 1 compile error in 1 file.",
        "Found 2 graph breaks, 1 compile error and 1 configuration hint in 1 file.",
    ]


def test_full_says_when_the_place_is_reached() -> None:
    when = (
        ReachCondition("x.shape[0] > 3", "train.py", 9, True, "default"),
        ReachCondition("config.debug", "pkg/net.py", 2, True, "option"),
        ReachCondition("self.fast", "pkg/net.py", 3, False, "option"),
    )
    said = [line for line in lines(finding(reach="option", when=when)) if "when:" in line]
    assert said == [
        "  = when: `config.debug` (pkg/net.py:2) is true, and `self.fast` (pkg/net.py:3) is false "
        "(other conditions on the path: `x.shape[0] > 3` is true): the break is certain then"
    ]
    hint = finding(reach="option", when=when[1:2], category=Category.CONFIG)
    assert "  = when: `config.debug` (pkg/net.py:2) is true" in lines(hint)
    assert not any("when:" in line for line in lines(finding()))


def test_the_last_lines_count_what_is_beyond_the_reach() -> None:
    said = list(summary.summary(Report("2.13", findings=[finding()]), 0, PLAIN, 2))
    assert said[1] == "2 findings beyond the reach hidden; --reach=all shows everything."


def test_concise() -> None:
    assert list(concise.render(listing([finding()]), PLAIN)) == [
        "pkg/net.py:4:12: GBL101 [certain] `y.max().item()` takes a number out of a tensor"
    ]


def test_concise_says_what_a_break_does() -> None:
    assert concise.headline(finding(severity=Severity.ERROR), PLAIN).endswith("a tensor (raises)")
    assert concise.headline(finding(severity=Severity.INFO), PLAIN).endswith("a tensor (allowed)")


def test_full() -> None:
    assert lines(finding()) == [
        "pkg/net.py:4:12: GBL101 [certain] `y.max().item()` takes a number out of a tensor",
        "  |",
        "2 |     y = self.linear(x)",
        "3 |",
        "4 |     peak = y.max().item()",
        "  |            ^^^^^^^^^^^^^^",
        "5 |     return y * peak",
        "  |",
        "  = chain: train.py:9 in main",
        "           -> pkg/net.py:4 in Net.forward",
        "  = help: keep it a tensor",
        "",
    ]


def test_full_says_what_becomes_of_the_function() -> None:
    dropped = Consequence("frame-eager", "Net.forward", "loop", 0, 12, "net:Net", 12)
    whole = "all of `Net.forward` runs eagerly: Dynamo cannot resume in a loop"
    assert f"  = then: {whole}; about 8 operators per call are not compiled" in lines(
        finding(consequence=dropped, cost=20)
    )
    assert f"  = then: {whole}; this line runs once per layer, 12 layers" in lines(
        finding(consequence=dropped, cost=12)
    )
    rest = Consequence("rest-eager", "Net.forward", "try", 3, 2)
    part = "`Net.forward` runs eagerly from line 3: Dynamo cannot resume inside `try`"
    assert f"  = then: {part}; this line runs 2 times per call" in lines(finding(consequence=rest))
    split = Consequence("resumes", "Net.forward", repeats=None)
    assert (
        "  = then: the graph ends here, and the next one begins after it; in every round of a loop (length unknown)"
        in (lines(finding(consequence=split)))
    )


def test_full_names_the_break_that_hides_another() -> None:
    after = "the graph ends here, and the next one begins after it; Dynamo comes here only if"
    for path, line, text in (
        ("pkg/net.py", 3, "the break at line 3 is removed"),
        ("pkg/a.py", 3, "the break at pkg/a.py:3 is removed"),
        ("pkg/net.py", 0, "an earlier break is removed: on its own it does not compile `g`, which has no tensors"),
    ):
        hidden = Consequence("resumes", "g", behind=ChainLink(path, line, "g"))
        assert f"  = then: {after} {text}" in lines(finding(consequence=hidden))


def test_full_ends_with_the_costliest_and_the_graphs_of_each_entry() -> None:
    split, dropped = Consequence("resumes", "main"), Consequence("frame-eager", "main", "loop")
    report = Report(
        "2.13",
        entries=[
            EntryPoint("train:main", "train.py", 9, "decorator", graphs=CountRange(2, 3)),
            EntryPoint("train:other", "train.py", 12, "decorator", graphs=CountRange(4, None)),
            EntryPoint("train:clean", "train.py", 15, "decorator", graphs=CountRange(1, 1)),
        ],
        findings=[
            finding(consequence=split, cost=1, entries=("train:main", "train:other")),
            finding("pkg/a.py", consequence=dropped, cost=7),
        ],
    )
    assert list(full.render(report, listing(report.findings), PLAIN, Source({})))[-7:] == [
        f"Costliest first ({UNIT}):",
        "  pkg/a.py:4: GBL101 tensor-item: `main` runs eagerly, about 6 operators per call",
        "  pkg/net.py:4: GBL101 tensor-item: 1 break per call",
        "Graphs per call (estimated; a break in a function also splits its callers), most first:",
        "  train:other: 4 or more",
        "  train:main: 2 to 3",
        "",
    ]


def test_concise_says_what_is_dropped() -> None:
    dropped = Consequence("frame-eager", "Net.forward", "loop")
    (line,) = concise.render(listing([finding(consequence=dropped)]), PLAIN)
    assert line.endswith("out of a tensor (Net.forward runs eagerly)")


def test_an_expression_on_several_lines() -> None:
    code = "y = f(\n    x,\n    2,\n)\n"
    assert lines(finding(span=Span("a.py", 1, 5, 4, 2)), code)[1:10] == [
        "  |",
        "1 | y = f(",
        "  |     ^^",
        "2 |     x,",
        "  |     ^^",
        "3 |     2,",
        "  |     ^^",
        "4 | )",
        "  | ^",
    ]


def test_a_tall_expression_is_cut() -> None:
    code = "y = f(\n" + "    x,\n" * 30 + ")\n"
    shown = lines(finding(span=Span("a.py", 1, 5, 32, 2)), code)
    assert "  | ... 24 more lines" in shown
    assert len(shown) < 30


def test_tabs_and_wide_characters_keep_the_caret_in_place() -> None:
    code = "\tnäme = '漢字', x.item()\n"
    frame = list(full.frame(Span("a.py", 1, 15, 1, 23), [code.rstrip("\n")], PLAIN))
    assert frame[1] == "1 |     näme = '漢字', x.item()"
    assert frame[2] == "  |                    ^^^^^^^^"


def test_a_long_line_is_cut_around_the_caret() -> None:
    code = "a = [" + "1, " * 5000 + "x.item()]"
    column = code.index("x.item") + 1
    shown = list(full.frame(Span("a.py", 1, column, 1, column + 8), [code], PLAIN))
    assert all(len(line) < 200 for line in shown)
    start = shown[2].index("^")
    assert shown[1][start : start + 8] == "x.item()"


@pytest.mark.parametrize("span", [Span("a.py", 99, 1, 99, 2), Span("a.py", 0, 0, 0, 0)])
def test_no_frame_where_there_are_no_lines(span: Span) -> None:
    assert list(full.frame(span, ["x"], PLAIN)) == []


def test_positions_beyond_the_line_do_no_harm() -> None:
    assert list(full.frame(Span("a.py", 1, 50, 1, 90), ["x = 1"], PLAIN))[2].endswith("^")


def test_a_long_chain_is_folded_in_the_middle() -> None:
    chain = tuple(ChainLink("a.py", number, f"f{number}") for number in range(1, 21))
    shown = [line.strip() for line in lines(finding(chain=chain)) if "a.py" in line or "more calls" in line]
    assert shown[0] == "= chain: a.py:1 in f1"
    assert shown[3:6] == ["-> a.py:4 in f4", "... 12 more calls ...", "-> a.py:17 in f17"]
    assert shown[-1] == "-> a.py:20 in f20"
    assert len(shown) == 9


def test_nothing_can_play_with_the_terminal() -> None:
    evil = "\x1b]0;pwned\x07\u202eabc\r\n"
    item = finding(path=f"a{evil}.py", message=evil, help=evil, chain=(ChainLink(evil, 1, evil),))
    shown = "\n".join([*lines(item, evil * 6), *concise.render(listing([item]), PLAIN)])
    assert not set(shown) & set("\x1b\x07\u202e\r")
    assert "\\x1b]0;pwned\\x07\\u202eabc\\x0d\\x0a" in shown


def test_colours_only_when_asked_for() -> None:
    assert "\x1b" not in concise.headline(finding(), PLAIN)
    assert "\x1b[1;31mGBL101\x1b[0m" in concise.headline(finding(), Style(color=True))


def test_width() -> None:
    assert (width("abc"), width("漢"), width("e\u0301")) == (3, 2, 1)


def test_neutral_leaves_text_alone() -> None:
    assert neutral("plain \t ünïcode 漢") == "plain      ünïcode 漢"


def test_display_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    assert display_path(str(tmp_path / "a" / "b.py")) == "b.py"
    assert display_path(str(tmp_path / "c.py")) == str(tmp_path / "c.py")
    assert display_path("--select") == "--select"


def said(report: Report, hidden: int = 0) -> list[str]:
    return list(summary.summary(report, hidden, PLAIN))


def test_summary() -> None:
    entries = [EntryPoint("train:main", "train.py", 3, "call"), EntryPoint("other:f", "o.py", 1, "decorator")]
    findings = [finding(), finding("b.py"), finding("b.py", category=Category.RECOMPILE)]
    assert said(Report("2.13", entries, findings, files=7)) == [
        "Found 2 graph breaks and 1 recompile hint in 2 files, reached from 1 entry point (train:main).",
        "All 2 compiled objects were analysed.",
    ]
    assert said(Report("2.13", entries, files=1), hidden=1) == [
        "No graph breaks found from 2 entry points (train:main, other:f) in 1 file.",
        "All 2 compiled objects were analysed.",
        "1 less certain finding hidden; --min-confidence=possible shows everything.",
    ]
    assert said(Report("2.13", entries[:1], errors=[FileError("train.py", 3, "internal error")], files=2)) == [
        "No graph breaks found in the code that could be analysed, from 1 entry point (train:main) in 2 files.",
        "1 error: this part was skipped, and the rest was linted.",
    ]
    assert said(Report("2.13", errors=[FileError("a.py", 3, "invalid syntax")], files=2)) == [
        "Nothing was analysed: no entry point in 2 files.",
        "1 error: this part was skipped, and the rest was linted.",
    ]
    assert said(Report("2.13", errors=[FileError("a.py", 3, "invalid syntax")], files=1)) == [
        "Nothing was analysed: no entry point in 1 file.",
        "1 error: this part was skipped.",
    ]


def test_statistics() -> None:
    other = finding(code="GBL901", rule="print")
    report = Report("2.13", findings=[finding(), other, other])
    assert summary.statistics(report) == [
        {"code": "GBL901", "rule": "print", "count": 2},
        {"code": "GBL101", "rule": "tensor-item", "count": 1},
    ]
    assert list(summary.statistics_lines(report, PLAIN)) == ["2  GBL901  print", "1  GBL101  tensor-item"]


def test_error_line() -> None:
    assert summary.error_line(FileError("a.py", 3, "bad\x1b")) == "a.py:3: bad\\x1b"
    assert summary.error_line(FileError("--select", 0, "bad")) == "--select: bad"


def test_the_number_of_rounds_is_that_of_one_entry_point() -> None:
    many = finding(consequence=Consequence("frame-eager", "Net.forward", "loop", repeats=8, entry="net:Net"))
    assert (
        sentence(many)
        == "all of `Net.forward` runs eagerly: Dynamo cannot resume in a loop; this line runs 8 times per call"
    )
    two = replace(many, entries=("net:Net", "net:Layer"), chain=(ChainLink("net.py", 3, "Layer.forward"),))
    assert sentence(two).startswith("all of `Net.forward`, which also leads here, runs eagerly:")
    assert sentence(two).endswith("in a loop; this line runs up to 8 times per call of Net")


def in_function(line: int, cost: int, outcome: Outcome, **changes: object) -> Finding:
    chain = (ChainLink("train.py", 9, "main"), ChainLink("pkg/net.py", line, "Net.forward"))
    frame = "main" if outcome == "resumes" else "Net.forward"
    effect = Consequence(outcome, frame, "loop", repeats=1, entry="train:main")
    values = {"span": Span("pkg/net.py", line, 5), "chain": chain, "consequence": effect, "cost": cost}
    return finding(**{**values, **changes})


def test_lines_that_keep_one_function_eager_share_one_number() -> None:
    first, second = in_function(4, 61, "frame-eager"), in_function(6, 31, "frame-eager")
    optional = in_function(8, 21, "frame-eager", reach="option")
    eager = EagerFunctions(listing([first, second, optional]).lines)
    shared = (
        "all of `Net.forward` runs eagerly: Dynamo cannot resume in a loop; about 60 operators per call are not "
        "compiled, because of this and 1 other line"
    )
    assert eager.sentence(first) == eager.sentence(second) == shared
    assert eager.sentence(optional) == sentence(optional)


def test_a_break_after_a_line_that_keeps_its_function_eager() -> None:
    cause, later, earlier = (
        in_function(6, 61, "frame-eager"),
        in_function(9, 1, "resumes"),
        in_function(4, 1, "resumes"),
    )
    eager = EagerFunctions(listing([cause, later, earlier]).lines)
    assert eager.sentence(later) == (
        "all of `Net.forward` runs eagerly because of pkg/net.py:6; once that line is changed, the graph ends here, "
        "and the next one begins after it"
    )
    assert eager.sentence(earlier) == sentence(earlier)
    elsewhere = replace(later, chain=(*later.chain, ChainLink("pkg/net.py", 20, "helper")))
    other_call = replace(later, entries=("train:main", "train:other"))
    assert [eager.sentence(each) for each in (elsewhere, other_call)] == [sentence(elsewhere), sentence(other_call)]
    condition = ReachCondition("flag", "pkg/net.py", 5, True, "option")
    optional = replace(cause, reach="option", when=(condition,))
    eager = EagerFunctions(listing([optional, later]).lines)
    assert eager.sentence(later) == sentence(later)


def test_the_help_says_that_a_break_is_inside_a_library() -> None:
    inside = finding(chain=(ChainLink("pkg/net.py", 4, "Net.forward"), ChainLink("lib/ops.py", 7, "helper")))
    assert (
        "  = help: the break is inside a library: make this call outside of the compiled code, or change the library: "
        "keep it a tensor"
    ) in lines(inside)


def test_code_is_cut_to_the_width_of_the_terminal() -> None:
    code = f"def forward(self, x):\n    peak = {'y.max() + ' * 12}y.max().item()\n    return y * peak\n"
    found = finding(span=Span("pkg/net.py", 2, 132, 2, 146))
    source = Source({os.path.abspath("pkg/net.py"): code})
    shown = list(full.render(Report("2.13", findings=[found]), listing([found]), PLAIN, source, columns=80))
    line, carets = shown[shown.index("1 | def forward(self, x):") + 1 :][:2]
    assert line.startswith("2 | ...") and line.endswith("y.max().item()") and carets.endswith(" " + "^" * 14)
    assert len(line) == len(carets) <= 80
