"""What a recipe is given, and what it gives back."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

import libcst as cst
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import AddImportsVisitor, RemoveImportsVisitor
from libcst.helpers import get_full_name_for_node

from gblint.diagnostics.finding import Finding
from gblint.diagnostics.fix import Applicability
from gblint.fix.cst_file import SyntaxTree
from gblint.knowledge.versions import release
from gblint.runtime.lazy_dataclasses import dataclass, field
from gblint.values.base import Value

Replacement = cst.CSTNode | cst.FlattenSentinel[cst.CSTNode] | cst.RemovalSentinel


@dataclass(frozen=True, slots=True)
class Import:
    """``import module`` or, with a name, ``from module import name``; ``alias`` is what follows ``as``."""

    module: str
    name: str | None = None
    alias: str | None = None

    @property
    def bound(self) -> str:
        """The name that it sets in the file."""
        return self.alias or self.name or self.module.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A change of one file: nodes of its tree and what takes their place; ``unused`` are imports that may go.

    Beside a ``last_resort`` other ways around the break are still worth showing.
    """

    title: str
    applicability: Applicability
    replace: Mapping[cst.CSTNode, Replacement]
    imports: Sequence[Import] = ()
    unused: Sequence[Import] = ()
    last_resort: bool = False


@dataclass(frozen=True, slots=True)
class TextRewrite:
    """A change of the text of one file: stretches, as offsets, and what takes their place."""

    title: str
    applicability: Applicability
    edits: Sequence[tuple[int, int, str]]


@dataclass(frozen=True, slots=True)
class FixContext:
    """One finding in its file.

    ``node`` is the expression that the finding is about, ``statement`` the innermost statement around it.  ``values``
    has what is known of the expressions in compiled code, by the offsets of their text; ``settings`` the choices of
    ``[tool.gblint.fix]``; ``torch_version`` is the one that findings are about, empty where that is not known.
    """

    finding: Finding
    tree: SyntaxTree
    node: cst.BaseExpression
    statement: cst.BaseStatement | cst.BaseSmallStatement
    values: Mapping[tuple[int, int], Value] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    torch_version: str = ""

    def value(self, node: cst.CSTNode) -> Value | None:
        """What the expression ``node`` is, None if it was never seen."""
        return self.values.get(self.tree.bounds(node))

    def code(self, node: cst.CSTNode) -> str:
        """The text of ``node``."""
        return self.tree.code(node)

    def enclosing(self, kind: type[cst.CSTNode]) -> cst.CSTNode | None:
        """The innermost node of ``kind`` around the expression."""
        return self.tree.enclosing(self.node, kind)

    def is_in(self, test: cst.BaseExpression) -> bool:
        """Return whether the expression of the finding is ``test`` or a part of it."""
        return self.node is test or any(outer is test for outer in self.tree.ancestors(self.node))

    def opt_in_applicability(self, way: str) -> Applicability:
        """How far a fix that inductor refuses may be applied: only where the configuration asks for this ``way``.

        Inductor is the backend that is used unless another one is named.  Dynamo puts a ``leaf_function`` into the
        graph, and inductor refuses it: ``GraphLowering.get_attr`` (torch/_inductor/graph.py, 2.13 to 2.15).
        """
        return "unsafe" if self.settings.get(self.finding.code) == way else "display"

    def supports_leaf_functions(self) -> bool:
        """Whether there is ``leaf_function`` in the torch that findings are about."""
        return not self.torch_version or release(self.torch_version) >= release("2.11")

    def module_reference(self, module: str) -> tuple[str, tuple[Import, ...]]:
        """How the file calls the module ``module`` (``torch``), and the import that it lacks for that."""
        found = imported_as(self.tree.module, module)
        return (found, ()) if found else (module, (Import(module),))


def imported_as(tree: cst.Module, module: str) -> str | None:
    """The name under which the top level of a file imports ``module``, None if it does not."""
    for statement in tree.body:
        for small in getattr(statement, "body", ()) if isinstance(statement, cst.SimpleStatementLine) else ():
            if isinstance(small, cst.Import):
                for alias in small.names:
                    name = get_full_name_for_node(alias.name)
                    if name == module:
                        return get_full_name_for_node(alias.asname.name) if alias.asname else module
                    # ``import torch.nn`` binds ``torch`` as well.
                    if name is not None and name.startswith(f"{module}.") and alias.asname is None:
                        return module
    return None


def import_of(tree: cst.Module, name: str) -> tuple[Import, ...]:
    """The import at the top level that binds ``name``."""
    for statement in tree.body:
        for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            for each in _imports(small):
                if each.bound == name:
                    return (each,)
    return ()


def _imports(small: cst.BaseSmallStatement) -> Iterator[Import]:
    if isinstance(small, cst.ImportFrom) and not isinstance(small.names, cst.ImportStar) and small.module:
        module = get_full_name_for_node(small.module)
        for each in small.names if module and not small.relative else ():
            yield Import(str(module), each.evaluated_name, each.evaluated_alias)
    elif isinstance(small, cst.Import):
        for each in small.names:
            yield Import(each.evaluated_name, None, each.evaluated_alias)


def apply_rewrite(tree: SyntaxTree, rewrite: Rewrite) -> str:
    """The text of the file after ``rewrite``."""
    module = tree.module.visit(_Replace(rewrite.replace, tree))
    assert isinstance(module, cst.Module)
    if rewrite.imports:
        module = _with_imports(module, rewrite.imports)
    unused = list(_not_named(rewrite.unused, tree.code_of(module))) if rewrite.unused else []
    context = CodemodContext()
    for each in unused:
        RemoveImportsVisitor.remove_unused_import(context, each.module, each.name, each.alias)
    if unused:
        module = RemoveImportsVisitor(context).transform_module(module)
        if not tree.text.startswith(("\n", "\r")):
            return tree.code_of(module).lstrip("\r\n")
    return tree.code_of(module)


def replace_in_block(
    tree: SyntaxTree, node: cst.IndentedBlock, replace: Mapping[cst.CSTNode, Replacement]
) -> cst.IndentedBlock:
    """A block with others in the place of some nodes in it."""
    return cst.ensure_type(node.visit(_Replace(replace, tree)), cst.IndentedBlock)


def _with_imports(module: cst.Module, imports: Sequence[Import]) -> cst.Module:
    """The file with these imports: only its head is looked at, since what follows the imports is left as it is."""
    context = CodemodContext()
    for wanted in imports:
        AddImportsVisitor.add_needed_import(context, wanted.module, wanted.name)
    # Imports are put before the first statement, beside the docstring, that is none.
    others = (number for number, each in enumerate(module.body) if number and not _is_import(each))
    end = next(others, len(module.body)) + 1
    head = AddImportsVisitor(context).transform_module(module.with_changes(body=module.body[:end]))
    return module.with_changes(body=(*head.body, *module.body[end:]))


def _not_named(imports: Sequence[Import], code: str) -> Iterator[Import]:
    """Those of the imports whose name is nowhere in the code: to look further is slow, and worth it only for them."""
    try:
        used = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        used = set()
    for each in imports:
        if each.bound not in used:
            yield each


def _is_import(statement: cst.BaseStatement) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(
        statement.body[0], (cst.Import, cst.ImportFrom)
    )


class _Replace(cst.CSTTransformer):
    """Puts nodes in the place of others; it goes only where there are some, since a file may have a great many."""

    def __init__(self, replace: Mapping[cst.CSTNode, Replacement], tree: SyntaxTree) -> None:
        super().__init__()
        self._replace = replace
        self._way = {id(outer) for node in replace for outer in (node, *tree.ancestors(node))}

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Whether there is something to replace in the node."""
        return id(node) in self._way

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> Replacement:
        """What takes the node's place."""
        new = self._replace.get(original_node)
        if new is None:
            return super().on_leave(original_node, updated_node)
        return new
