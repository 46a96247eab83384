"""Breaks inside a library: a subclass for the user's file that overrides one method, with the fix in it."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence

import libcst as cst

from gblint.diagnostics.finding import Finding
from gblint.diagnostics.span import ChainLink
from gblint.fix.context import FixContext
from gblint.fix.cst_file import SyntaxTree
from gblint.fix.names import NameUses
from gblint.runtime.lazy_dataclasses import dataclass
from gblint.runtime.quiet_parse import parse_module
from gblint.values.base import Value

Fixed = Callable[[FixContext], "str | None"]
_MANGLED = re.compile(r"\b__(?!\w*__\b)\w+|\b__class__\b")


@dataclass(frozen=True, slots=True)
class Library:
    """A file of a library: its tree, the name of its module, and the recorded values of its expressions."""

    tree: SyntaxTree
    name: str
    values: dict[tuple[int, int], Value]


@dataclass(frozen=True, slots=True)
class _Method:
    owner: ast.ClassDef
    node: ast.FunctionDef


def overriding_subclass(finding: Finding, library: Library, user: SyntaxTree, fixed: Fixed) -> tuple[int, str] | None:
    """Return the offset and the text of the subclass for the user's file; None if the break is in no method.

    ``fixed`` returns the text of the library's file after a fix in it.
    """
    link = finding.chain[-1]
    method = _method_at(library.tree, link.line)
    if method is None:
        return None
    for ctx in _contexts(finding, library, link):
        new = fixed(ctx)
        made = None if new is None else _text(library, method, new, user)
        if made is not None:
            return _end_of_imports(user), made
    return None


def _method_at(tree: SyntaxTree, line: int) -> _Method | None:
    """Return the method of a top-level class that contains the line."""
    for owner in tree.ast.body:
        if isinstance(owner, ast.ClassDef):
            for node in owner.body:
                if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0):
                    return _Method(owner, node)
    return None


def _contexts(finding: Finding, library: Library, link: ChainLink) -> Iterator[FixContext]:
    """Yield fix contexts for the expressions that begin in the line of the break, calls and outer ones first."""
    tree = library.tree
    for node in sorted(tree.expressions_in(link.line), key=lambda node: not isinstance(node, cst.Call)):
        statement = tree.enclosing_statement(node)
        if statement is not None and not isinstance(node, (cst.Name, cst.BaseNumber, cst.SimpleString)):
            yield FixContext(finding, tree, node, statement, library.values)


def _text(library: Library, method: _Method, new: str, user: SyntaxTree) -> str | None:
    """Return the subclass with the imports and helper functions that it needs."""
    after = parse_module(new)
    owner = next((n for n in after.body if isinstance(n, ast.ClassDef) and n.name == method.owner.name), None)
    changed = next(
        (n for n in (owner.body if owner else ()) if isinstance(n, ast.FunctionDef) and n.name == method.node.name),
        None,
    )
    name = f"Patched{method.owner.name}"
    used_names = _bound_names(user.ast.body)
    if owner is None or changed is None or name in used_names:
        return None
    old = {ast.dump(node) for node in library.tree.ast.body}
    added = [n for n in after.body if ast.dump(n) not in old and n is not owner]
    helpers = [n for n in added if isinstance(n, (ast.FunctionDef, ast.Expr))]
    if any(isinstance(n, ast.ClassDef) for n in added):
        return None
    body = _source(new, changed)
    if _MANGLED.search(body):
        return None
    body = re.sub(r"\bsuper\(\)", f"super({method.owner.name}, self)", body)
    needs = NameUses.of([changed, *helpers]).read | {method.owner.name}
    own = {n.name for n in helpers if isinstance(n, ast.FunctionDef)}
    imports = _imports(library, after, needs - own, user)
    if imports is None or own & used_names:
        return None
    comment = [
        f"# `{method.owner.name}.{method.node.name}` of `{library.name}` without its graph break. Use it instead of",
        f"# `{method.owner.name}`; for an object that other code creates, set `module.__class__ = {name}`.",
    ]
    parts = [_source(new, n) for n in helpers]
    parts.append("\n".join([*comment, f"class {name}({method.owner.name}):", textwrap.indent(body, "    ")]))
    return "\n".join(imports) + "\n\n\n" + "\n\n\n".join(parts) + "\n"


def _source(text: str, node: ast.stmt) -> str:
    """Return the lines of a statement with its decorators, dedented."""
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    return textwrap.dedent("\n".join(text.splitlines()[first - 1 : node.end_lineno]))


def _bound_names(body: Sequence[ast.stmt]) -> set[str]:
    return NameUses.of(body).assigned


def _imports(library: Library, after: ast.Module, needs: set[str], user: SyntaxTree) -> list[str] | None:
    """Return imports that bind ``needs`` in the user's file as in the library.

    Returns None if the user's file uses one of the names for another object.
    """
    user_imports = _bindings(user.ast)
    used_names = _bound_names(user.ast.body)
    lines: list[str] = []
    from_library: list[str] = []
    bindings = _bindings(after)
    for name in sorted(needs & _bound_names(after.body)):
        line = bindings.get(name)
        if name in used_names:
            own = user_imports.get(name)
            if own is None or (own != line and not _imports_from_library(own, library.name, name)):
                return None
        elif line is not None:
            lines.append(line)
        else:
            from_library.append(name)
    if from_library:
        lines.append(f"from {library.name} import {', '.join(from_library)}")
    return lines


def _bindings(module: ast.Module) -> dict[str, str]:
    """Return the absolute imports at the top of a file, one statement by bound name."""
    found: dict[str, str] = {}
    for node in module.body:
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and not node.level):
            for alias in node.names:
                one = ast.Import([alias]) if isinstance(node, ast.Import) else ast.ImportFrom(node.module, [alias], 0)
                found[alias.asname or alias.name.partition(".")[0]] = ast.unparse(one)
    return found


def _imports_from_library(line: str, library: str, name: str) -> bool:
    """Return whether an import of the user takes the name from the library's own package."""
    package = re.escape(library.partition(".")[0])
    return re.fullmatch(rf"from {package}[\w.]* import {re.escape(name)}", line) is not None


def _end_of_imports(user: SyntaxTree) -> int:
    """Return the offset at which the imports at the top of the user's file end."""
    last = 0
    for position, node in enumerate(user.ast.body):
        docstring = position == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not isinstance(node, (ast.Import, ast.ImportFrom)) and not docstring:
            break
        last = node.end_lineno or node.lineno
    return user.offsets.offset(last + 1, 1)
