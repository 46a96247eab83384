"""Tests of the titles of quick fixes."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import gblint
from gblint.editors.server.actions import MAX_TITLE, shortened

RECIPES = Path(gblint.__file__).parent / "fix"


@pytest.mark.parametrize(
    ("title", "room", "expected"),
    [
        ("remove it", 43, "remove it"),
        ("always run the branch, and keep the old values if it was", 43, "always run the branch"),
        (
            "skip the statement in compiled runs with `torch.compiler.is_compiling()`",
            43,
            "skip the statement in compiled runs",
        ),
        ("say it in one part: then in another, and in a third", 30, "say it in one part"),
        ("words without any mark between them at all", 30, "words without any mark ..."),
        ("x" * 20, 20, "x" * 20),
    ],
)
def test_titles_are_shortened_between_clauses(title: str, room: int, expected: str) -> None:
    assert shortened(title, room) == expected
    assert len(expected) <= room


def test_titles_of_the_recipes_lose_no_word_of_their_first_clause() -> None:
    titles = [text for path in RECIPES.rglob("*.py") for text in _titles(ast.parse(path.read_text("utf-8")))]
    room = MAX_TITLE - len("GBL101: ") - len(" (unsafe)")
    assert len(titles) > 40
    assert [title for title in titles if shortened(title, room).endswith("...")] == []


def _titles(tree: ast.Module) -> list[str]:
    """Return the literal titles: first arguments of rewrites, and strings assigned to a name for titles."""
    found = []
    for node in ast.walk(tree):
        value = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            value = node.args[0] if node.func.id in ("Rewrite", "TextRewrite") else None
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            value = node.value if node.targets[0].id in ("title", "_TITLE") else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            found.append(value.value)
    return found
