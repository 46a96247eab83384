from __future__ import annotations

from pathlib import Path

import pytest

from gblint.filters.noqa import can_silence, comments, unknown_codes
from gblint.filters.per_file_ignores import PerFileIgnores


def silenced(text: str, code: str, first: int, last: int | None = None) -> bool:
    return any(comment.silences(code, first, last or first) for comment in comments(text))


@pytest.mark.parametrize(
    ("comment", "silent"),
    [
        ("# noqa", True),
        ("#noqa", True),
        ("# NOQA", True),
        ("# NoQA : x", True),
        ("# noqa: GBL101", True),
        ("# noqa:gbl101", True),
        ("# noqa: E501, GBL101", True),
        ("# noqa: E501 GBL1", True),
        ("# noqa: GBL", True),
        ("# noqa: GBL102", False),
        ("# noqa: E501", False),
        ("# type: ignore # noqa: GBL101", True),
        ("# noqa: because it is slow", True),
        ("# nothing", False),
    ],
)
def test_comment(comment: str, silent: bool) -> None:
    assert silenced(f"a = 1\nb = x.item()  {comment}\n", "GBL101", 2) is silent
    assert not silenced(f"a = 1\nb = x.item()  {comment}\n", "GBL101", 1)


def test_a_string_is_no_comment() -> None:
    assert not silenced('b = "# noqa"\n', "GBL101", 1)


def test_a_comment_speaks_for_its_logical_line() -> None:
    text = "y = f(\n    x.item(),\n    2,  # noqa: GBL101\n)\nz = x.item()\n"
    assert silenced(text, "GBL101", 2)
    assert silenced(text, "GBL101", 1, 4)
    assert not silenced(text, "GBL101", 5)


def test_a_header_is_a_line_of_its_own() -> None:
    text = "if x.any():  # noqa\n    y = x.item()\n"
    assert silenced(text, "GBL201", 1)
    assert not silenced(text, "GBL101", 2)


@pytest.mark.parametrize(
    ("comment", "codes"),
    [
        ("# gblint: noqa", {"GBL101", "GBL201"}),
        ("# flake8: noqa", {"GBL101", "GBL201"}),
        ("# gblint: noqa: GBL1", {"GBL101"}),
        ("# flake8: noqa: GBL101, E501", {"GBL101"}),
    ],
)
def test_a_whole_file(comment: str, codes: set[str]) -> None:
    text = f"import torch\n{comment}\ny = 1\n"
    assert {code for code in ("GBL101", "GBL201") if silenced(text, code, 3)} == codes


def test_a_file_that_does_not_tokenize_is_read_line_by_line() -> None:
    assert silenced("x = (\ny = 1  # noqa\n", "GBL101", 2)


def test_unknown_codes() -> None:
    text = "a = 1  # noqa: GBL999, E501\nb = 1  # noqa: GBL1\n"
    assert unknown_codes(comments(text), ["GBL101"]) == [(1, "GBL999")]


def test_per_file_ignores(tmp_path: Path) -> None:
    ignores = PerFileIgnores([("tests/*", ("GBL1",)), ("*_pb2.py", ("GBL",)), ("a/**/b.py", ("GBL2",))], tmp_path)

    def silences(code: str, path: str) -> bool:
        return ignores.silences(code, str(tmp_path / path))

    assert silences("GBL101", "tests/test_a.py")
    assert not silences("GBL201", "tests/test_a.py")
    assert not silences("GBL101", "src/test_a.py")
    assert silences("GBL901", "deep/down/x_pb2.py")
    assert silences("GBL201", "a/x/y/b.py")


@pytest.mark.parametrize(
    "text",
    [
        "x = 1  # noqa\n",
        "x = 1  # noqa: because\n",
        "x = 1  # noqa:\nE501x = 2\n",
        "x = 1  # NOQA: e501, gbl101\n",
        "x = 1  # noqa: E501 # noqa\n",
        "# flake8: noqa\n",
        "# gblint: noqa: GBL1\n",
        "x = (1,  # noqa: F401 GBL\n 2)\n",
        "x = 1  # noqa : GBL101\n",
    ],
)
def test_a_comment_that_may_be_for_us_is_seen(text: str) -> None:
    suppresses = any(not found.codes or any(code.startswith("GBL") for code in found.codes) for found in comments(text))
    assert can_silence(text) >= suppresses


def test_comments_for_others_are_passed_over() -> None:
    assert not can_silence("x = 1  # noqa: E501\ny = 2  # noqa: F401, B008\n# flake8: noqa: E501\n")
    assert not can_silence("nothing of the kind\n")
