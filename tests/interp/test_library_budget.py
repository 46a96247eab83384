"""Calls of library code unrelated to torch, outside of the compiled region."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.entrypoints import module_scan
from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter, trace
from gblint.interp.state import budget
from gblint.interp.state.interpreter import Interpreter
from gblint.knowledge.catalog import load
from gblint.project.environment import Environment
from gblint.project.project import Project

MANY = range(400)
# Functions that are called one after another: more than the budget of a library call allows.
PARTS = "".join(f"def part_{n}(x):\n    return [x + 1, x + 2, x + 3, x + 4]\n" for n in MANY)
CALLS = "".join(f"    part_{n}(1)\n" for n in MANY)
LIBRARY = f"{PARTS}def soon():\n    return False\ndef late():\n{CALLS}    return False\ndef back(f):\n    return f()\n"
MAIN = f"""\
import torch
import tool

SOON, LATE = tool.soon(), tool.late()

@torch.compile
def f(x):
    if SOON:
        x.item()
    if BACK:
        x.item()
    if LATE:
        x.item()
    return x

{PARTS}
def own():
{CALLS}    return False

BACK = tool.back(own)
"""


def started(folder: Path, library: str, main: str) -> Interpreter:
    """Run the interpreter on a project that uses an installed library."""
    for name, text in {"site/tool.py": library, "project/main.py": main}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    environment = Environment(None, (3, 12), (folder / "site",))
    root = folder / "project"
    return new_interpreter(Project([root], root=root, environment=environment), load("2.13"), {})


def test_library_calls_have_a_budget_and_project_code_has_none(tmp_path: Path) -> None:
    m = started(tmp_path, LIBRARY, MAIN)
    lines = [reached.event.span.line for reached in trace(m, find_entries(m, []).entries)]
    assert lines == [13]


def test_a_long_call_of_a_torch_library_does_not_use_up_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search goes on after a call of a library that uses torch and takes long to evaluate."""
    monkeypatch.setattr(module_scan, "MAX_SEARCH_FUNCTION_STEPS", 10_000)
    monkeypatch.setattr(budget, "MAX_SEARCH_CALL_STEPS", 1_000)
    net = "class Net(torch.nn.Module):\n    def forward(self, x):\n        return x\n"
    main = f"import torch\nimport tool\n{net}def main():\n    tool.late()\n    torch.compile(Net())\n"
    interp = started(tmp_path, f"import torch\n{LIBRARY}", main)
    assert [each.point.name for each in find_entries(interp, assume="never").entries] == ["main:Net"]


def test_a_constructor_of_a_torch_library_is_run_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An object of a library has all its attributes, however long its constructor takes."""
    monkeypatch.setattr(budget, "MAX_SEARCH_CALL_STEPS", 100)
    calls = CALLS.replace("    ", "        ")
    base = "class Base(torch.nn.Module):\n    def __init__(self):\n        self.late = True\n"
    net = f"class Net(Base):\n    def __init__(self):\n{calls}        super().__init__()\n"
    library = f"{PARTS}{base}{net}    def forward(self, x):\n        return x\n"
    main = "import torch\nimport tool\ndef main():\n    net = tool.Net()\n"
    main += "    if getattr(net, 'late', False) is not True:\n        torch.compile(net)\n"
    interp = started(tmp_path, f"import torch\n{library}", main)
    assert find_entries(interp, assume="never").entries == []


DEEP = f"""\
import time

{PARTS}
def last(x):
    time.sleep(1)
    return x

def far(x):
{CALLS}    return last(x)

def near(x):
    time.monotonic()
{CALLS.replace("(1)", "(2)")}    return last(x)
"""
REGION = """\
import torch
import tool

@torch.compile
def f(x):
    return tool.far(x)

@torch.compile
def g(x):
    return tool.near(x)
"""


def test_breaks_of_a_long_call_are_reported_up_to_the_limit(tmp_path: Path) -> None:
    for name, text in {"site/tool.py": DEEP, "project/main.py": REGION}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    environment = Environment(None, (3, 12), (tmp_path / "site",))
    root = tmp_path / "project"
    m = new_interpreter(Project([root], root=root, environment=environment), load("2.13"), {})
    found = [(reached.span.line, reached.event.subject) for reached in trace(m, find_entries(m, []).entries)]
    # The first break is found at any distance; after it, further breaks of the call are searched up to a limit.
    assert found == [(6, "time.sleep"), (10, "time.monotonic")]


VAIN = f"""\
{PARTS}
def read(word):
{CALLS}    return [word]
"""
READERS = """\
import torch
import tool

READ = [tool.read("a"), tool.read("b"), tool.read("c"), tool.read("d")]

@torch.compile
def f(x):
    if READ[3] == "d":
        x.item()
    return x
"""


def test_calls_without_a_result_are_not_repeated(tmp_path: Path) -> None:
    m = started(tmp_path, VAIN, READERS)
    assert [reached.event.span.line for reached in trace(m, find_entries(m, []).entries)] == [9]
    assert sum(summary.function == "read" for summary in m.caches.summaries.values()) == 2


LOOKUPS = f"""\
{PARTS}
class Tree:
    def __getattr__(self, name):
    {CALLS.replace(chr(10), chr(10) + "    ")}
        return [name]

TREE = Tree()
"""
BRANCHES = """\
import torch
import tool

READ = [tool.TREE.a, tool.TREE.b, tool.TREE.c, tool.TREE.d]

@torch.compile
def f(x):
    if READ[3] == "d":
        x.item()
    return x
"""


def test_lookups_without_a_result_are_not_repeated(tmp_path: Path) -> None:
    m = started(tmp_path, LOOKUPS, BRANCHES)
    assert [reached.event.span.line for reached in trace(m, find_entries(m, []).entries)] == [9]
    assert sum(summary.function == "Tree.__getattr__" for summary in m.caches.summaries.values()) == 2


LONG = "# what is in this file is long\n" * 12_000
OPENS = """\
import torch
import tool

IS_OLD = tool.is_old()

@torch.compile
def f(x):
    if IS_OLD:
        x.item()
    if tool.USES:
        x.item()
    if hasattr(torch, "__version__"):
        x.item()
    return x
"""


def test_long_files_without_torch_are_not_read(tmp_path: Path) -> None:
    # A call that would have to read more than one long file ends before it does so; an even longer file is not
    # opened to look up a name either.
    library = "import slow\nfrom slower import USES\ndef is_old():\n    return slow.OLD\n"
    m = started(tmp_path, library, OPENS)
    for name, text in {
        "slow": LONG[:200_000] + "\nfrom slow_too import OLD\n",
        "slow_too": LONG[:200_000] + "\nOLD = False\n",
        "slower": LONG + "USES = False\n",
    }.items():
        (tmp_path / "site" / f"{name}.py").write_text(text)
    lines = [reached.event.span.line for reached in trace(m, find_entries(m, []).entries)]
    assert lines == [9, 11, 13]
    modules = (m.project.find_module(name) for name in ("tool", "slow", "slow_too", "slower"))
    assert [module.name for module in modules if module is not None and module.is_parsed] == ["tool", "slow"]


TYPED = """\
import torch
from typing_extensions import Protocol, TypedDict, deprecated, override

class Named(Protocol):
    name: str

class Options(TypedDict):
    low: float

class Net(torch.nn.Module):
    @override
    def forward(self, x, options: Options):
        return self.old(x) if options["low"] else x

    @deprecated("use another")
    def old(self, x):
        return x.item()

torch.compile(Net())(torch.ones(1), {"low": 1.0})
"""


def test_the_names_of_typing_extensions_are_those_of_typing(tmp_path: Path) -> None:
    m = started(tmp_path, "", TYPED)
    extensions = tmp_path / "site" / "typing_extensions.py"
    extensions.write_text("Protocol = TypedDict = override = print\ndef deprecated(said):\n    return lambda f: f\n")
    lines = [reached.event.span.line for reached in trace(m, find_entries(m, []).entries)]
    assert lines == [17]


KINDS = 20
# Longer than the functions for which the bounds are higher.
TWICE = "def twice(number):\n" + "    number = number + 1 + 1 - 1 - 1\n" * 20 + "    return number * 2\n"


def test_a_function_of_a_library_keeps_fewer_kinds_of_arguments_apart(tmp_path: Path) -> None:
    found = {}
    for called in ("tool.twice", "twice"):
        calls = "".join(f"    last = {called}({n})\n" for n in range(KINDS))
        body = f"{calls}    if last != {2 * KINDS - 2}:\n        return x.item()\n    return x\n"
        main = f"import torch\nimport tool\n\n{TWICE}@torch.compile\ndef f(x):\n{body}"
        m = started(tmp_path / called, f"import torch\n{TWICE}", main)
        found[called] = len(trace(m, find_entries(m, []).entries))
    assert found == {"tool.twice": 1, "twice": 0}


KEYS = "".join(f'        read({{"a": {n}}}, ("a", "b"))\n' for n in range(20))
NESTED = f"""\
import torch

def read(data, key):
    if len(key) == 2:
        return data["a"]
    print(key)
    return None

def f(x):
    if x.shape[0]:
{KEYS}    return x
"""


def test_a_tuple_of_strings_keeps_its_length_for_many_kinds_of_arguments(tmp_path: Path) -> None:
    library = NESTED.replace("import torch\n", "import torch  # a library that mentions it\n")
    main = "import torch\nimport tool\n\n@torch.compile\ndef f(x):\n    return tool.f(x)\n"
    m = started(tmp_path, library, main)
    assert trace(m, find_entries(m, []).entries) == []
    assert sum(summary.function == "read" for summary in m.caches.summaries.values()) > 12


BOX = f"""\
import torch
def last(x):
    x.item()
{PARTS}
class Box:
    def __init__(self, x):
{CALLS.replace("    ", "        ")}        self.late = True

    def __setitem__(self, key, value):
        pass

    def read(self, x):
{CALLS.replace("    ", "        ").replace("(1)", "(2)")}        last(x)
        return x
"""
READS = """\
import torch
import tool

@torch.compile
def f(x):
    box = tool.Box(x)
    box.read(x)
    if box.late:
        x.item()
    return x
"""


@pytest.mark.parametrize(("most", "lines"), [(budget.MAX_CONTAINER_STEPS, [3, 9]), (1_000, [9])])
def test_a_method_of_a_container_has_a_budget_in_the_region(
    most: int, lines: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The code after a long call of a library's method is followed; its constructor is run to its end."""
    monkeypatch.setattr(budget, "MAX_CONTAINER_STEPS", most)
    interp = started(tmp_path, BOX, READS)
    reached = trace(interp, find_entries(interp, []).entries)
    assert sorted(each.event.span.line for each in reached) == lines
