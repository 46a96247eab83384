"""A tree whose functions are parsed on demand equals the tree of the whole text, including all positions."""

from __future__ import annotations

import ast
import copy
import pickle
import py_compile
import sysconfig
from pathlib import Path

import pytest

from gblint.project import lazy_parse
from gblint.project.lazy_nodes import UnparsedClass, UnparsedFunction
from gblint.project.source import parse_left_out, parse_library, parse_source, read_source
from tests.project.trees import grow, project, site

UNPARSED = (UnparsedFunction, UnparsedClass)
PADDING = "# " + "=" * lazy_parse.SHORTEST_FILE + "\n"


def long(indent: int) -> str:
    return "".join(f"{' ' * indent}x = x + {number}  # a comment\n" for number in range(20))


PLAIN = f"""
import os


@decorated(1)
class A(B, metaclass=M):
    \"\"\"What it is.\"\"\"

    y = 1

    def __init__(self, x: int = 1, *, z: dict[str, int] = {{"a": 1}}) -> None:
{long(8)}        return x  # type: ignore

    # about the next
    @property
    def long_head(
        self,
        a=(1, 2),
        b=lambda: 3,
    ) -> int:  # noqa: D102
        '''And this.'''
{long(8)}        return "{{x}}é" if x else \"\"\"
def nothing(x):
    \"\"\"

    def last(self): return 1


async def waits(x):
    def inner():
{long(8)}        return 2
    if x:
{long(8)}
    await x


if os:
    def one(x):
{long(8)}
        # the end

else:
    class C:
        class D:
            def two(x):
{long(16)}                return "ü"

        def three(x):
{long(12)}"""


def same(tree: ast.AST, text: str) -> bool:
    return ast.dump(tree, include_attributes=True) == ast.dump(ast.parse(text), include_attributes=True)


def outlined(text: str) -> ast.Module:
    tree = lazy_parse.outline(text, parse_source)
    assert tree is not None
    return tree


def unparsed(tree: ast.AST) -> list[str]:
    """Return the names of unparsed functions and classes, without parsing them."""
    names: list[str] = []
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, UNPARSED):
            names.append(node.name)
        else:
            pending += ast.iter_child_nodes(node)
    return sorted(names)


def test_tree_equals_that_of_ast_parse() -> None:
    text = PADDING + PLAIN
    tree = outlined(text)
    assert unparsed(tree) == ["A", "C", "inner", "one"]
    assert same(tree, text)
    assert unparsed(tree) == []


def test_end_positions_are_known_before_parsing() -> None:
    text = PADDING + PLAIN
    whole = ast.parse(text)
    for found, expected in zip(outlined(text).body, whole.body):
        assert (found.end_lineno, found.end_col_offset) == (expected.end_lineno, expected.end_col_offset)


def test_class_is_parsed_without_its_function_bodies() -> None:
    tree = outlined(PADDING + PLAIN)
    cls = next(node for node in tree.body if isinstance(node, ast.ClassDef))
    assert type(cls) is UnparsedClass
    assert [type(node).__name__ for node in cls.body] == ["Expr", "Assign", *["UnparsedFunction"] * 2, "FunctionDef"]
    assert type(cls) is ast.ClassDef
    function = cls.body[2]
    assert isinstance(function, ast.FunctionDef)
    assert len(function.body) == 21
    assert type(function) is ast.FunctionDef


def test_unparsed_nodes_can_be_copied() -> None:
    text = PADDING + PLAIN
    tree = outlined(text)
    assert same(copy.deepcopy(tree), text)
    assert same(pickle.loads(pickle.dumps(outlined(text))), text)


def test_unparsed_nodes_have_no_additional_attributes() -> None:
    function = next(node for node in ast.walk(outlined(PADDING + PLAIN)) if isinstance(node, ast.FunctionDef))
    assert not hasattr(function, "nothing")
    assert hasattr(function, "body")
    assert not hasattr(function, "nothing")


BODY = "".join(f"    x = {number}\n" for number in range(60))


@pytest.mark.parametrize(
    "text",
    [
        f"def f(x):\n    '''\ndef g(x):\n    '''\n{BODY}def h():\n{BODY}",
        f'def f(x):\n    """\ndef g(x):\n    \'\'\'"""\n{BODY}',
        f'x = \'"""\'\ndef f(x):\n{BODY}x = \'"""\'\n',
        f'# it\'s """ here\ndef f(x):\n{BODY}',
        f'def f(x):\n    """a\\"""\ndef g():\n    """\n{BODY}',
        f"def f(x):\n    x = (\n1,\n)\n{BODY}def g():\n{BODY}",
        f"def f(x):\n    x = [\n1,\n  2]; y = 3\n{BODY}",
        f"def f(x):\n    x = 'a\\\ndef g(x):\\\n'\n{BODY}",
        f"def f(x):\n    x = 1 + \\\n2\n{BODY}",
        f"def f(x):\n{BODY}    return x;\ndef g(x):\n{BODY}    return x; # so\n",
        f"def f(x):\n{BODY}    return '#'\ndef g(x):\n{BODY}    return '#' # so\n",
        f"def f(x): x = 1\ndef g(x): # so:\n{BODY}def h(x\n):\n{BODY}",
        f"def f(x, y={{1:\n 2}}, z=lambda:\n  3):\n{BODY}",
        f"def f(x,  # or:\n      y):\n{BODY}",
        f"def f(x):\n{BODY}    # the end\n  # of it\n# all\n\n\n",
        f"def f(x):\n{BODY}".rstrip("\n"),
        f"class A:\n  def f(x):\n{BODY}  x = 1\n  def g(x):\n{BODY}class B: pass\n",
        f"class A(B):\n  '''{'x' * 300}'''\n  def f(x):\n{BODY}",
        f"try:\n  def f(x):\n{BODY}except E:\n  def f(x):\n{BODY}else:\n  1\nfinally:\n  def f(x):\n{BODY}",
        f"match x:\n  case 1:\n    def f(x):\n{long(6)}",
        f"with a as b:\n  def f(x):\n{BODY}while 1:\n  def f(x):\n{BODY}",
        f'def f(x):\n{BODY}    return \'é\', """\nü"""\nclass É:\n  def ü(x):\n{BODY}    return \'é\'\n',
        f'def f(x):\n{BODY}    return """\n# {{x}}"""\n',
        f'def f(x):\n{BODY}    return f"{{x}}#", """\ndef g():\n  """\n',
        f'def f(x):\n{BODY}    return f"""{{x}}\ndef g():\n  """\n',
        f"def f(x):\n{BODY}    return 1 if x else '''\n  # no comment\n  '''\n",
        f"def f(x):\n\t{BODY.replace('    x', 'x').replace(chr(10), chr(10) + chr(9))}\n",
        f"if 1:\n    pass\n\x0c\ndef f(x):\n{BODY}",
        f"def f(x):\n{BODY}    def g(y):\n        nonlocal x\n        yield await y\n        return 1\n",
        f"def f(x) :   \n{BODY}def g(x)  ->  int :  #  c\n{BODY}",
    ],
)
def test_unusual_formatting_gives_the_same_tree(text: str) -> None:
    text = PADDING + text
    tree = lazy_parse.outline(text, parse_source)
    assert tree is None or same(tree, text)


@pytest.mark.parametrize("name", ["argparse", "ast", "dataclasses", "doctest", "inspect", "tarfile", "typing"])
def test_python_s_own_files(name: str) -> None:
    text = read_source(Path(sysconfig.get_path("stdlib")) / f"{name}.py")
    assert unparsed(outlined(text)) != []
    assert same(parse_library(text), text)


def test_a_very_long_file_is_parsed_at_once() -> None:
    text = PADDING + PLAIN
    assert lazy_parse.outline("\n" * (lazy_parse.MOST_LINES - text.count("\n")) + text, parse_source) is not None
    assert lazy_parse.outline("\n" * lazy_parse.MOST_LINES + text, parse_source) is None


def test_body_with_a_syntax_error_is_empty() -> None:
    text = PADDING + f"def f(x):\n{BODY}    return (\n"
    tree = outlined(text)
    (function,) = tree.body
    assert isinstance(function, ast.FunctionDef)
    assert function.body == []
    body = lazy_parse.UnparsedBody(0, 5, 1, 1, 1, (1, 1), ())
    assert parse_left_out("x = (", body) == []


def test_compiled_library_files_are_parsed_on_demand(tmp_path: Path) -> None:
    text = f"import torch\n{PADDING}\ndef f(x):\n{BODY}"
    files = {f"{name}.py": text for name in ("known", "changed", "new")}
    environment = site(tmp_path, files)
    (folder,) = environment.search_path
    for name in ("known", "changed"):
        py_compile.compile(str(folder / f"{name}.py"), doraise=True)
    grow(folder, {"changed.py": text + "y = 1\n"})
    found = project(tmp_path / "own", {"mine.py": text}, environment)
    py_compile.compile(str(tmp_path / "own" / "mine.py"), doraise=True)
    left = {}
    for name in ("known", "changed", "new", "mine"):
        module = found.find_module(name)
        assert module is not None
        left[name] = unparsed(module.tree)
    assert left == {"known": ["f"], "changed": [], "new": [], "mine": []}
