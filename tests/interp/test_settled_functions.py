"""Functions that the search for entry points does not evaluate for each kind of arguments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter
from gblint.interp.evaluator import function_calls
from gblint.interp.state.settled_functions import SETTLED_AFTER
from gblint.knowledge.catalog import load
from gblint.project.project import Project
from gblint.values.objects import Function

MANY = SETTLED_AFTER + 4
NETS = """\
import torch

class Box:
    def __init__(self, value):
        self.value, self.flag, self.model = value, False, None

class Net(torch.nn.Module):
    def forward(self, x):
        return x.sin()

class Other(torch.nn.Module):
    def forward(self, x):
        return x.cos()
"""


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Record the names of the functions that are evaluated."""
    names: list[str] = []
    original = function_calls._summarize

    def recorded(interp, function: Function, *arguments):  # type: ignore[no-untyped-def]
        names.append(function.name)
        return original(interp, function, *arguments)

    monkeypatch.setattr(function_calls, "_summarize", recorded)
    yield names


def entries(folder: Path, source: str) -> list[str]:
    """Return the names of the entry points of a project of one file."""
    (folder / "main.py").write_text(NETS + source)
    interp = new_interpreter(Project([folder], root=folder), load("2.13"), {})
    return [each.point.name for each in find_entries(interp, assume="never").entries]


def calls(text: str) -> str:
    """Return ``MANY`` lines of a function with the number of each."""
    return "".join(f"    {text.format(number)}\n" for number in range(MANY))


SETTLING = {
    "returns-nothing": "def helper(n):\n    n + 1\n",
    "changes-a-flag": "def helper(n):\n    box = BOX\n    box.flag = n > 3\n    return None\n",
}
OPEN = {
    "returns-a-number": "def helper(n):\n    return n + 1\n",
    "returns-an-object": "def helper(n):\n    return Box(n)\n",
    "stores-an-object": "def helper(n):\n    BOX.model = Net()\n",
    "adds-an-attribute": "def helper(n):\n    setattr(BOX, f'part_{n}', n)\n",
    "compiles": "def helper(n):\n    torch.compile(Net())\n    return n\n",
}


@pytest.mark.parametrize("helper", SETTLING.values(), ids=SETTLING)
def test_a_function_without_effect_is_settled(helper: str, tmp_path: Path, evaluated: list[str]) -> None:
    found = entries(tmp_path, f"BOX = Box(1)\n{helper}def main():\n{calls('helper({})')}    torch.compile(Net())\n")
    assert evaluated.count("helper") == SETTLED_AFTER
    assert found == ["main:Net"]


@pytest.mark.parametrize("helper", OPEN.values(), ids=OPEN)
def test_a_function_with_an_effect_is_evaluated_each_time(helper: str, tmp_path: Path, evaluated: list[str]) -> None:
    entries(tmp_path, f"BOX = Box(1)\n{helper}def main():\n{calls('helper({})')}    torch.compile(Net())\n")
    assert evaluated.count("helper") >= MANY


def test_a_call_that_passes_a_callable_is_evaluated(tmp_path: Path) -> None:
    """The callable may be what is compiled, however often the helper did nothing with others."""
    helper = "def helper(f, n):\n    if n > 100:\n        torch.compile(f)\n"
    main = f"def main():\n{calls('helper(None, {})')}    helper(Net().forward, 101)\n"
    assert entries(tmp_path, helper + main) == ["main:Net.forward"]


COMPILED = {
    "part": (
        "def helper(box, n, x):\n    box.model(x)\n",
        "box = Box({0}); box.model = Net(); helper(box, {0}, 1)",
        "box = Box(0); box.model = torch.compile(Other()); helper(box, 50, X)",
    ),
    "in-place": (
        "def helper(net, n, x):\n    net(x)\n",
        "helper(Net(), {}, 1)",
        "net = Other(); net.compile(); helper(net, 50, X)",
    ),
}


@pytest.mark.parametrize(("helper", "plain", "last"), COMPILED.values(), ids=COMPILED)
def test_a_call_with_a_compiled_object_is_evaluated(helper: str, plain: str, last: str, tmp_path: Path) -> None:
    """A call of a compiled object tells its arguments, also in a function that has called others before."""
    main = f"X = torch.ones(2)\n{helper}def main():\n{calls(plain)}    {last}\n"
    (tmp_path / "main.py").write_text(NETS + main)
    interp = new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {})
    find_entries(interp, assume="never")
    assert [len(each.sites) for each in interp.compilation.objects] == [1]


def test_a_wrapper_is_evaluated_for_each_function(tmp_path: Path) -> None:
    """The inner function of a decorator is one piece of source, and calls another function each time."""
    wrapper = "def wrap(f):\n    def inner(n):\n        f(n)\n    return inner\n"
    plain = "".join(f"def plain_{n}(n):\n    pass\n" for n in range(MANY))
    last = "def last(n):\n    torch.compile(Net())\n"
    used = "".join(f"    wrap(plain_{n})({n})\n" for n in range(MANY))
    main = f"def main():\n{used}    wrap(last)(1)\n"
    assert entries(tmp_path, wrapper + plain + last + main) == ["main:Net"]


@pytest.mark.parametrize(
    ("returned", "condition", "found"),
    [
        ("n", "helper(1000) == 1000", ["main:Net"]),
        ("n", "helper(1000) == 1", []),
        ("None", "helper(1000) is not None", []),
    ],
)
def test_the_result_of_a_later_call_is_its_own(returned: str, condition: str, found: list[str], tmp_path: Path) -> None:
    helper = f"def helper(n):\n    return {returned}\n"
    main = f"def main():\n{calls('helper({})')}    if {condition}:\n        torch.compile(Net())\n"
    assert entries(tmp_path, helper + main) == found
