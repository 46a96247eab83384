from __future__ import annotations

import ast
import inspect
import sys
import warnings
from pathlib import Path

import pytest

from gblint.project.source import SourceProblem, decode_source, parse_source, read_source


def refusal(data: bytes) -> tuple[int, str]:
    with pytest.raises(SourceProblem) as caught:
        parse_source(decode_source(data))
    return caught.value.line, caught.value.message


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"x = 1\r\ny = 2\rz = 3\n", "x = 1\ny = 2\nz = 3\n"),
        ("x = 'é'\n".encode(), "x = 'é'\n"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        ("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"), "# -*- coding: latin-1 -*-\nx = 'é'\n"),
        (
            "#!/usr/bin/python\n# coding=cp1252\nx = '€'\n".encode("cp1252"),
            "#!/usr/bin/python\n# coding=cp1252\nx = '€'\n",
        ),
    ],
)
def test_decodes_as_python_does(data: bytes, text: str) -> None:
    assert decode_source(data) == text


def test_not_utf8_names_byte_and_line() -> None:
    assert refusal(b"a = 1\nb = '\xe9'\n") == (2, "not valid UTF-8: byte 0xe9")


def test_utf16_is_recognised() -> None:
    assert refusal("x = 1\n".encode("utf-16")) == (1, "not valid UTF-8 (it looks like UTF-16)")


def test_null_bytes_name_the_line() -> None:
    assert refusal(b"x = 1\ny = \0\n") == (2, "contains null bytes")


@pytest.mark.parametrize("encoding", [b"no-such-thing", b"hex", b"rot13"])
def test_coding_lines_that_name_no_text_encoding(encoding: bytes) -> None:
    line, message = refusal(b"# coding: " + encoding + b"\nx = 1\n")
    assert line == 1
    assert encoding.decode() in message.replace("_", "")


def test_wrong_coding_line() -> None:
    assert refusal("# coding: ascii\nx = 'é'\n".encode()) == (
        2,
        "cannot be decoded as ascii, which its coding line declares",
    )


@pytest.mark.parametrize(
    "text",
    [
        "print 'hello'\n",
        "print x\n",
        "x = 1\nexec code\n",
        "raise ValueError, 'no'\n",
        pytest.param(
            "try:\n    pass\nexcept ValueError, e:\n    pass\n",
            marks=pytest.mark.skipif(sys.version_info >= (3, 14), reason="two types, since Python 3.14"),
        ),
        "if a <> b:\n    pass\n",
        "x = `y`\n",
        "x = 10L\n",
        "x = 0777\n",
        "x = ur'a'\n",
    ],
)
def test_python_2_is_suspected(text: str) -> None:
    _, message = refusal(text.encode())
    assert "(Python 2 code" in message


@pytest.mark.parametrize("text", ["def f(:\n    pass\n", "x = = 1\n", "x = (1,\n", "for\n", "class A\n    pass\n"])
def test_other_syntax_errors_do_not_suggest_python_2(text: str) -> None:
    line, message = refusal(text.encode())
    assert line >= 1
    assert "Python 2" not in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("since", "text"),
    [
        ((3, 11), "try:\n    pass\nexcept* ValueError:\n    pass\n"),
        ((3, 12), """x = f"{d["key"]}"\n"""),
        ((3, 12), """x = f'{"\\n".join(y)}'\n"""),
        ((3, 14), """x = t"{y}"\n"""),
        ((3, 14), "try:\n    pass\nexcept ValueError, TypeError:\n    pass\n"),
    ],
)
def test_newer_syntax_is_parsed_or_explained(since: tuple[int, int], text: str) -> None:
    """New syntax is parsed if the running Python supports it; otherwise the message names the version that does."""
    if sys.version_info >= since:
        assert parse_source(text).body
        return
    line, message = refusal(text.encode())
    assert text.splitlines()[line - 1]
    assert f"syntax of Python {since[0]}.{since[1]}? this gblint runs on" in message


@pytest.mark.parametrize(
    "text",
    [
        'x = f"{a b}"\n',
        'x = f"{a}" y\n',
        "x = f'{a['\n",
        'x = f"{}" + f"{d["k"]}"\n',
        'def f(x: f"{y}" z): pass\n',
        "def f[T](:\n    pass\n",
        "type X int\n",
        "type X = = 1\n",
        "except* x:\n    pass\n",
        'x = t"{a b}"\n',
        "match x\n",
        "try:\n    pass\nexcept A, B C:\n    pass\n",
    ],
)
def test_a_plain_syntax_error_names_no_version(text: str) -> None:
    assert "of Python 3" not in refusal(text.encode())[1]


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="it is parsed")
def test_two_kinds_of_newer_syntax_are_explained() -> None:
    line, message = refusal(b"""def f[T](x: T) -> T:\n    return x\ny = f"{d["k"]}"\n""")
    assert line == 3
    assert "syntax of Python 3.12?" in message


def test_newer_syntax_before_another_error_is_explained() -> None:
    text = """x = f"{d["k"]!r:>{width}}" "and" f'{'a' if b else "c"=}'\ny = = 1\n"""
    line, message = refusal(text.encode())
    assert line == (2 if sys.version_info >= (3, 12) else 1)
    assert ("of Python 3.12?" in message) is (line == 1)


def test_indentation() -> None:
    line, message = refusal(b"if x:\ny = 1\n")
    assert line == 2
    assert "indented block" in message


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 5000 + ")" * 5000,
        "x = " + "[" * 5000 + "]" * 5000,
        "x = " + "-" * 20_000 + "1",
    ],
    ids=["parentheses", "lists", "unary"],
)
def test_deep_nesting_is_one_line(text: str) -> None:
    assert refusal(text.encode())[1] == "too deeply nested to parse"


@pytest.mark.parametrize("text", ["x = a" + ".b" * 20_000, "x = a" + "()" * 20_000, "x = 1" + " + 1" * 20_000])
def test_long_chains_are_parsed_or_refused(text: str) -> None:
    try:
        parse_source(text)  # Python 3.10 has no limit on these
    except SourceProblem as problem:
        assert problem.message == "too deeply nested to parse"


def test_a_caller_deep_in_recursion_still_gets_the_tree() -> None:
    text = "x = 1" + " + 1" * 500

    def descend(depth: int) -> int:
        if depth:
            return descend(depth - 1)
        return len(parse_source(text).body)

    used = len(inspect.stack())
    assert descend(sys.getrecursionlimit() - used - 60) == 1


def test_long_generated_file() -> None:
    assert len(parse_source("".join(f"x{i} = {i}\n" for i in range(50_000))).body) == 50_000


def test_warnings_of_the_parser_are_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert isinstance(parse_source("x = '\\d'\ny = 1 is 1\n"), ast.Module)


def test_lone_surrogates_from_an_editor() -> None:
    with pytest.raises(SourceProblem):
        parse_source("x = '\ud800'\n")


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(SourceProblem, match="no such file"):
        read_source(tmp_path / "none.py")
    with pytest.raises(SourceProblem, match="cannot be read"):
        read_source(tmp_path)
    with pytest.raises(SourceProblem, match="cannot be read"):
        read_source(tmp_path / "a\0b.py")
