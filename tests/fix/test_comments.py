"""A comment inside an expression outlives its fix, or there is no fix."""

from __future__ import annotations

import difflib
import io
import tokenize
from pathlib import Path

import pytest

from gblint.rules import FixExample
from tests.rules.test_fixes import CASES, fixed


def commented(example: FixExample) -> str | None:
    """Return the source with a comment in the first bracket of the lines that the fix changes; None without one."""
    lines = example.before.splitlines(keepends=True)
    matcher = difflib.SequenceMatcher(None, lines, example.after.splitlines(keepends=True), autojunk=False)
    changed = {i for tag, start, end, _, _ in matcher.get_opcodes() if tag != "equal" for i in range(start, end)}
    for token in tokenize.generate_tokens(io.StringIO(example.before).readline):
        row, column = token.end
        if token.type == tokenize.OP and token.string in "([{" and row - 1 in changed:
            line = lines[row - 1]
            lines[row - 1] = f"{line[:column]}  # kept\n        {line[column:]}"
            return "".join(lines)
    return None


def one_of_each() -> list[str]:
    """Return the names of one example of each fix; a fix that takes a statement away takes its comments along."""
    first = {(rule.code, example.choice or rule.fix_names[0]): name for name, (rule, example) in CASES.items()}
    return [name for (_, fix), name in first.items() if fix not in ("remove-statement", "remove-empty-return")]


@pytest.mark.parametrize("name", one_of_each())
def test_a_comment_in_brackets_is_kept(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rule, example = CASES[name]
    source = commented(example)
    if source is not None:
        result = fixed(source, rule, example, tmp_path)
        assert "# kept" in result or result == source


def test_a_statement_that_is_removed_takes_its_comment_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = next(each for each, (rule, example) in CASES.items() if example.choice == "remove-statement")
    rule, example = CASES[name]
    source = commented(example)
    assert source is not None
    assert "# kept" not in fixed(source, rule, example, tmp_path)
