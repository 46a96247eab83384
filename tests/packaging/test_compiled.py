"""Source rewritten for the compiled build behaves the same; here as plain Python, without the compiler."""

from __future__ import annotations

import ast
import copy
import dataclasses
import os
import pickle
import runpy
import subprocess
import sys
import typing
from pathlib import Path

import pytest

from compiled import build, lookups, training, translate
from compiled.records import rewrite
from gblint.config.toml import loads
from gblint.runtime.mypyc import compiled_modules, is_compiled

ROOT = Path(__file__).resolve().parents[2]
SOURCE = '''"""A module."""

from __future__ import annotations

from typing import ClassVar

from gblint.runtime.lazy_dataclasses import dataclass, field, replace


class Value:
    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Point(Value):
    """A point."""

    x: int
    y: int = 0
    note: str = field(default="", compare=False)
    known: ClassVar[int] = 3

    def moved(self) -> Point:
        return replace(self, x=self.x + 1)


@dataclass(frozen=True, slots=True, order=True)
class Pair:
    a: int
    b: str = "b"


@dataclass(slots=True)
class Bag:
    items: list[int] = field(default_factory=list)
    number: int = field(default_factory=lambda: 7)


@dataclass(frozen=True, slots=True)
class Further(Point):
    z: int = 5


@dataclass(slots=True, eq=False)
class Apart:
    x: int


class Text(str):
    pass
'''


@pytest.fixture(scope="module", params=["as written", "rewritten"])
def module(request: pytest.FixtureRequest) -> typing.Any:
    name = f"records_{'written' if request.param == 'as written' else 'rewritten'}"
    made = type(sys)(name)
    sys.modules[name] = made
    exec(SOURCE if request.param == "as written" else rewrite(SOURCE, {}), made.__dict__)
    yield made
    del sys.modules[name]


def test_nothing_is_left_to_the_decorator() -> None:
    assert "@dataclass" not in rewrite(SOURCE, {})
    assert "native_class=False" in rewrite(SOURCE, {})


def test_a_module_without_records_is_left_alone() -> None:
    source = "from __future__ import annotations\n\n\nclass A:\n    x: int = 0\n"
    assert rewrite(source, {}) == source


def test_records_are_equal_by_what_is_compared(module: typing.Any) -> None:
    assert module.Point(1, 2, "a") == module.Point(1, 2, "b")
    assert module.Point(1) != module.Point(2)
    assert module.Point(1) != module.Further(1)
    assert module.Point(1) != 1
    assert hash(module.Point(1, 2, "a")) == hash(module.Point(1, 2, "b")) == hash((1, 2))
    assert module.Apart(1) != module.Apart(1)
    assert len({module.Apart(1), module.Apart(1)}) == 2
    nan = float("nan")
    assert module.Point(nan) == module.Point(nan)  # the behaviour of tuples


def test_records_are_ordered_by_their_fields(module: typing.Any) -> None:
    assert module.Pair(1) < module.Pair(1, "c") <= module.Pair(2) > module.Pair(1)
    assert not module.Pair(1) >= module.Pair(2)


def test_records_have_defaults(module: typing.Any) -> None:
    first, second = module.Bag(), module.Bag()
    first.items.append(1)
    assert (second.items, second.number) == ([], 7)
    assert module.Bag([2], 3).items == [2]
    assert module.Further(1).z == 5
    assert module.Point.known == 3


def test_what_can_change_has_no_hash(module: typing.Any) -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(module.Bag())


def test_records_can_be_replaced_copied_sent_and_shown(module: typing.Any) -> None:
    point = module.Point(1, 2, "a")
    assert point.moved() == module.Point(2, 2)
    assert point.moved().note == "a"
    assert dataclasses.replace(point, y=5) == module.Point(1, 5)
    assert copy.deepcopy(point) == copy.copy(point) == pickle.loads(pickle.dumps(point)) == point
    assert repr(point) == "Point(x=1, y=2, note='a')"
    assert dataclasses.asdict(module.Pair(1)) == {"a": 1, "b": "b"}


def test_the_fields_of_records_are_known(module: typing.Any) -> None:
    assert [each.name for each in dataclasses.fields(module.Further)] == ["x", "y", "note", "z"]
    assert typing.get_type_hints(module.Point)["y"] is int
    match module.Point(1, 2):
        case module.Point(1, y):
            assert y == 2
        case _:
            raise AssertionError


def test_classes_of_syntax_trees_are_constants_where_functions_run() -> None:
    source = """from __future__ import annotations

import ast
from typing import cast

KINDS = (ast.Name,)


def f(é: ast.expr, node: ast.AST) -> ast.Name | None:
    found: ast.Name = cast(ast.Name, node)
    if isinstance(é, (ast.Name, ast.Call)) and "é" and type(node) is ast.Name:
        return [ast.dump(é), lambda: ast.Call]
    return found
"""
    made = lookups.rewrite(source, ())
    assert made.count("_ast_Name: _Final = ast.Name\n") == made.count("_ast_Call: _Final = ast.Call\n") == 1
    assert 'isinstance(é, (_ast_Name, _ast_Call)) and "é" and type(node) is _ast_Name:' in made
    assert "[ast.dump(é), lambda: _ast_Call]" in made
    assert "found: ast.Name = cast(ast.Name, node)" in made
    assert "KINDS = (ast.Name,)" in made
    assert lookups.rewrite(source.replace("import ast", "ast = None"), ()).count("_Final") == 0


def test_modules_that_need_each_other_are_imported_at_the_end() -> None:
    source = "from a import b\n\n\ndef f():\n    from a import c\n    from a import d\n\n    return c.g(d)\n"
    made = "from a import b\n\n\ndef f():\n    pass\n    from a import d\n\n    return c.g(d)\nfrom a import c\n"
    assert lookups.rewrite(source, ("a.b", "a.c")) == made


def test_modules_in_subpackages_are_listed() -> None:
    package = ROOT / "gblint"
    found = build.modules()
    assert all((package / name).is_file() for name in (*found, *build.INTERPRETED))
    assert len(found) == len(set(found)) >= 134  # the number before the modules were sorted into packages
    everything = {path.relative_to(package).as_posix() for path in package.rglob("*.py")}
    listed = tuple(name if name.endswith(".py") else f"{name}/" for name in build.COMPILED)
    assert set(found) == {name for name in everything if name.startswith(listed)} - set(build.INTERPRETED)


@pytest.mark.skipif(not is_compiled(), reason="not the compiled build")
def test_every_listed_module_is_compiled() -> None:
    assert compiled_modules() == sorted(build.modules())


def test_plain_python_has_no_compiled_modules() -> None:
    assert is_compiled() or compiled_modules() == []


def test_requirements_of_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    setup = _setup(monkeypatch)
    monkeypatch.setitem(setup.__globals__, "find_spec", lambda name: None)
    assert setup() == {}
    monkeypatch.setenv("GBLINT_USE_MYPYC", "1")
    required = setup()["setup_requires"]
    assert [each for each in required if each.startswith("mypy[mypyc]")]


def _setup(monkeypatch: pytest.MonkeyPatch) -> typing.Any:
    """The function of setup.py that returns the arguments of a compiled build."""
    setuptools = pytest.importorskip("setuptools")
    monkeypatch.setattr(setuptools, "setup", lambda **_: None)
    monkeypatch.setattr(sys, "argv", ["setup.py", "egg_info"])
    monkeypatch.delenv("GBLINT_USE_MYPYC", raising=False)
    monkeypatch.chdir(ROOT)
    return runpy.run_path(str(ROOT / "setup.py"))["compiled"]


def test_the_rewritten_gblint_finds_the_same(tmp_path: Path) -> None:
    build.copy(tmp_path / "copy")
    project = tmp_path / "project"
    project.mkdir()
    text = "import torch\n\n\n@torch.compile\ndef f(x):\n    print(x)\n    return x.item()\n"
    for name in ("a.py", "b.py", "c.py", "d.py"):
        (project / name).write_text(text)
    command = [
        sys.executable,
        "-m",
        "gblint",
        "check",
        "--output-format",
        "json",
        "--cache-dir",
        str(tmp_path / "cache"),
    ]
    shown = []
    # With the sources; with rewritten copies of them in two processes; and with the stored results.
    for place, more in ((None, ["--no-cache"]), (tmp_path / "copy", ["--jobs", "2"]), (tmp_path / "copy", [])):
        env = {**os.environ, **({} if place is None else {"PYTHONPATH": str(place)})}
        done = subprocess.run([*command, *more], cwd=project, env=env, capture_output=True, text=True)
        assert done.returncode == 1, done.stderr
        shown.append(done.stdout)
    assert shown[0] == shown[1] == shown[2]


def test_what_the_compiler_is_trained_with_is_linted(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert all((ROOT / name).is_dir() for name in training.FOLDERS)
    monkeypatch.setattr(training, "FOLDERS", ("examples", "no such folder"))
    training.train(ROOT, tmp_path)
    folder, files, _ = capfd.readouterr().out.split()
    assert (folder, int(files) > 0) == (str(ROOT / "examples"), True)
    assert not training.is_gcc([sys.executable]) and not training.is_gcc([str(tmp_path / "none")])


@pytest.mark.parametrize(("stored", "status"), [("0.0", 0), ("0", 1)])
def test_what_only_mypyc_refuses_is_found_without_the_c_compiler(
    stored: str, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pytest.importorskip("mypyc")
    source = f"class Clock:\n    time: float = 1.5\n\n    def stop(self) -> None:\n        self.time = {stored}\n"
    for path, text in (("gblint/values/clock.py", source), ("gblint/runtime/x.py", ""), ("rules/x.py", "")):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(text)
        (tmp_path / path).with_name("__init__.py").touch()
    (tmp_path / "gblint" / "__init__.py").touch()
    monkeypatch.setattr(build, "ROOT", tmp_path)
    monkeypatch.setattr(build, "COMPILED", ("values/clock.py",))
    assert translate.main() == status
    assert ("clock.py:5: error: Incompatible value representations" in capsys.readouterr().out) == bool(status)


def test_lint_has_the_mypyc_of_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    required = _setup(monkeypatch).__globals__["BUILD_REQUIREMENTS"]["mypyc"]
    metadata = loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert required in metadata["project"]["optional-dependencies"]["lint"]


@pytest.mark.parametrize("name", build.modules())
def test_no_membership_in_a_generator(name: str) -> None:
    """The generators of mypyc have no ``in``: AttributeError at run time."""
    tree = ast.parse((ROOT / "gblint" / name).read_text(encoding="utf-8"))
    functions = {
        each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef) and "Iterator" in _returned(each)
    }
    containers = [
        container
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        for operator, container in zip(node.ops, node.comparators, strict=True)
        if isinstance(operator, (ast.In, ast.NotIn))
    ]
    calls = [each for each in containers if isinstance(each, ast.Call)]
    assert not [each.lineno for each in containers if isinstance(each, ast.GeneratorExp)]
    assert not [each.lineno for each in calls if ast.unparse(each.func).removeprefix("self.") in functions]


def _returned(function: ast.FunctionDef) -> str:
    return "" if function.returns is None else ast.unparse(function.returns)
