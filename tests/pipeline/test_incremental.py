"""After a change only the affected units are analysed again; the findings are those of a run without a cache."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from gblint.cache.store import Cache
from gblint.config.settings import Config
from gblint.interp import Interpreter
from gblint.pipeline import incremental, unit_runner, work_units
from gblint.pipeline.lint import LintRequest, LintResult, lint
from gblint.project import configurations
from gblint.report import json as as_json

NET = """import torch
from {other} import help_{other}
class N{name}(torch.nn.Module):
    def forward(self, x):
        return help_{other}(x)
"""
HELP = "def help_{name}(x):\n    return {what}\n"
WHATS = ("x.item()", "x.relu()", "print(x)", "helper(x)", "x + 1", "x.nonzero()", "torch.ops.own.op(x)")
# Code that changes the meaning of other files, or that is found in any file by a word.
EXTRAS = (
    "",
    "import torch\nmodel = torch.compile(help_{name})\nmodel(torch.ones(2))\nmodel(torch.ones(2, 2))\n",
    "import torch\ndef wrap(f):\n    return torch.compile(f, fullgraph=True)\n",
    "from a import wrap\nfast = wrap(help_{name})\n",
    "from a import *\n",
    "from b import helper\n",
    "def helper(x):\n    return x.tolist()\n",
    "__all__ = ['helper']\ndef helper(x):\n    return x\n",
    "import torch\ntorch._dynamo.config.suppress_errors = True\n",
    "import torch\n@torch.library.custom_op('own::op', mutates_args=())\n"
    "def op(x: torch.Tensor) -> torch.Tensor:\n    return x\n",
    "register_fake = op = 1\n",
    "from a import model as again\nagain(1)\n",
    "def broken(:\n",
    "x = 1  # noqa: GBL999\n",
    "class Base:\n    def forward(self, x):\n        return x.item()\n",
)
NAMES = "abcdef"


@pytest.fixture(autouse=True)
def _small_units(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_units, "FILES_PER_UNIT", 2)
    monkeypatch.setattr(work_units, "ENTRIES_PER_UNIT", 1)


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names of the units that were run, and `search` for each search."""
    seen: list[str] = []
    do, search = unit_runner.UnitRunner.do, incremental.find_entry_points

    def noted(self: unit_runner.UnitRunner, unit: work_units.WorkUnit, step: unit_runner.Step) -> work_units.UnitResult:
        seen.append(self.name_of(unit))
        return do(self, unit, step)

    def searched(*args: object) -> object:
        seen.append("search")
        return search(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(unit_runner.UnitRunner, "do", noted)
    monkeypatch.setattr(incremental, "find_entry_points", searched)
    yield seen


def write(path: Path, text: str) -> None:
    path.write_text(text)
    old = path.stat().st_mtime_ns - 100_000_000_000
    os.utime(path, ns=(old, old))


def text_of(chance: random.Random, name: str) -> str:
    parts = [HELP.format(name=name, what=chance.choice(WHATS))]
    if chance.random() < 0.4:
        parts.append(NET.format(name=name, other=chance.choice(NAMES)))
    parts.append(chance.choice(EXTRAS).format(name=name))
    chance.shuffle(parts)
    return "\n".join(parts)


def visible(outcome: LintResult) -> object:
    warnings = sorted((each.path, each.line, each.message) for each in outcome.warnings)
    reach = {point.name: files for point, files in outcome.reach.items()}
    return as_json.render(outcome.report, outcome.source), warnings, outcome.hidden, reach


@pytest.mark.parametrize("seed", range(6))
def test_random_changes(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    root = tmp_path / "project"
    root.mkdir()
    for name in NAMES:
        write(root / f"{name}.py", text_of(chance, name))
    config = Config(root).with_values(
        assume_entries=chance.choice(("auto", "auto", "always", "never")),
        entries=("a:help_a", "b:help_b", "c:help_c") if seed % 3 == 2 else (),
        extend_select=("GBL7",),
    )
    cache = Cache(tmp_path / "cache")
    for _ in range(14):
        for name in chance.sample(NAMES, chance.choice((1, 1, 1, 2))):
            write(root / f"{name}.py", text_of(chance, name))
        if chance.random() < 0.1:
            (root / "b.py").unlink(missing_ok=True)
        outcomes = [lint(LintRequest((root,)), config, cache=each) for each in (cache, None, cache)]
        assert visible(outcomes[0]) == visible(outcomes[1]) == visible(outcomes[2])


LAZY = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n{stars}else:\n    import sys\n"
ASKED = ("AbNet", "BNet", "CdNet", "Other", "ab")
USES = """import torch
from {package} import {name} as what
class User(torch.nn.Module):
    def forward(self, x):
        return what(x)
"""


@pytest.mark.parametrize("seed", range(4))
def test_random_changes_of_a_package_that_loads_its_modules_on_demand(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    root, models = tmp_path / "project", ("ab", "b", "cd", "e")
    stars = "".join(f"    from .{name} import *\n" for name in models)

    def model(name: str) -> str:
        given = chance.sample(ASKED, 2)
        made = "".join(f"def {each}(x):\n    return {chance.choice(WHATS)}\n" for each in given)
        return chance.choice((f"__all__ = {given}\n", "", f"__all__ = ['{name}_']\n")) + made

    def package(name: str) -> str:
        return chance.choice((LAZY.format(stars=f"    from .{name}_code import *\n"), f"from .{name}_code import *\n"))

    def user(_: str) -> str:
        return USES.format(package=chance.choice(("pkg", "pkg.models")), name=chance.choice(ASKED))

    kinds = {root / f"user_{number}.py": (user, "") for number in range(4)}
    for name in models:
        kinds[root / "pkg" / "models" / name / "__init__.py"] = (package, name)
        kinds[root / "pkg" / "models" / name / f"{name}_code.py"] = (model, name)
    for path, (make, name) in kinds.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, make(name))
    write(root / "pkg" / "__init__.py", LAZY.format(stars="    from .models import *\n"))
    write(root / "pkg" / "models" / "__init__.py", LAZY.format(stars=stars))
    config, cache = Config(root).with_values(assume_entries="always"), Cache(tmp_path / "cache")
    for _ in range(10):
        for path in chance.sample([*kinds], chance.choice((1, 1, 2))):
            make, name = kinds[path]
            write(path, make(name))
        outcomes = [lint(LintRequest((root,)), config, cache=each) for each in (cache, None, cache)]
        assert visible(outcomes[0]) == visible(outcomes[1]) == visible(outcomes[2])


def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    for name in "abcd":
        write(root / f"{name}.py", net(name))
    return root


def net(name: str, what: str = "x.item()", other: str = "") -> str:
    """A function, and a module that calls it, or the function of another file."""
    text = NET.format(name=name, other=other or name)
    return HELP.format(name=name, what=what) + (text if other else text.replace(f"from {name} import help_{name}", ""))


class NoHook:
    """A hook that does nothing."""

    key = "noted"

    def new_observer(self) -> None:
        return None

    def __call__(self, m: Interpreter, part: work_units.UnitResult) -> None:
        pass


def run(root: Path, tmp_path: Path, hook: work_units.UnitHook | None = None) -> list[str]:
    outcome = lint(LintRequest((root,)), Config(root=root), cache=Cache(tmp_path / "cache"), hook=hook)
    return [f"{Path(finding.span.path).name}:{finding.span.line}" for finding in outcome.report.findings]


def test_only_affected_units_are_run_again(tmp_path: Path, done: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_units, "FILES_PER_UNIT", 1)
    root = project(tmp_path)
    assert run(root, tmp_path) == ["a.py:2", "b.py:2", "c.py:2", "d.py:2"]
    assert done == ["search", *(f"files {n}-{n + 1} assumed" for n in range(4))]
    done.clear()
    write(root / "c.py", "\n" + net("c", other="a"))
    assert run(root, tmp_path) == ["a.py:2", "b.py:2", "d.py:2"]
    assert done == ["files 2-3 assumed"]
    done.clear()
    write(root / "a.py", net("a", "x"))
    assert run(root, tmp_path) == ["b.py:2", "d.py:2"]
    assert done == ["files 0-1 assumed", "files 2-3 assumed"]
    done.clear()
    assert run(root, tmp_path) == ["b.py:2", "d.py:2"]
    assert done == []


def test_a_change_that_mentions_compilation_repeats_the_search(tmp_path: Path, done: list[str]) -> None:
    root = project(tmp_path)
    run(root, tmp_path)
    done.clear()
    write(root / "d.py", "import torch\nfrom a import help_a\nfast = torch.compile(help_a)\n")
    assert run(root, tmp_path) == ["a.py:2"]
    assert done[0] == "search" and "entries" in done


def test_a_file_that_is_removed_or_cannot_be_read(tmp_path: Path) -> None:
    root = project(tmp_path)
    write(root / "c.py", net("c", other="a"))
    assert run(root, tmp_path) == ["a.py:2", "b.py:2", "d.py:2"]
    (root / "a.py").unlink()
    assert run(root, tmp_path) == ["b.py:2", "d.py:2"]
    write(root / "a.py", HELP.format(name="a", what="x.tolist()"))
    assert run(root, tmp_path) == ["a.py:2", "b.py:2", "d.py:2"]


def test_units_are_run_again_as_a_whole(tmp_path: Path, done: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_units, "_file_ranges", lambda context: iter([range(2), range(2, 4)]))
    root = project(tmp_path)
    for hook in (None, NoHook()):
        write(root / "c.py", net("c"))
        run(root, tmp_path, hook)
        assert done == ["search", "files 0-2 assumed", "files 2-4 assumed"]
        for lines in (1, 2):
            done.clear()
            write(root / "c.py", "\n" * lines + net("c"))
            assert run(root, tmp_path, hook) == ["a.py:2", "b.py:2", f"c.py:{lines + 2}", "d.py:2"]
            assert done == ["files 2-4 assumed"]
        done.clear()


SHARED = """\
class Cache:
    def __init__(self, size: int):
        self.seen = None
def fill(cache, x):
    cache.seen = x
def read(cache):
    return None if cache.seen is None else cache.seen.item()
"""
KEEPS = """\
import torch
from a import Cache, fill, read
class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor, cache: Cache):
        {what}
        return x
"""


def test_effects_between_files_of_a_unit_are_found_after_a_change(
    tmp_path: Path, done: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attributes of an input object depend on what another file of the same unit has stored."""
    root = tmp_path / "project"
    root.mkdir()
    texts = {"a": SHARED, "b": KEEPS.format(what="fill(cache, x)"), "c": KEEPS.format(what="read(cache)")}
    for name, text in texts.items():
        write(root / f"{name}.py", text)
    monkeypatch.setattr(work_units, "FILES_PER_UNIT", 1)
    alone = run(root, tmp_path)
    monkeypatch.setattr(work_units, "FILES_PER_UNIT", 1 << 32)
    together = lint(LintRequest((root,)), Config(root=root)).report.findings
    assert len(together) > len(alone)  # otherwise this tests nothing
    (tmp_path / "cache").rename(tmp_path / "old")
    assert run(root, tmp_path) == ["a.py:7"]
    write(root / "c.py", "\n" + texts["c"])
    assert run(root, tmp_path) == ["a.py:7"]


def test_more_configurations_than_are_read_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The warning comes from the search, whose result the second run takes from the cache."""
    monkeypatch.setattr(configurations, "MAX_FILES", 2)
    root, cache = tmp_path / "project", Cache(tmp_path / "cache")
    root.mkdir()
    call = "    torch.compile(instantiate(cfg.net))\n"
    write(root / "train.py", f"import torch\nfrom hydra.utils import instantiate\ndef main(cfg):\n{call}")
    for name, told in (("a", 0), ("b", 0), ("c", 1)):
        write(root / f"{name}.yaml", "net:\n  _target_: nets.Net\n")
        for _ in range(2):
            warnings = lint(LintRequest((root,)), Config(root), cache=cache).warnings
            assert sum("YAML files" in each.message for each in warnings) == told
