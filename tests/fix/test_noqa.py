"""The insertion of noqa comments."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gblint.diagnostics.break_event import Category, Confidence
from gblint.diagnostics.finding import Finding, Severity
from gblint.diagnostics.span import Span
from gblint.filters.noqa import comments
from gblint.fix.noqa import add_noqa_comments, insert_noqa_comments

LONG = '''\
y = call(
    x.item(),
    """text
    more""",
    f"""{x}
    {y.item()}""" + \\
    z.item(),
)
'''


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("y = x.item()\n", 1, "y = x.item()  # noqa: GBL101\n"),
        ("y = x.item()", 1, "y = x.item()  # noqa: GBL101"),
        ("y = x.item()   \r\nz = 1\r\n", 1, "y = x.item()  # noqa: GBL101\r\nz = 1\r\n"),
        ("y = x.item()  # the peak\n", 1, "y = x.item()  # the peak  # noqa: GBL101\n"),
        ("y = x.item()  # noqa: E501\n", 1, "y = x.item()  # noqa: E501, GBL101\n"),
        ("y = x.item()  # noqa: E501,W291\n", 1, "y = x.item()  # noqa: E501,W291,GBL101\n"),
        ("y = x.item()  # noqa: E501, W291 too long\n", 1, "y = x.item()  # noqa: E501, W291, GBL101 too long\n"),
        ("y = x.item()  # NoQA:e501\n", 1, "y = x.item()  # NoQA:e501, GBL101\n"),
        ("y = x.item()  # type: ignore\n", 1, "y = x.item()  # type: ignore  # noqa: GBL101\n"),
        ("y = x.item() + '# noqa: E501'\n", 1, None),
        ("if x.item():  # noqa: E701\n    pass\n", 1, "if x.item():  # noqa: E701, GBL101\n    pass\n"),
        (LONG, 2, LONG.replace("x.item(),", "x.item(),  # noqa: GBL101")),
        (LONG, 3, LONG.replace('more""",', 'more""",  # noqa: GBL101')),
        (LONG, 6, LONG.replace("z.item(),", "z.item(),  # noqa: GBL101")),
        (LONG, 7, LONG.replace("z.item(),", "z.item(),  # noqa: GBL101")),
        ("y = [\n    x.item(),\n]  # noqa: E501\n", 2, "y = [\n    x.item(),\n]  # noqa: E501, GBL101\n"),
        ("y = (x +\n     z.item()  # the other\n)\n", 2, "y = (x +\n     z.item()  # the other  # noqa: GBL101\n)\n"),
        ("def f(:\n", 1, None),
        ("y = 1\n", 7, None),
    ],
)  # fmt: skip
def test_comment_is_inserted(text: str, line: int, expected: str | None) -> None:
    if expected is None and "# noqa" in text:
        expected = text.replace("\n", "  # noqa: GBL101\n")
    assert insert_noqa_comments(text, [("GBL101", line, line)]) == expected


def test_codes_share_one_comment() -> None:
    wanted = [("GBL301", 1, 1), ("GBL101", 1, 1), ("GBL101", 1, 1)]
    assert insert_noqa_comments("y = x.item()\n", wanted) == "y = x.item()  # noqa: GBL101, GBL301\n"
    again = insert_noqa_comments("y = x.item()  # noqa: GBL101\n", wanted)
    assert again == "y = x.item()  # noqa: GBL101, GBL301\n"


STATEMENTS = [
    "y = x.item()",
    "y = x.item()  # why",
    "y = x.item()  # noqa: E501",
    "if x:\n    y = (\n        x.item()\n    )",
    'y = f"""\n{x.item()}\n"""',
    "y = x + \\\n    x.item()",
    "for i in [\n    1,  # noqa: W1\n    x.item(),\n]:\n    pass",
    '"""doc\nx.item()\n"""',
]


@given(st.lists(st.sampled_from(STATEMENTS), min_size=1), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_generated_statements(statements: list[str], newline: str, ends: bool) -> None:
    text = "\n".join(statements) + ("\n" if ends else "")
    wanted = [("GBL101", number, number) for number, line in enumerate(text.split("\n"), 1) if ".item" in line]
    new = insert_noqa_comments(text.replace("\n", newline), wanted)
    assert new is not None
    assert new.count(newline) == text.count("\n")
    assert ast.dump(ast.parse(new)) == ast.dump(ast.parse(text))
    found = comments(new)
    assert all(any(comment.silences(code, line, line) for comment in found) for code, line, _ in wanted)
    assert insert_noqa_comments(new, wanted) == new


def finding(line: int) -> Finding:
    return Finding(
        "GBL101", "tensor-item", Category.GRAPH_BREAK, Severity.WARNING, Confidence.CERTAIN, Span("", line), "said"
    )


def test_file_keeps_its_encoding(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes("# coding: latin-1\ny = x.item()  # é\r\n".encode("latin-1"))
    assert add_noqa_comments(path, [finding(2)], [path]) == (1, None)
    assert path.read_bytes() == "# coding: latin-1\ny = x.item()  # é  # noqa: GBL101\r\n".encode("latin-1")


def test_failure_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    assert add_noqa_comments(path, [finding(1)], [path]) == (0, "no such file or directory")
    path.write_text("def f(:\n")
    assert add_noqa_comments(path, [finding(1)], [path]) == (0, "not changed: a comment cannot be inserted there")
    assert path.read_text() == "def f(:\n"
