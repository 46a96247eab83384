"""A fixed text is checked before it is written, and a recipe that raises an exception loses only its own fix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gblint.fix import propose
from gblint.fix.context import FixContext, TextRewrite
from gblint.fix.text_checks import problem_of

OLD = "import torch\n\n\ndef f(x):\n    count = 0\n    while x.sum() > 1:\n        count += 1\n    return x\n"
SOURCE = (
    "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    print(x.sum())\n    return x.exp().sum().item()\n"
)
Write = Callable[..., Path]


@pytest.mark.parametrize(
    ("new", "problem"),
    [
        (OLD, None),
        ("def f(x):\n    return x\n", None),
        ("def f(x):\n    return y\n", "it leaves 'y' unbound"),
        ("def f(x):\n    def g():\n        count += 1\n    return g\n", "it leaves 'count' unbound"),
        ("def f(x):\n    y = y + 1\n    return y\n", "it leaves 'y' unbound"),
        ("def f(x):\n    for y in range(y):\n        pass\n", "it leaves 'y' unbound"),
        ("def f(x):\n    with x as y:\n        return y\n", None),
        ("def f(x):\n    return [y for y in x]\n", None),
        ("def f(x):\n    try:\n        pass\n    except ValueError as y:\n        return y\n", None),
        ("def f(x):\n    global y\n    y = 1\n\n\ndef g():\n    return y, len(x), __name__\n\n\nx = 1\n", None),
        ("class A:\n    y = 1\n\n    def f(self):\n        return y\n", "it leaves 'y' unbound"),
        ("from torch import *\n\n\ndef f(x):\n    return y\n", None),
        ("def f(x):\n    match x:\n        case [y, *z]:\n            return y, z\n", None),
        ("def f(x)\n", "it does not compile: expected ':' (<unknown>, line 1)"),
        ("def f(x):\n    return\n\n\nreturn 3\n", "it does not compile: 'return' outside function (<fixed>, line 5)"),
    ],
)
def test_texts(new: str, problem: str | None) -> None:
    assert problem_of(OLD, new) == problem


def test_what_was_unbound_before_may_stay() -> None:
    assert problem_of("def f():\n    return y\n", "def f():\n    return y + 1\n") is None


@pytest.fixture
def recipe(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """Replace the recipes for ``print``."""

    def use(made: Any) -> None:
        real = propose._load_recipe
        monkeypatch.setattr(
            propose, "_load_recipe", lambda name: made if name == "printing.print_in_graph" else real(name)
        )

    return use


def test_a_recipe_that_fails_costs_one_fix(project: Write, gblint: Any, recipe: Any) -> None:
    def fails(ctx: FixContext) -> None:
        raise IndexError("list index out of range")

    recipe(fails)
    root = project({"m.py": SOURCE})
    done = gblint("check", "--fix", "--unsafe-fixes")
    assert "internal error while tracing a fix for GBL401: IndexError" in done.err
    assert "print(x.sum())" in (root / "m.py").read_text()
    assert "capture_scalar_outputs" in (root / "m.py").read_text()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("log(x.sum())", "it leaves 'log' unbound"),
        ("return 3; def", "it does not compile"),
        ("x.sum().item()", "GBL101 is found"),
    ],
)
def test_a_fix_that_breaks_the_code_is_dropped(
    project: Write, gblint: Any, recipe: Any, monkeypatch: pytest.MonkeyPatch, line: str, problem: str
) -> None:
    def breaks(ctx: FixContext) -> TextRewrite:
        return TextRewrite("break it", "safe", [(*ctx.tree.bounds(ctx.node), line)])

    recipe(breaks)
    monkeypatch.setattr(propose, "_is_valid_python", lambda text: True)
    root = project({"m.py": SOURCE})
    done = gblint("check", "--fix")
    assert f"m.py:6: GBL401 is not fixed: after the fix, {problem}" in done.err
    assert "fixed 0 findings" in done.err
    assert "; 1 fix dropped" in done.err
    assert (root / "m.py").read_text() == SOURCE


@pytest.mark.parametrize(
    "body",
    [
        "    if x.max() > 1: pass\n",
        "    if x.max() > 1:\n        pass\n",
        "\x0c    print(x)\n",
        "  \x0c  x = x.sum().item() + x\n".replace("  \x0c  ", "\x0c    "),
        "    count = 0\n    while x.sum() > 1:\n        x = x / 2\n        count += 1\n    print(count)\n",
    ],
)
def test_code_that_recipes_failed_on(project: Write, gblint: Any, body: str) -> None:
    rest = "\x0c    return x\n" if body.startswith("\x0c") else "    return x\n"
    project({"m.py": f"import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n{body}{rest}"})
    done = gblint("check", "--diff", "--unsafe-fixes")
    assert "internal error" not in done.err
    assert "unbound" not in done.err


SHADOWED = {
    "a parameter": ("def f(x, math):\n    return x\n", "def f(x, math):\n    return math.prod(x)\n", "math"),
    "a variable": ("def f(x):\n    list = x\n", "def f(x):\n    list = list(x)\n", "list"),
    "around it": (
        "def f(sum):\n    def g(x):\n        return x\n",
        "def f(sum):\n    def g(x):\n        return sum(x)\n",
        "sum",
    ),
    "of the module": ("int = 3\n\n\ndef f(x):\n    return x\n", "int = 3\n\n\ndef f(x):\n    return int(x)\n", "int"),
    "of a lambda": ("f = lambda max: 3\n", "f = lambda max: max(3, 4)\n", "max"),
    "of a comprehension": ("f = [1 for max in x]\n", "f = [max(3, 4) for max in x]\n", "max"),
    "of a method": (
        "class A:\n    def f(self, math):\n        return 3\n",
        "class A:\n    def f(self, math):\n        return math.pi\n",
        "math",
    ),
    "of a class only": (
        "class A:\n    math = 3\n\n    def f(self):\n        return 3\n",
        "class A:\n    math = 3\n\n    def f(self):\n        return math.pi\n",
        None,
    ),
    "an import there": ("def f():\n    import math\n", "def f():\n    import math\n    math.pi\n", None),
    "as it was": ("def f(max):\n    max(3)\n", "def f(max):\n    return max(3)\n", None),
    "an own variable": ("def f(input):\n    return input\n", "def f(input):\n    return input + input\n", None),
}


@pytest.mark.parametrize("name", SHADOWED)
def test_name_that_means_something_else(name: str) -> None:
    old, new, hidden = SHADOWED[name]
    head = "import math\n\nx = []\n\n\n"
    problem = None if hidden is None else f"{hidden!r} is another variable there"
    found = problem_of(head + old, head + new)
    assert found == problem or (name == "a variable" and found is not None)


def test_finally_in_finally() -> None:
    """Python compiles a ``finally`` block twice, so that a deep one is not compiled."""
    for depth, problem in ((10, None), (11, "it is too deeply nested to compile")):
        text = "pass\n"
        for _ in range(depth):
            text = "try:\n    pass\nfinally:\n" + "".join(f"    {line}\n" for line in text.splitlines())
        assert problem_of("", text) == problem
