"""Skeletons stand for exactly the text that libcst writes."""

from __future__ import annotations

import random
from pathlib import Path

import libcst as cst
import pytest

import gblint
from gblint.fix.context import Rewrite, apply_rewrite
from gblint.fix.cst_file import SyntaxTree
from gblint.fix.edits import Offsets, Patch, apply_edits, apply_patches
from gblint.fix.skeleton import skeleton_of_edits

FILES = sorted((Path(gblint.__file__).parent / "fix" / "recipes").glob("*.py"))[::2]
ODD = '''#!/usr/bin/env python
# a comment

"""doc"""; x = 1

import os  # with a comment
@decorated

# between decorators
@again(
    1)
# behind them
class A:  # a class

    # the first comment
    """doc"""
    def f(self, x): return x
    if x: y = 1
    elif z:
        # in the branch
        y = 2; z = 3
        w = 4
      # at an odd depth
    else:
        y = """
a text
    of lines"""

        pass
    # the footer
    for i in x:
        a = i
        b = i
    else:
        c = 1
        d = 2
    try:
        a = 1
        a = 2
    except ValueError as e:
        b = 1
        b = 2
    except (OSError,
            TypeError):
        pass
        c = 2
    else:
        d = 1
        d = 2
    finally:
        e = 1
        e = 2
    with a as b, \\
         c as d:
        f = 1
        f = 2
    while a: b = 1; c = 2
    match a:
        # a case
        case 1:
            b = 1
            b = 2
        case _:
            pass
            c = 1
    async def g(self):
        async with a: pass
        async for b in c:
            d = 1
            d = 2

# the end
# of the file
'''
TEXTS = {
    "odd": ODD,
    "crlf": ODD.replace("\n", "\r\n"),
    "tabs": ODD.replace("    ", "\t").replace("\n  \t", "\n\t"),
    "no newline": ODD + "x = 1\ny = 2",
    "empty": "",
    "one line": "x = 1",
    "form feed": "x = 1\n\x0c\ny = 2\nz = 3\n",
    "the name": "if x:\n    a = 1\n    b = '''\n    __gblint_kept_0__\n'''\n    c = 2\n",
    **{path.name: path.read_text(encoding="utf-8") for path in FILES},
}


def _rewrite(tree: SyntaxTree, chance: random.Random) -> Rewrite:
    """Return a rewrite of some names, statements, and blocks."""
    nodes = [node for node in tree._positions if isinstance(node, (cst.Name, cst.BaseStatement, cst.IndentedBlock))]
    replace: dict[cst.CSTNode, object] = {}
    for node in chance.sample(nodes, min(len(nodes), chance.randint(1, 4))):
        if isinstance(node, cst.Name):
            replace[node] = cst.Name("other")
        elif isinstance(node, cst.IndentedBlock):
            branch = cst.If(cst.Name("condition"), node)  # the block is one level deeper
            replace[node] = cst.IndentedBlock([branch])
        elif isinstance(tree.parent(node), (cst.Module, cst.IndentedBlock)):  # no elif
            new = cst.parse_statement("new = 1\n")
            ways = ([new], [node, new], [new, node], [node, node])
            replace[node] = cst.FlattenSentinel(chance.choice(ways))
    return Rewrite("", "safe", replace)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", TEXTS)
def test_skeleton_of_a_changed_tree(name: str) -> None:
    text, chance = TEXTS[name], random.Random(name)
    tree = SyntaxTree("m.py", text)
    short = 0
    for _ in range(12):
        rewrite = _rewrite(tree, chance)
        new = apply_rewrite(tree, rewrite)
        plain = tree.module.visit(_Replace(rewrite.replace))
        assert isinstance(plain, cst.Module)
        assert new.filled() == plain.code
        patch = Patch.of(new.edits(tree), Offsets(text))
        assert apply_edits(text, sorted(patch.edits)) == plain.code
        short += len(new.text) < len(text) // 2
    assert short >= 3 or len(text) < 3000


class _Replace(cst.CSTTransformer):
    def __init__(self, replace: object) -> None:
        super().__init__()
        self._replace = replace

    def on_leave(self, original_node, updated_node):  # type: ignore[no-untyped-def, override]
        return self._replace.get(original_node, updated_node)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", TEXTS)
def test_skeleton_of_edits(name: str) -> None:
    text, chance = TEXTS[name], random.Random(name)
    tree = SyntaxTree("m.py", text)
    for _ in range(40):
        places = sorted(chance.sample(range(len(text) + 1), min(len(text) + 1, 4)))
        patch = Patch(tuple((a, b, chance.choice(["", "x\n", "y"])) for a, b in zip(places[::2], places[1::2])))
        assert skeleton_of_edits(tree, list(patch.edits)).filled() == apply_patches(text, [patch])[0]


def test_an_insertion_between_empty_lines_has_one_place() -> None:
    """Two fixes that insert the same line do so at the same place, whatever else they change."""
    tree = SyntaxTree("m.py", "import a\n\n\nx = 1\ny = 2\n")
    found = set()
    for changed in (0, 1, 2):
        new = cst.parse_statement("b = 1\n").with_changes(leading_lines=[cst.EmptyLine(indent=False)])
        replace: dict[cst.CSTNode, object] = {tree.module.body[0]: cst.FlattenSentinel([tree.module.body[0], new])}
        if changed:
            name = next(n for n in tree._positions if isinstance(n, cst.Name) and n.value == "_xy"[changed])
            replace[name] = cst.Name("z")
        edits = apply_rewrite(tree, Rewrite("", "safe", replace)).edits(tree)  # type: ignore[arg-type]
        assert len(edits) == 1 + bool(changed)
        found.add(edits[0].span.line)  # at two places the line would be inserted twice
    assert found == {3}
