"""What a recipe is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import AddImportsVisitor, RemoveImportsVisitor
from libcst.helpers import get_full_name_for_node

from gblint.findings import Applicability, Finding
from gblint.fix.tree import Tree
from gblint.records import dataclass, field
from gblint.values.base import Value

Replacement = cst.CSTNode | cst.FlattenSentinel[cst.CSTNode] | cst.RemovalSentinel


@dataclass(frozen=True, slots=True)
class Import:
    """``import module`` or, with a name, ``from module import name``."""

    module: str
    name: str | None = None


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
class Patched:
    """A change of the text of one file: stretches, as offsets, and what takes their place."""

    title: str
    applicability: Applicability
    parts: Sequence[tuple[int, int, str]]


@dataclass(frozen=True, slots=True)
class Site:
    """One finding in its file.

    ``node`` is the expression that the finding is about, ``statement`` the innermost statement around it.  ``values``
    has what is known of the expressions in compiled code, by the offsets of their text; ``settings`` the choices of
    ``[tool.gblint.fix]``.
    """

    finding: Finding
    tree: Tree
    node: cst.BaseExpression
    statement: cst.BaseStatement | cst.BaseSmallStatement
    values: Mapping[tuple[int, int], Value] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)

    def value(self, node: cst.CSTNode) -> Value | None:
        """What the expression ``node`` is, None if it was never seen."""
        return self.values.get(self.tree.bounds(node))

    def code(self, node: cst.CSTNode) -> str:
        """The text of ``node``."""
        return self.tree.code(node)

    def around(self, kind: type[cst.CSTNode]) -> cst.CSTNode | None:
        """The innermost node of ``kind`` around the expression."""
        return self.tree.around(self.node, kind)

    def named(self, module: str) -> tuple[str, tuple[Import, ...]]:
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
    """The import at the top level that binds ``name``, if there is one without ``as``."""
    for statement in tree.body:
        for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            if isinstance(small, cst.ImportFrom) and not isinstance(small.names, cst.ImportStar) and small.module:
                module = get_full_name_for_node(small.module)
                if module and not small.relative and any(a.name.value == name and not a.asname for a in small.names):
                    return (Import(module, name),)
            elif isinstance(small, cst.Import):
                if any(get_full_name_for_node(a.name) == name and not a.asname for a in small.names):
                    return (Import(name),)
    return ()


def rewritten(tree: Tree, rewrite: Rewrite) -> str:
    """The text of the file after ``rewrite``."""
    module = tree.module.visit(_Replace(rewrite.replace))
    assert isinstance(module, cst.Module)
    context = CodemodContext()
    for wanted in rewrite.imports:
        AddImportsVisitor.add_needed_import(context, wanted.module, wanted.name)
    if rewrite.imports:
        module = AddImportsVisitor(context).transform_module(module)
    for unused in rewrite.unused:
        RemoveImportsVisitor.remove_unused_import(context, unused.module, unused.name)
    if rewrite.unused:
        module = RemoveImportsVisitor(context).transform_module(module)
        if not tree.text.startswith(("\n", "\r")):
            return module.code.lstrip("\r\n")
    return module.code


class _Replace(cst.CSTTransformer):
    def __init__(self, replace: Mapping[cst.CSTNode, Replacement]) -> None:
        super().__init__()
        self._replace = replace

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> Replacement:
        """What takes the node's place."""
        new = self._replace.get(original_node)
        if new is None:
            return super().on_leave(original_node, updated_node)
        return new
