"""The bounds of the analysis: each is in the docs with its value, and nothing is skipped in silence."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

import gblint
from gblint.config.settings import Config
from gblint.interp import Entry, tracer
from gblint.interp.state import budget
from gblint.pipeline import work_units
from gblint.pipeline.lint import LintRequest, lint
from gblint.runtime.mypyc import is_compiled

ROOT = Path(gblint.__file__).parent
PAGE = ROOT.parent / "docs" / "how-it-works.md"
BOUND = re.compile(r"_?(MAX|MOST|TOO_MANY|MANY|MIN)_[A-Z_]+")


def defined() -> dict[str, set[int]]:
    """Return the bounds in the source of the analysis, with their values."""
    found: dict[str, set[int]] = {}
    for folder in ("interp", "values", "entrypoints", "fix"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
                if isinstance(target, ast.Name) and BOUND.fullmatch(target.id):
                    assert isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None
                    if any(isinstance(each, ast.Name) for each in ast.walk(node.value)):
                        continue  # it follows from another bound
                    value = eval(compile(ast.Expression(node.value), str(path), "eval"), {})
                    found.setdefault(target.id, set()).add(value)
    return found


def listed() -> dict[str, set[int]]:
    """Return the bounds in the tables of the docs, with their values."""
    found: dict[str, set[int]] = {}
    for row in re.findall(
        r"^\| (`_?(?:MAX|MOST|TOO_MANY|MANY|MIN)_.*) \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    ):
        names = BOUND.finditer(row[0].partition(":")[0])
        values = re.findall(r"\d[\d,]*", row[1])
        for name, value in zip(names, values):
            found.setdefault(name[0], set()).add(int(value.replace(",", "")))
    return found


@pytest.mark.skipif(not PAGE.is_file(), reason="needs the docs")
def test_each_bound_is_in_the_docs() -> None:
    source, docs = defined(), listed()
    docs["MAX_LIBRARY_STEPS"] = {3_000}
    # They bound a drawing and the runs of --verify, and decide whether the work is divided.
    others = {"MOST_PARTS", "_MAX_KINDS", "MAX_FILES_IN_ONE_RUN"}
    assert set(source) - others == set(docs)
    assert {name: values for name, values in source.items() if name in docs and not docs[name] <= values} == {}


def _linted(source: str, folder: Path) -> tuple[list[int], list[str]]:
    (folder / "net.py").write_text(source)
    outcome = lint(LintRequest((folder,)), Config(root=folder))
    return [each.span.line for each in outcome.report.findings], [each.message for each in outcome.warnings]


def test_calls_inside_each_other(tmp_path: Path) -> None:
    """The report names a chain of more calls than are followed; a shorter one is followed to its end."""
    for length, found, told in ((60, 1, 0), (100, 0, 1)):
        chain = "".join(f"def g{n}(x):\n    return g{n + 1}(x)\n" for n in range(length))
        program = f"import torch\n{chain}def g{length}(x):\n    return x.item()\ntorch.compile(g0)(torch.ones(()))\n"
        findings, warnings = _linted(program, tmp_path)
        assert (len(findings), len(warnings)) == (found, told)
        assert all("more than 70 calls are inside each other" in warning for warning in warnings)


LOOPS = "".join(f"{'    ' * (n + 1)}for i{n} in range(x.shape[0]):\n" for n in range(12))


@pytest.mark.parametrize(
    "body",
    [
        "    many = []\n    for i in range(100):\n        many.append(i)\n    if len(many) == 100:\n        x.item()\n",
        "    text = 'a' * 5000\n    if len(text) == 5000:\n        x.item()\n",
        "    number = 1 << 200\n    if number > 3:\n        x.item()\n",
        "    for i in range(50):\n        if i == 49:\n            x.item()\n",
        "    numbers = [i for i in range(50)]\n    if numbers[49] == 49:\n        x.item()\n",
        "    i = 0\n    while i < 300:\n        i += 1\n    if i == 300:\n        x.item()\n",
        "    deep = [[[[[[[[[[1]]]]]]]]]]\n    if deep[0][0][0][0][0][0][0][0][0][0] == 1:\n        x.item()\n",
        f"{LOOPS}{'    ' * 13}x.item()\n",
        f"    table = {{{str(dict.fromkeys(range(3000), 1))[1:-1]}}}\n    if table[2999]:\n        x.item()\n",
    ],
    ids=["growth", "text", "bits", "unrolled", "comprehension", "while", "depth", "loops", "table"],
)
def test_beyond_the_bounds_of_values_nothing_is_skipped(body: str, tmp_path: Path) -> None:
    program = f"import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n{body}    return x\n"
    line = program[: program.index("x.item()")].count("\n") + 1
    assert _linted(program, tmp_path) == ([line], [])


def _many_entry_points(count: int) -> str:
    sums = " + ".join(["x"] * 40)
    functions = "".join(f"@torch.compile\ndef f{n}(x):\n    {sums}\n    return g(x)\n\n\n" for n in range(count))
    return f"import torch\n\n\n{functions}def g(x):\n    return x.item()\n"


@pytest.mark.skipif(is_compiled(), reason="replaces constants")
@pytest.mark.parametrize("requested", [False, True])
def test_the_entry_points_of_a_file_share_a_budget(
    requested: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "MAX_STEPS", 1_000)
    monkeypatch.setattr(budget, "MIN_ENTRY_STEPS", 10)
    (tmp_path / "a.py").write_text(_many_entry_points(40))
    (tmp_path / "b.py").write_text(_many_entry_points(3))
    names = tuple(f"{module}:f{n}" for module, count in (("a", 40), ("b", 3)) for n in range(count))
    outcome = lint(LintRequest((tmp_path,), entries=names if requested else ()), Config(root=tmp_path))
    assert len(outcome.report.entries) == 43
    cut = [each.message for each in outcome.warnings if Path(each.path).name == "a.py"]
    assert cut == [
        f"`a:f{n}` was not analysed completely: the entry points of its file take together more than 1,000 steps"
        for n in range(40 - len(cut), 40)
    ]
    assert 10 < len(cut) < 30  # the first are analysed, and all of the other file
    assert len(outcome.warnings) == len(cut)


@pytest.mark.skipif(is_compiled(), reason="replaces constants")
def test_a_large_container_counts_as_many_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "MAX_STEPS", 1_000)
    head, end = "import torch\n\n\n@torch.compile\ndef f(x, *t):\n    t = [1]\n", "    return x.item()\n"
    for line, told in (("    t = [t]\n", 0), ("    t = [t, t]\n", 1), ("    t = [*t, *t]\n", 1), ("    t = [*t]\n", 0)):
        _, warnings = _linted(head + line * 12 + end, tmp_path)
        assert len(warnings) == told
        assert all("it takes more than 1,000 steps" in each for each in warnings)


def test_neighbours_from_one_file_are_one_unit() -> None:
    def entry(path: str) -> Entry:
        return cast(Entry, SimpleNamespace(point=SimpleNamespace(path=path)))

    entries = [entry("a")] * 40 + [entry("b")] * 3 + [entry(str(n)) for n in range(20)]
    assert work_units._entry_ranges(entries) == [range(40), range(40, 56), range(56, 63)]
    assert not work_units.is_divided(entries[:40])
    assert work_units.is_divided(entries)
    assert work_units._entry_ranges([]) == []


SECOND_CALL = """
import torch


class State:
    def __init__(self):
        self.last = None


state = State()


@torch.compile
def f(x: torch.Tensor):
    if state.last is not None:
        print("again")
    state.last = x
    return x + 1
"""


@pytest.mark.skipif(is_compiled(), reason="replaces constants")
def test_a_second_call_is_followed_after_a_short_first_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _linted(SECOND_CALL, tmp_path) == ([16], [])
    monkeypatch.setattr(tracer, "MAX_STEPS_TO_CALL_AGAIN", 1)
    found, (warning,) = _linted(f"{SECOND_CALL}\n", tmp_path)
    assert found == []
    assert warning.endswith("was not analysed completely: a second call is not followed after 1 steps in the first")


def test_a_large_project_has_more_steps() -> None:
    most = [budget.StepBudget(files).most for files in (0, 1, 100, 10_000)]
    assert most == [300_000, 305_000, 800_000, 1_500_000]


NOT_REACHED = """\
import abc
import torch

class Special:
    pass

class Model(abc.ABC):
    @abc.abstractmethod
    def __call__(self, x):
        raise NotImplementedError

    @abc.abstractmethod
    def setup(self):
        \"\"\"Called by subclasses.\"\"\"

class Half(Model):
    def setup(self):
        super().setup()

    def __call__(self, x):
        self.setup()
        return x

@torch.compile
def raises(x, special):
    if isinstance(special, torch.Tensor):
        raise TypeError("no tensor")
    y = x + 1
    return y.item()

class Open(abc.ABC):
    @abc.abstractmethod
    def __call__(self, x):
        raise NotImplementedError

@torch.compile
def abstract(model: Open, x):
    return model(x)

@torch.compile
def implemented(model: Model, x):
    return model(x)

@torch.compile
def concrete(model: Half, x):
    return model(x)

@torch.compile
def only_raises(x):
    raise NotImplementedError
"""


def test_code_that_the_assumed_arguments_do_not_reach(tmp_path: Path) -> None:
    _, warnings = _linted(NOT_REACHED, tmp_path)
    file = tmp_path / "net.py"
    assert [each.partition(" was not analysed completely: ")[::2] for each in warnings] == [
        (
            "`net:raises`",
            f"every path through it ends in an exception, with the arguments that are assumed ({file}:25)",
        ),
        ("`net:abstract`", f"`Open.__call__` is abstract, and no class that implements it is known ({file}:38)"),
    ]
