"""Each check of the structure on a sample that breaks its rule and on one that keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.structure import __main__ as command
from tools.structure.checks import CHECKS
from tools.structure.import_graph import circles, closing_arrows, import_graph
from tools.structure.sources import parse, read


def found(check: str, **files: str) -> list[str]:
    """Run a check on files, whose names have ``__`` for ``/``; return path and line of each offence."""
    sources = [parse(name.replace("__", "/") + ".py", text) for name, text in files.items()]
    return [f"{offence.path}:{offence.line}" for offence in sorted(CHECKS[check](sources))]


def lines(number: int, prefix: str = "") -> str:
    return "".join(f"{prefix}x{count} = 1\n" for count in range(number))


class TestImportCircles:
    def test_two_modules_that_import_each_other(self) -> None:
        assert found("import-circles", gblint__a="import gblint.b\n", gblint__b="from gblint import a\n")

    def test_an_import_in_a_function_and_one_for_types_count(self) -> None:
        inner = "def f():\n    from gblint.b import g\n"
        typed = "if TYPE_CHECKING:\n    from gblint.a import f\n"
        assert len(found("import-circles", gblint__a=inner, gblint__b=typed)) == 1

    def test_a_package_stands_for_its_init(self) -> None:
        files = {"gblint/p/__init__.py": "from gblint.q import f\n", "gblint/q.py": "from gblint.p import name\n"}
        graph = import_graph([parse(path, text) for path, text in files.items()])
        assert graph == {"gblint.p": {"gblint.q": 1}, "gblint.q": {"gblint.p": 1}}

    def test_a_submodule_is_imported_without_its_package(self) -> None:
        files = {"gblint/p/__init__.py": "from gblint.p.m import f\n", "gblint/p/m.py": "from gblint.p import n\n"}
        graph = import_graph([parse(path, text) for path, text in {**files, "gblint/p/n.py": ""}.items()])
        assert graph["gblint.p.m"] == {"gblint.p.n": 1}
        assert circles(graph) == []

    def test_rules_are_a_package_of_gblint(self) -> None:
        assert found("import-circles", rules__a="from gblint import b\n", gblint__b="import gblint.rules.a\n")

    def test_relative_imports(self) -> None:
        assert found("import-circles", gblint__a="from . import b\n", gblint__b="from .a import f\n")

    def test_imports_by_name(self) -> None:
        dynamic = "import importlib\nimportlib.import_module('gblint.a')\n"
        assert found("import-circles", gblint__a="import gblint.b\n", gblint__b=dynamic)

    def test_no_circle(self) -> None:
        assert not found(
            "import-circles", gblint__a="import gblint.b, gblint.c\n", gblint__b="import gblint.c\n", gblint__c=""
        )

    def test_arrows_that_close_a_circle(self) -> None:
        graph = {"a": {"b": 1, "c": 1}, "b": {"c": 1}, "c": {"d": 1}, "d": {"a": 1}, "e": {"a": 1}}
        assert circles(graph) == [["a", "b", "c", "d"]]
        assert len(closing_arrows(graph, ["a", "b", "c", "d"])) == 1

    def test_the_way_round_is_shown(self) -> None:
        sources = [parse(f"gblint/{a}.py", f"import gblint.{b}\n") for a, b in ("ab", "bc", "ca")]
        (offence,) = CHECKS["import-circles"](sources)
        assert offence.text.startswith("closes a circle of imports among 3 modules: ")
        assert offence.text.count(" -> ") == 3


def test_function_imports() -> None:
    local = "def f():\n    def g():\n        import json\n"
    assert found("function-imports", gblint__interp__a=local) == ["gblint/interp/a.py:3"]
    assert not found("function-imports", gblint__interp__a="import json\n", gblint__cli__a=local)


def test_restricted_imports() -> None:
    modules = {"gblint__parallel__pool": "", "gblint__runtime__ast_walk": "", "gblint__parallel__new": ""}
    bad = "from gblint.parallel import pool\nimport gblint.parallel.new\nfrom gblint.runtime import ast_walk\n"
    places = found("restricted-imports", gblint__report__json=bad, **modules)
    assert places == ["gblint/report/json.py:1", "gblint/report/json.py:2"]
    assert not found("restricted-imports", gblint__pipeline__scan="from gblint.parallel import pool\n", **modules)


def test_file_length() -> None:
    assert found("file-length", gblint__a=lines(501)) == ["gblint/a.py:1"]
    assert found("file-length", rules__registry=lines(501)) == ["rules/registry.py:1"]
    assert not found("file-length", gblint__a=lines(500), rules__family__rule=lines(600), tests__a=lines(600))


def test_function_length() -> None:
    assert found("function-length", gblint__a="\ndef f():\n" + lines(60, "    ")) == ["gblint/a.py:2"]
    assert not found("function-length", gblint__a="@a\n@b\nasync def f():\n" + lines(59, "    "))


def test_parameter_count() -> None:
    assert found("parameter-count", gblint__a="def f(self, a, b, /, c, *d, e, f, g, **h): ...\n") == ["gblint/a.py:1"]
    assert not found("parameter-count", gblint__a="def f(self, a, b, /, c, *d, e, f, g): ...\n")


def test_attribute_count() -> None:
    fields = "class A:\n" + "".join(f"    a{number}: int\n" for number in range(19))
    method = "    def __init__(self):\n        self.x, self.a1 = 1, 2\n"
    constant = "    K: ClassVar[int] = 1\n    other = 2\n"
    assert not found("attribute-count", gblint__a=fields + method + constant)
    more = method + "        self.y: int = 2\n"
    assert found("attribute-count", gblint__a=fields + more) == ["gblint/a.py:1"]


def test_class_names() -> None:
    assert found("class-names", gblint__a="class A: ...\n", gblint__b="\nclass A: ...\n") == ["gblint/b.py:2"]
    inner = "class B:\n    class A: ...\nclass _C: ...\n"
    assert not found(
        "class-names", gblint__a="class A: ...\nclass _C: ...\n", gblint__b=inner, tests__c="class A: ...\n"
    )


@pytest.mark.parametrize("start", ["What", "Which", "As in", "How", " What", "\n    Which"])
def test_docstring_start(start: str) -> None:
    assert found("docstring-start", tests__a=f'"""{start} is it."""\n') == ["tests/a.py:1"]
    method = f'class A:\n    """A."""\n    if 1:\n        def f(self):\n            r"""{start} is it."""\n'
    assert found("docstring-start", gblint__a=method) == ["gblint/a.py:5"]


@pytest.mark.parametrize(
    "docstring", ["Whatever is left.", "Whichever comes first.", "However.", "Say what.", "As int."]
)
def test_docstrings_that_begin_otherwise(docstring: str) -> None:
    assert not found("docstring-start", gblint__a=f'"""{docstring}"""\ntext = """What"""\n')


@pytest.mark.parametrize("text", ["A value that is no tensor.", "Names that are no ``str``.", "This is no break."])
def test_no_for_not(text: str) -> None:
    assert found("no-for-not", gblint__a=f'def f():\n    """Summary.\n\n    {text}\n    """\n') == ["gblint/a.py:4"]


@pytest.mark.parametrize(
    "text", ["There is no tensor.", "It is no longer there.", "It is not a tensor.", "Yes is none."]
)
def test_other_uses_of_no(text: str) -> None:
    assert not found("no-for-not", gblint__a=f'"""{text}"""\n')


def test_torn_lines() -> None:
    torn = 'def f():\n    """Summary.\n\n    A line that\n    must go on, and does.\n    """\n'
    assert found("torn-lines", gblint__a=torn) == ["gblint/a.py:4"]


@pytest.mark.parametrize(
    "text",
    ["Names:\nfirst", "Text.\nMore.", "- an item\n- another", "    code\n    more", "word\n", "a: text\nb: text"],
)
def test_lines_that_are_not_torn(text: str) -> None:
    assert not found("torn-lines", gblint__a=f'"""Summary.\n\n{text}\n"""\n')


def test_id_literals() -> None:
    literals = 'a = "GB0124"\nb = {"GB0001 GB0002": f("x GB0124")}\n'
    assert found("id-literals", gblint__interp__a=literals) == ["gblint/interp/a.py:1", "gblint/interp/a.py:2"]
    docstring = '"""GB0124"""\ndef f():\n    "GB0124"\n'
    assert not found("id-literals", gblint__a=docstring, gblint__knowledge__ids=literals, tests__a=literals)


class TestCommand:
    @pytest.fixture
    def tree(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setattr(command, "ROOT", tmp_path)
        (tmp_path / "gblint").mkdir()
        (tmp_path / "gblint" / "a.py").write_text('"""What is it."""\n')
        return tmp_path

    def test_an_offence_fails_and_is_listed(self, tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert command.main([]) == 1
        assert capsys.readouterr().out == "gblint/a.py:1: docstring begins with 'What' [docstring-start]\n"

    def test_other_checks_pass(self, tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert command.main(["file-length", "id-literals"]) == 0
        assert capsys.readouterr().out == ""

    def test_inputs_of_tests_are_no_sources(self, tree: Path) -> None:
        for folder in ("tests/x/fixtures", "tests/corpus", "tests/confirm/modules", "tests/x"):
            (tree / folder).mkdir(parents=True, exist_ok=True)
            (tree / folder / "b.py").write_text("")
        assert [source.path for source in read(tree)] == ["gblint/a.py", "tests/x/b.py"]


class TestEqualFunctions:
    BODY = "    a = 1\n    b = a + 1\n    c = a + b\n    return c\n"

    def test_a_copy_under_another_name(self) -> None:
        files = {"gblint__a": f"def f():\n{self.BODY}", "gblint__b": f"def g():\n    'Text.'\n{self.BODY}"}
        assert found("equal-functions", **files) == ["gblint/b.py:1"]

    def test_other_parameters_and_short_functions(self) -> None:
        files = {"gblint__a": f"def f():\n{self.BODY}", "gblint__b": f"def g(x):\n{self.BODY}"}
        assert not found("equal-functions", **files)
        assert not found("equal-functions", gblint__a="def f():\n    return 1\n\ndef g():\n    return 1\n")


class TestUnusedNames:
    def test_functions_classes_methods_and_constants(self) -> None:
        text = "LIMIT = 1\n\ndef f():\n    pass\n\nclass C:\n    def m(self):\n        pass\n"
        assert found("unused-names", gblint__a=text) == [f"gblint/a.py:{line}" for line in (1, 3, 6, 7)]

    def test_a_use_in_another_file_or_in_a_string(self) -> None:
        uses = "from gblint.a import f\nTABLE = {'C': 'm'}\nprint(TABLE, LIMIT)\n"
        text = "LIMIT = 1\n\ndef f():\n    pass\n\nclass C:\n    def m(self):\n        pass\n"
        assert not found("unused-names", gblint__a=text, tools__b=uses)

    def test_a_use_in_tests_alone_is_none(self) -> None:
        files = {"gblint__a": "def f():\n    pass\n", "tests__t": "from gblint.a import f\nf()\n"}
        assert found("unused-names", **files) == ["gblint/a.py:1"]

    def test_hooks_of_other_tools_and_registered_functions(self) -> None:
        assert not found("unused-names", gblint__pytest_plugin="def pytest_configure():\n    pass\n")
        assert not found("unused-names", gblint__a="import click\n@click.command()\ndef f():\n    pass\n")
