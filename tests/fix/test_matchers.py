"""``findall`` of ``gblint.fix.matchers`` finds what libcst finds, in the same order."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest
from libcst import matchers
from libcst.metadata import MetadataWrapper, PositionProvider

from gblint.fix import fixed_point, recipes
from gblint.fix import matchers as match
from gblint.fix.cst_file import SyntaxTree

RECIPES = Path(recipes.__file__).parent
ASKED = [
    match.Name(),
    match.Name("path"),
    match.Name(value=match.MatchIfTrue(str.isupper)),
    match.Call(),
    match.Call(func=match.Attribute(attr=match.Name("get"))),
    match.Assign(targets=[match.AssignTarget(match.Name("result"))]),
    match.If() | match.For(),
    match.OneOf(match.Return(), match.Name("texts")),
    match.MatchIfTrue(lambda node: isinstance(node, cst.Comparison)),
    match.Integer("1"),
    match.Lambda(),
]


@pytest.mark.parametrize("matcher", ASKED, ids=lambda matcher: type(matcher).__name__)
def test_findall(matcher: match.BaseMatcherNode) -> None:
    text = Path(fixed_point.__file__).read_text(encoding="utf-8")
    tree = SyntaxTree("m.py", text)
    functions = matchers.findall(tree.module, match.FunctionDef())
    for node in (tree.module, *functions, functions[0].with_changes(decorators=[]), cst.parse_module(text)):
        for _ in range(2):  # the second answer may come from a cache
            found = match.findall(node, matcher)
            assert list(map(id, found)) == list(map(id, matchers.findall(node, matcher)))


class _Visitor(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.nodes: list[cst.CSTNode] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        self.nodes.append(node)
        return True


@pytest.mark.parametrize("path", sorted(RECIPES.glob("*.py")), ids=lambda path: path.stem)
def test_nodes_and_their_positions(path: Path) -> None:
    """The nodes are those that libcst visits, in its order, and their positions are those of libcst."""
    tree = SyntaxTree("m.py", path.read_text(encoding="utf-8"))
    visitor = _Visitor()
    tree.module.visit(visitor)
    assert list(map(id, match._Index(tree.module).nodes)) == list(map(id, visitor.nodes))
    wrapper = MetadataWrapper(tree.module, unsafe_skip_copy=True)
    assert dict(tree._positions) == dict(wrapper.resolve(PositionProvider))
