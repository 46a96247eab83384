"""The context in which a recipe runs, the rewrites that recipes return, and their application to a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst

from gblint.diagnostics.finding import Finding
from gblint.diagnostics.fix import Applicability
from gblint.fix.cst_file import SyntaxTree
from gblint.fix.imports import Import, imported_as, with_imports, without_unused
from gblint.fix.skeleton import Skeleton, skeleton_of
from gblint.knowledge.versions import release
from gblint.runtime.lazy_dataclasses import dataclass, field
from gblint.values.base import Value

Replacement = cst.CSTNode | cst.FlattenSentinel[cst.CSTNode] | cst.RemovalSentinel


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A rewrite of nodes of one syntax tree.

    * ``replace``: nodes and their replacements. * ``imports``: imports that the new code needs. * ``unused``: imports
    to remove if nothing else uses them. * ``last_resort``: the fix has a price: other workarounds are shown next to it,
    and other fixes come first. * ``quiet``: compiled runs lose warnings or log records, as the title says.
    """

    title: str
    applicability: Applicability
    replace: Mapping[cst.CSTNode, Replacement]
    imports: Sequence[Import] = ()
    unused: Sequence[Import] = ()
    last_resort: bool = False
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class TextRewrite:
    """A rewrite of the text of one file.

    * ``edits``: triples of start offset, end offset and new text. * ``quiet``: compiled runs lose warnings or log
    records, as the title says.
    """

    title: str
    applicability: Applicability
    edits: Sequence[tuple[int, int, str]]
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class FixContext:
    """The finding to fix, and knowledge about its file.

    * ``node``: the expression that the finding is about; ``statement``: the innermost statement around it.
    * ``values``: the recorded values of expressions in compiled code, by the offsets of their text.
    * ``settings``: the choices of ``[tool.gblint.fixes]``.
    * ``torch_version``: the torch to fix for; empty if it is not known.
    """

    finding: Finding
    tree: SyntaxTree
    node: cst.BaseExpression
    statement: cst.BaseStatement | cst.BaseSmallStatement
    values: Mapping[tuple[int, int], Value] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    torch_version: str = ""

    def value(self, node: cst.CSTNode) -> Value | None:
        """Return the recorded value of the expression ``node``, None if it was never evaluated."""
        return self.values.get(self.tree.bounds(node))

    def code(self, node: cst.CSTNode) -> str:
        """Return the text of ``node``."""
        return self.tree.code(node)

    def enclosing(self, kind: type[cst.CSTNode]) -> cst.CSTNode | None:
        """Return the innermost node of class ``kind`` around the expression."""
        return self.tree.enclosing(self.node, kind)

    def is_in(self, test: cst.BaseExpression) -> bool:
        """Return whether the expression of the finding is ``test`` or a part of it."""
        return self.node is test or any(outer is test for outer in self.tree.ancestors(self.node))

    def opt_in_applicability(self, choice: str) -> Applicability:
        """Return ``unsafe`` if the configuration chooses the fix by the name ``choice``, else ``display``.

        This is the applicability of fixes that inductor, the default backend, refuses. Dynamo puts a
        ``leaf_function`` into the graph, and ``GraphLowering.get_attr`` (torch/_inductor/graph.py, 2.13 to 2.15)
        refuses it.
        """
        return "unsafe" if self.settings.get(self.finding.code) == choice else "display"

    def supports_leaf_functions(self) -> bool:
        """Return whether the torch to fix for has ``leaf_function``."""
        return not self.torch_version or release(self.torch_version) >= release("2.11")

    def module_reference(self, module: str) -> tuple[str, tuple[Import, ...]]:
        """Return the name under which the file refers to a module such as ``torch``, and the import that it lacks."""
        found = imported_as(self.tree.module, module)
        return (found, ()) if found else (module, (Import(module),))


def apply_rewrite(tree: SyntaxTree, rewrite: Rewrite) -> Skeleton:
    """Return the text of the file after ``rewrite``."""
    module = tree.module.visit(_Replace(rewrite.replace, tree))
    assert isinstance(module, cst.Module)
    if rewrite.imports:
        module = with_imports(module, rewrite.imports, tree.path.split("/"))
    if rewrite.unused and not tree.path.endswith("__init__.py"):  # others may import the name from a package
        module = without_unused(module, rewrite.unused, skeleton_of(tree, module).filled())
        if not tree.text.startswith(("\n", "\r")):
            return Skeleton(tree.text, skeleton_of(tree, module).filled().lstrip("\r\n"))
    return skeleton_of(tree, module)


def replace_in_block(
    tree: SyntaxTree, node: cst.IndentedBlock, replace: Mapping[cst.CSTNode, Replacement]
) -> cst.IndentedBlock:
    """Return a block in which some nodes are replaced."""
    return cst.ensure_type(node.visit(_Replace(replace, tree)), cst.IndentedBlock)


class _Replace(cst.CSTTransformer):
    """Replaces nodes; visits only the ancestors of these nodes, since a file may have very many."""

    def __init__(self, replace: Mapping[cst.CSTNode, Replacement], tree: SyntaxTree) -> None:
        super().__init__()
        self._replace = replace
        self._ancestors = {id(outer) for node in replace for outer in (node, *tree.ancestors(node))}

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Return whether the node contains a node to replace."""
        return id(node) in self._ancestors

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> Replacement:
        """Return the replacement of the node."""
        new = self._replace.get(original_node)
        if new is None:
            return super().on_leave(original_node, updated_node)
        return new
