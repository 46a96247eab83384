"""The page is complete and well-formed, loads nothing, and shows text from the scanned code as text only."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from gblint.diagnostics.call_tree import CallTreeNode
from gblint.diagnostics.entry_point import EntryPoint
from gblint.diagnostics.fix import Fix
from gblint.diagnostics.report import FileError, Report
from gblint.project.source_text import Source
from gblint.report import html
from gblint.report.html import call_tree, code, diffs, phrases
from tests.report.pages import CODE, EVIL, ODD, report
from tests.report.test_listing import finding

VOID = frozenset(("meta", "link", "input", "br", "wbr", "img"))
LOADS = ("src", "srcset", "data", "poster", "action", "formaction", "background", "style", "ping")


class Page(HTMLParser):
    """The page as a browser parses it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.ids: list[str] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id" and value]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, (tag, self.getpos())

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.text.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def words(self) -> str:
        return " ".join("".join(self.text).split())


@pytest.fixture
def text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    made, source, trees = report(tmp_path)
    return html.render(made, source, trees, hidden=2, settings=[("select", EVIL)])


def test_it_loads_nothing(text: str) -> None:
    page = Page(text)
    for tag, attributes in page.tags:
        assert tag not in ("iframe", "object", "embed", "img", "base", "audio", "video", "svg"), tag
        for name, value in attributes.items():
            assert name not in LOADS and not name.startswith("on"), (tag, name)
            if name == "href" and value and not value.startswith("#"):
                assert (tag == "a" and value.startswith("https://")) or (tag, value) == ("link", "data:,")
    assert [len(page.all(tag)) for tag in ("script", "style")] == [1, 1]
    style = text[text.index("<style>") : text.index("</style>")]
    assert "url(" not in style and "@import" not in style
    script = text[text.index("<script>") : text.index("</script>")]
    assert not re.search(r"fetch\(|XMLHttp|import\(|innerHTML|eval\(|http", script)


def test_the_policy_lets_in_the_script_and_the_style_by_their_hashes(text: str) -> None:
    from base64 import b64encode
    from hashlib import sha256

    policy = next(a["content"] for a in Page(text).all("meta") if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None and policy.startswith("default-src 'none';") and "unsafe" not in policy
    for tag in ("style", "script"):
        inner = text[text.index(f"<{tag}>") + len(tag) + 2 : text.index(f"</{tag}>")]
        assert f"{tag}-src 'sha256-{b64encode(sha256(inner.encode()).digest()).decode()}'" in policy


def test_what_is_scanned_stays_text(text: str) -> None:
    page = Page(text)
    assert EVIL in page.words
    assert text.count("<script>") == text.count("</script>") == 1
    assert "<script>alert(2)</script>" in page.words
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", text)
    assert r"<i class=u>\u202e</i>evil" in text and r"\u202egnp\u202c \x1b[31m\x00" in page.words
    text.encode("utf-8", "backslashreplace")


def test_links_lead_somewhere_and_ids_are_unique(text: str) -> None:
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    inner = {a["href"][1:] for a in page.all("a") if (a.get("href") or "").startswith("#")}  # type: ignore[index]
    assert inner <= set(page.ids)
    assert {a["for"] for a in page.all("label") if "for" in a} <= set(page.ids)
    assert {a["aria-labelledby"] for a in page.all("section")} <= set(page.ids)


def test_it_can_be_read_by_everybody(text: str) -> None:
    page = Page(text)
    assert page.all("html") == [{"lang": "en"}]
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert len(page.all("main")) == 1 and page.all("title") and page.all("nav")[0]["aria-label"]


def test_everything_is_said(text: str) -> None:
    printed = Page(text).words
    for part in (
        "torch 2.13",
        "2 less certain findings hidden",
        "select " + EVIL,
        "1 error: this part was skipped, and the rest was linted",
        "Start here: the 8 lines that matter most" if text.count('<details class="f ') > 8 else "What matters most",
        "`forward` runs eagerly from line 4".replace("`", ""),
        "2 to 4 graphs",
        "2 or more graphs",
        "the first break on the path raises an error",
        "Nothing in it is sure to break",
        "There is no estimate",
        "1 entry point without findings",
        "Dynamo says: GB0124 Unsupported",
        "tried: holds",
        "keep it a tensor",
        "3 breaks in it, not shown",
        "hidden: this code runs eagerly because of another break",
        "graph 2: 5 operators, from line 4",
        "takes number 3",
        # Compiled a second time, so that the first break raises.
        "hidden: Dynamo reaches this break after the break before it is removed",
        "traced: 5 operators, from line 4",
    ):
        assert part in printed or part in text, part


def test_it_is_the_same_twice(tmp_path: Path) -> None:
    assert html.render(*report(tmp_path)) == html.render(*report(tmp_path))


def test_nothing_found_is_a_page_too() -> None:
    page = Page(html.render(Report("2.13", files=3), Source(), {}))
    assert "Nothing was analysed: no entry point in 3 files." in page.words and "There are none." in page.words


def test_a_file_that_is_gone_costs_its_code_only(tmp_path: Path) -> None:
    made, _, trees = report(tmp_path)
    page = Page(html.render(made, Source(), trees))
    assert "takes number 3" in page.words


def test_many_files_are_shown_in_parts(tmp_path: Path) -> None:
    made, source, trees = report(tmp_path, 4, 4)
    for path in list(source.overlays):
        source.overlays[path] = CODE + "x = 1\n" * 30_000  # type: ignore[index]
    text = html.render(made, source, trees)
    assert "excerpts" in text and len(text) < 200_000


# -- parts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("`a` and **b** *c*", "<code>a</code> and <strong>b</strong> <em>c</em>"),
        ("a * b * c", "a * b * c"),
        ('`log("use `x` now")` logs', "<code>log(&#34;use `x` now&#34;)</code> logs"),
        ('`log("use `x` for...` logs', "<code>log(&#34;use `x` for...</code> logs"),
        ("a ` b", "a ` b"),
        ("`<b>`", "<code>&lt;b&gt;</code>"),
        ("`x`s", "`x`s"),
    ],
)
def test_words(markdown: str, expected: str) -> None:
    assert phrases.inline(markdown) == expected


def test_a_page_of_a_rule() -> None:
    made = phrases.page("One\ntwo.\n\n**Instead**\n\n- a `b`\n  c;\n- d.\n")
    assert made == "<p>One two.</p>\n<h4>Instead</h4>\n<ul>\n<li>a <code>b</code> c;</li>\n<li>d.</li>\n</ul>\n"


@pytest.mark.parametrize(
    "text", [CODE, "x = 1\r\ny = '''\r\n'''\rz = 2", "", "\n\n", "def (", "'''never closed\n\n", ODD]
)
def test_colours_change_no_character(text: str) -> None:
    source = Source({str(Path("a.py").absolute()): text})
    made = ["".join(part for _, part in line) for line in code.Colours(source).lines("a.py")]
    assert made == source.lines("a.py")


def test_marks_are_cut_out_of_what_is_coloured() -> None:
    stretches = [("k", "return"), ("", " x.item() + "), ("n", "1")]
    marked = code.line(stretches, [code.Mark(7, 15, "f", "GBL101")])
    assert marked == "<i class=k>return</i> <mark>x.item()</mark> + <i class=n>1</i>"


def test_a_very_long_line_is_cut() -> None:
    assert len(code.line([("", "x = ["), *[("n", "1"), ("", ", ")] * 5000])) < 10_000


def test_a_fix_as_a_diff(tmp_path: Path) -> None:
    made, source, _ = report(tmp_path)
    assert diffs.diff(made.findings[0].fixes[0], source) == [
        ("@", "line 4"),
        (" ", '    name = "\u202eevil\u202c \x07"'),
        ("-", "    peak = x.max().item()"),
        ("+", "    peak = x.max().detach()"),
        (" ", "    return x * peak  # \x85"),
    ]
    assert diffs.diff(Fix("advice"), source) == []
    (edit,) = made.findings[0].fixes[0].edits
    outside = replace(edit, span=replace(edit.span, line=500, end_line=501))
    assert diffs.diff(Fix("from another time", "safe", (outside,)), source) == []


def test_a_picture_is_cut_to_size() -> None:
    tree = CallTreeNode("break", path="a.py", line=1)
    for depth in range(6):
        tree = CallTreeNode("call", f"f{depth}", "a.py", 1, parts=(tree, tree))
    small = call_tree.pruned(tree, 20)
    assert small.size <= 20 and small.leads() == tree.leads() == 64
    wide = CallTreeNode("call", "f", "a.py", 1, parts=(CallTreeNode("break", path="a.py", line=1),) * 100)
    assert call_tree.pruned(wide, 60).parts[-1] == CallTreeNode("more", line=1, times=60, breaks=60)


def test_entry_points_of_one_name_are_shown_once_for_each_picture(tmp_path: Path) -> None:
    made, source, trees = report(tmp_path)
    made.entries.append(EntryPoint("train:main", "other.py", 9, "call"))
    page = Page(html.render(made, source, trees))
    assert len([a for a in page.all("details") if a.get("class") == "entry"]) == 4


def test_paths_outside_of_the_working_directory_count_from_what_they_share(tmp_path: Path) -> None:
    inside, outside = Path.cwd() / "a.py", [str(tmp_path / "lib" / name) for name in ("one/a.py", "b.py")]
    paths = phrases.Paths(outside)
    assert paths.folder == str(tmp_path / "lib")
    assert [paths.shown(each) for each in outside] == ["one/a.py", "b.py"]
    assert paths.split(outside[0]) == ("one/", "a.py")
    assert phrases.Paths([*outside, str(inside)]).folder == ""
    assert phrases.Paths(outside[:1]).folder == "" and phrases.Paths([]).folder == ""
    made, source, trees = report(tmp_path)
    assert f"Paths count from <code>{tmp_path}</code>" in html.render(made, source, trees)


def test_the_summary_names_settings_and_what_was_analysed_in_part() -> None:
    point = EntryPoint("net:Net", "net.py", 1, "call")
    option = [finding(line, reach="option", setting="capture_scalar_outputs = True") for line in (1, 2, 3)]
    partial = [FileError("net.py", 1, "`net:Net` was not analysed completely: more than 24 functions")]
    text = html.render(Report("2.13", [point], option, files=1), Source({"net.py": CODE}), {}, partial=partial)
    words = Page(text).words
    assert "Default run: no graph breaks in what was analysed; breaks on 3 lines only if an option is set." in words
    assert "capture_scalar_outputs = True: 3 lines; code that branches on such a number still breaks" in words
    assert "Analysed only in part: 1 entry point net.py:1 net:Net was not analysed completely: more than 24" in words
