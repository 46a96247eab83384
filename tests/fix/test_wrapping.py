"""Long lines of fixes are wrapped as formatters do, at the line length of the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.fix.wrapping import line_length, wrapped

LONG = {
    "arguments": (
        "x = torch.where(condition, first_of_them, second)\n",
        "x = torch.where(\n    condition, first_of_them, second\n)\n",
    ),
    "one a line": (
        "x = torch.where(condition_of_it, first_of_them, second_of_them)\n",
        "x = torch.where(\n    condition_of_it,\n    first_of_them,\n    second_of_them,\n)\n",
    ),
    "operators in a single argument": (
        "f((condition_of_it and first_of_them and second_of_them))\n",
        "f(\n    (\n        condition_of_it\n        and first_of_them\n        and second_of_them\n    )\n)\n",
    ),
    "parameters of a lambda": (
        "x = cond(condition_of_it, lambda a, b: first_of_them, (a, b))\n",
        "x = cond(\n    condition_of_it,\n    lambda a, b: first_of_them,\n    (a, b),\n)\n",
    ),
    "a method of the result": (
        "x = torch.where(condition, first_of_them, second).sum()\n",
        "x = torch.where(\n    condition, first_of_them, second\n).sum()\n",
    ),
    "both values of a condition": (
        "for x in (first_of_them if condition else second_of(first_of_them)):\n    pass\n",
        "for x in (\n    first_of_them\n    if condition\n    else second_of(first_of_them)\n):\n    pass\n",
    ),
    "a decorator": (
        '@torch.library.custom_op("space::name", mutates_args=())\ndef f():\n    pass\n',
        '@torch.library.custom_op(\n    "space::name", mutates_args=()\n)\ndef f():\n    pass\n',
    ),
    "head of a branch": (
        "if check_all_of(condition, first_of_them, second):\n    pass\n",
        "if check_all_of(\n    condition, first_of_them, second\n):\n    pass\n",
    ),
    "operators in the head of a branch": (
        "if condition_of_it and not first_of_them and f(second):\n    pass\n",
        "if (\n    condition_of_it\n    and not first_of_them\n    and f(second)\n):\n    pass\n",
    ),
    "operators of a value": (
        "x = f(condition_of_it) - g(first_of_them) * 2\n",
        "x = f(condition_of_it) - g(\n    first_of_them\n) * 2\n",
    ),
    "operators without a bracket that helps": (
        "x = f(condition_of_it_all) - g(first_of_them, a)[0] + h(a)\n",
        "x = (\n    f(condition_of_it_all)\n    - g(first_of_them, a)[0]\n    + h(a)\n)\n",
    ),
    "parts of a string": (
        "log('the first of the parts ' 'and the second of them')\n",
        "log(\n    'the first of the parts '\n    'and the second of them'\n)\n",
    ),
    "a comprehension": (
        "x = total(first_of_them for each_of_them in condition)\n",
        "x = total(\n    first_of_them for each_of_them in condition\n)\n",
    ),
}


@pytest.mark.parametrize("name", LONG)
def test_long_line_is_wrapped(name: str) -> None:
    before, after = LONG[name]
    assert wrapped("", before, 40) == after
    assert wrapped("", after, 40) == after
    assert wrapped(before, before, 40) == before, "lines that were there stay"


def test_pieces_of_other_places_are_indented() -> None:
    new = "if x:\n    y = f(a).view(\n                size_of_it\n            ).add_(b)\n"
    assert wrapped("", new, 40) == "if x:\n    y = f(a).view(size_of_it).add_(b)\n"
    old = "x = f(\n        a\n    ).sum()\n"
    assert wrapped(old, old.replace("x = ", "y = "), 40) == "y = f(a).sum()\n"
    assert wrapped(old, old + "y = 1\n", 40) == old + "y = 1\n"
    good = "if x:\n    y = f(\n        a,\n        g(\n            b\n        ),\n    )\n"
    assert wrapped("", good, 40) == good


def test_statement_that_only_moved_stays() -> None:
    old = "if x:\n    log(first_of_them_all, second_of_them_all)\n"
    new = "if x:\n    if y:\n        log(first_of_them_all, second_of_them_all)\n"
    assert wrapped(old, new, 48) == new


def test_moved_statement_takes_its_indents_along() -> None:
    old = "if x:\n    y = f(\n        a,\n        b + 1,  # why\n    ).sum()\n"
    new = "y = f(\n        a,\n        b + 1,  # why\n    ).sum()\n"
    assert wrapped(old, new, 40) == "y = f(\n    a,\n    b + 1,  # why\n).sum()\n"
    deeper = f"if x:\n    if y:\n        {new}".rstrip() + "\n"
    moved = "if x:\n    if y:\n        y = f(\n            a,\n            b + 1,  # why\n        ).sum()\n"
    assert wrapped(old, deeper, 40) == moved


@pytest.mark.parametrize(
    "text",
    [
        "x = f(first_of_them_all, second_of_them_all)  # why\n",
        "x = 'a long text that is on a line of its own'\n",
        "a = f(first_of_them_all); b = second_of_them_all\n",
        "x = f(first_of_them_all, (\n",
    ],
)
def test_what_cannot_be_wrapped_stays(text: str) -> None:
    assert wrapped("", text, 40) == text


@pytest.mark.parametrize(
    ("name", "settings", "length"),
    [
        ("pyproject.toml", "[tool.black]\nline-length = 100\n", 100),
        ("pyproject.toml", "[tool.ruff]\nline-length=79\n", 79),
        ("setup.cfg", "[flake8]\nmax-line-length = 110\n", 110),
        ("pyproject.toml", "[project]\n", 95),
    ],
)
def test_line_length_is_that_of_the_project(name: str, settings: str, length: int, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / name).write_text(settings)
    folder = tmp_path / "package"
    folder.mkdir()
    text = f"x = '{'a' * 89}'\n# {'comment ' * 14}\n"
    assert line_length(str(folder / "a.py"), text) == length
