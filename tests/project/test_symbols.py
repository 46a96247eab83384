from __future__ import annotations

import ast
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gblint.project.module_names import ModuleName
from gblint.project.modules import Module
from gblint.project.symbols import Binding, literal_all


def module(text: str, name: str = "pkg.mod", *, is_package: bool = False) -> Module:
    path = Path("/nowhere") / "mod.py"
    named = ModuleName(name, is_package, path.parent, path.parent)
    return Module(named, path, "mod.py", origin="user", overlay=dedent(text))


def only(text: str, name: str) -> Binding:
    (binding,) = module(text).symbols[name]
    return binding


def test_every_kind() -> None:
    symbols = module(
        """\
        import a.b
        import a.b as c
        from d import e as f
        def g(): hidden = 1
        async def h(): ...
        class I:
            inside = 1
        j = 1
        k: int = 2
        l: int
        m += 1
        for n in x: o = 1
        with p as q: r = 1
        try: pass
        except E as s: t = 1
        while u: v = 1
        del w
        match y:
            case [z, *aa]: ab = 1
            case {"k": ac, **ad}: pass
            case Point(x=ae) as af: pass
        """
    ).symbols
    kinds = {name: [binding.kind for binding in found] for name, found in symbols.items()}
    assert kinds == {
        "a": ["import"],
        "c": ["import"],
        "f": ["from"],
        "g": ["def"],
        "h": ["def"],
        "I": ["class"],
        "j": ["assign"],
        "k": ["assign"],
        "l": ["annotation"],
        "m": ["aug"],
        "n": ["for"],
        "o": ["assign"],
        "q": ["with"],
        "r": ["assign"],
        "s": ["except"],
        "t": ["assign"],
        "v": ["assign"],
        "w": ["delete"],
        **{name: ["other"] for name in ("z", "aa", "ac", "ad", "ae", "af")},
        "ab": ["assign"],
    }


def test_imports_are_absolute() -> None:
    text = "import a.b\nimport a.b as c\nfrom .x import y as z\nfrom .. import w\nfrom ..... import out\n"
    symbols = module(text, "p.q.mod").symbols
    imports = {name: (found[0].module, found[0].attribute) for name, found in symbols.items()}
    assert imports == {
        "a": ("a", None),
        "c": ("a.b", None),
        "z": ("p.q.x", "y"),
        "w": ("p", "w"),
        "out": (None, "out"),
    }


@pytest.mark.parametrize(
    ("name", "is_package", "level", "inner", "expected"),
    [
        ("p.q.m", False, 1, "x", "p.q.x"),
        ("p.q.m", False, 2, None, "p"),
        ("p.q", True, 1, "x", "p.q.x"),
        ("p.q", True, 2, "x.y", "p.x.y"),
        ("p.q", True, 0, "x", "x"),
        ("p.q", True, 4, "x", None),
        ("script", False, 1, "x", "x"),
        ("script", False, 1, None, None),
    ],
)
def test_relative(name: str, is_package: bool, level: int, inner: str | None, expected: str | None) -> None:
    assert module("", name, is_package=is_package).resolve_relative(level, inner) == expected


def test_values_and_targets() -> None:
    found = module("a = b = f()\nc, (d, *e) = f()\ng: int = 1\n").symbols
    assert isinstance(found["a"][0].value, ast.Call)
    assert found["a"][0].value is found["b"][0].value
    for name in "cde":
        assert found[name][0].value is None
        assert isinstance(found[name][0].target, ast.Tuple)
    assert isinstance(found["g"][0].value, ast.Constant)


def test_attributes_and_items_bind_nothing() -> None:
    assert module("a.b = 1\nc[0] = 2\n(d.e, f[1]) = 3\n").symbols == {}


def test_walrus_anywhere_in_an_expression() -> None:
    found = module("print((a := 1))\nif (b := 2):\n    c = (d := 3)\nf = lambda: (e := 4)\n").symbols
    assert sorted(found) == ["a", "b", "c", "d", "f"]
    assert isinstance(found["a"][0].value, ast.Constant)
    assert found["d"][0].guard == "if"


def test_guards() -> None:
    symbols = module(
        """\
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            a = 1
        else:
            b = 1
        if not typing.TYPE_CHECKING:
            c = 1
        else:
            d = 1
        if TYPE_CHECKING or SLOW:
            try:
                e = 1
            except ImportError:
                f = 1
            else:
                g = 1
            finally:
                h = 1
        if x:
            i = 1
        elif y:
            j = 1
        else:
            k = 1
        if __name__ == "__main__":
            l = 1
        if "__main__" == __name__: m = 1
        with z: n = 1
        """
    ).symbols
    guards = {name: (found[0].guard, found[0].type_checking) for name, found in symbols.items()}
    del guards["TYPE_CHECKING"]
    assert guards == {
        "a": ("type_checking", True),
        "b": ("not_type_checking", False),
        "c": ("not_type_checking", False),
        "d": ("type_checking", True),
        "e": ("try", True),
        "f": ("handler", True),
        "g": ("try", True),
        "h": ("type_checking", True),
        "i": ("if", False),
        "j": ("if", False),
        "k": ("else", False),
        "l": ("main", False),
        "m": ("main", False),
        "n": ("always", False),
    }
    test = symbols["k"][0].test
    assert isinstance(test, ast.Name)
    assert test.id == "y"


@pytest.mark.skipif(sys.version_info < (3, 12), reason="syntax of Python 3.12")
def test_type_alias_and_except_star() -> None:
    assert isinstance(only("type X = int\n", "X").value, ast.Name)
    assert only("try: pass\nexcept* E:\n    x = 1\n", "x").guard == "handler"


def test_several_bindings_keep_their_order() -> None:
    found = module("try:\n    import x\nexcept ImportError:\n    x = None\n").symbols["x"]
    assert [(binding.kind, binding.guard) for binding in found] == [("import", "try"), ("assign", "handler")]


def test_star_imports() -> None:
    found = module("from a import *\nif TYPE_CHECKING:\n    from .b import *\nfrom ..... import *\n")
    assert found.star_imports == ("a", "pkg.b")
    assert found.symbols == {}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("x = 1", None),
        ("__all__ = ['a', 'b']", ("a", "b")),
        ("__all__ = ('a',) + ('b',)", ("a", "b")),
        ("__all__: list[str] = ['a']\n__all__ += ['b']\n__all__.extend(['c'])\n__all__.append('d')", tuple("abcd")),
        ("__all__ = ['a']\n__all__ = ['b']", ("b",)),
        ("__all__ = ['a'] + other.__all__", None),
        ("__all__ = [name for name in dir()]", None),
        ("__all__ += ['a']", None),
    ],
)
def test_dunder_all(text: str, names: tuple[str, ...] | None) -> None:
    assert module(text).dunder_all == names
    assert literal_all(ast.parse(text).body) == names


def test_class_bodies() -> None:
    mod = module("class A:\n    x = 1\n    if T:\n        def f(self): ...\n    class B:\n        y = 2\n")
    (node,) = (binding.node for binding in mod.symbols["A"])
    assert isinstance(node, ast.ClassDef)
    table = mod.binding_table(node)
    assert {name: found[0].kind for name, found in table.items()} == {"x": "assign", "f": "def", "B": "class"}
    assert table["f"][0].guard == "if"
    assert mod.binding_table(node) is table
    assert mod.binding_table(mod.tree) is mod.symbols


def test_release_reads_again() -> None:
    mod = module("x = 1\n")
    tree = mod.tree
    mod.release()
    assert not mod.is_loaded
    assert mod.tree is not tree
    assert list(mod.symbols) == ["x"]
    assert mod.lines == ["x = 1", ""]


def test_long_elif_chain_and_long_sum() -> None:
    count = 900
    text = "if x: v0 = 1\n" + "".join(f"elif y: v{i} = 1\n" for i in range(1, count)) + "else: last = 1\n"
    found = module(text).symbols
    if len(found) > 1:  # else the parser itself rejects the text
        assert len(found) == count + 1
        assert found["last"][0].guard == "else"
    module("__all__ = []" + " + ['a']" * 900).dunder_all  # noqa: B018


def test_form_feed_ends_no_line() -> None:
    assert module("x = 1\n\x0cy = '\u2028'\n").lines == ["x = 1", "\x0cy = '\u2028'", ""]


def test_a_broken_module_is_empty() -> None:
    mod = module("def f(:\n")
    assert mod.symbols == {}
    assert mod.error is not None
    assert mod.error.line == 1


NAMES = st.sampled_from("abc")
SIMPLE = st.one_of(
    NAMES.map(lambda n: f"{n} = 1"),
    NAMES.map(lambda n: f"import {n}"),
    NAMES.map(lambda n: f"def {n}(): z = 1"),
    NAMES.map(lambda n: f"for {n} in y: pass"),
)


def _indent(block: list[str]) -> list[str]:
    return ["    " + line for line in block]


def _compound(inner: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    return st.one_of(
        inner.map(lambda b: ["if y:", *_indent(b)]),
        inner.map(lambda b: ["with y:", *_indent(b)]),
        st.tuples(inner, inner).map(lambda t: ["try:", *_indent(t[0]), "except E:", *_indent(t[1])]),
        st.lists(inner, min_size=1, max_size=3).map(lambda bs: [line for b in bs for line in b]),
    )


# The health check is disabled because it fails on a busy machine.
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.recursive(SIMPLE.map(lambda line: [line]), _compound, max_leaves=12))
def test_finds_the_same_names_as_the_compiler(lines: list[str]) -> None:
    text = "\n".join(lines) + "\n"
    code = compile(text, "x", "exec")
    assert set(module(text).symbols) <= set(code.co_names)
    assert {name for name in code.co_names if name in "abc"} == set(module(text).symbols)
