"""Imports of a file: the names that they bind, new ones where they belong, and the removal of unused ones."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence

import libcst as cst
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import AddImportsVisitor, RemoveImportsVisitor
from libcst.helpers import get_full_name_for_node

from gblint.fix import matchers as match
from gblint.runtime.lazy_dataclasses import dataclass
from gblint.runtime.quiet_parse import parse_module

# The sections of imports, in their order.
_FUTURE, _STANDARD, _INSTALLED, _OWN = range(4)


@dataclass(frozen=True, slots=True)
class Import:
    """An import: ``import module`` or, with a name, ``from module import name``; ``alias`` follows ``as``."""

    module: str
    name: str | None = None
    alias: str | None = None

    @property
    def bound(self) -> str:
        """The name that the import binds."""
        return self.alias or self.name or self.module.partition(".")[0]


def imported_as(tree: cst.Module, module: str) -> str | None:
    """Return the name under which the top level of a file imports ``module``, None if it does not.

    An import under a condition or in a ``try`` counts: code that works with tensors runs only if it succeeded.
    """
    for statement in _top_level(tree.body):
        for small in statement.body:
            if isinstance(small, cst.Import):
                for alias in small.names:
                    name = get_full_name_for_node(alias.name)
                    if name == module:
                        return get_full_name_for_node(alias.asname.name) if alias.asname else module
                    # ``import torch.nn`` binds ``torch`` as well.
                    if name is not None and name.startswith(f"{module}.") and alias.asname is None:
                        return module
    return None


def _top_level(statements: Iterable[cst.CSTNode]) -> Iterator[cst.SimpleStatementLine]:
    """Yield the simple statements of a module, also those in ``try`` blocks and in branches that run."""
    for statement in statements:
        if isinstance(statement, cst.SimpleStatementLine):
            yield statement
        elif isinstance(statement, cst.Try) or (isinstance(statement, cst.If) and not _is_for_types(statement)):
            yield from _top_level(statement.body.body)


def _is_for_types(branch: cst.If) -> bool:
    return bool(match.findall(branch.test, match.Name("TYPE_CHECKING")))


def import_of(tree: cst.Module, name: str) -> tuple[Import, ...]:
    """Return the import at the top level that binds ``name``, as a tuple of at most one."""
    for statement in tree.body:
        for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            for each in _imports(small):
                if each.bound == name:
                    return (each,)
    return ()


def _imports(small: cst.CSTNode) -> Iterator[Import]:
    if isinstance(small, cst.ImportFrom) and not isinstance(small.names, cst.ImportStar) and small.module:
        module = get_full_name_for_node(small.module)
        for each in small.names if module and not small.relative else ():
            yield Import(str(module), each.evaluated_name, each.evaluated_alias)
    elif isinstance(small, cst.Import):
        for each in small.names:
            yield Import(each.evaluated_name, None, each.evaluated_alias)


def with_imports(module: cst.Module, imports: Sequence[Import], own: Collection[str]) -> cst.Module:
    """Return the file with these imports; ``own`` are the names of its packages."""
    named = [wanted for wanted in imports if wanted.name is not None]
    if named:
        context = CodemodContext()
        for wanted in named:
            AddImportsVisitor.add_needed_import(context, wanted.module, wanted.name)
        # libcst inserts imports before the first statement that is neither an import nor the docstring.
        others = (number for number, each in enumerate(module.body) if number and not _is_import(each))
        end = next(others, len(module.body)) + 1
        head = AddImportsVisitor(context).transform_module(module.with_changes(body=module.body[:end]))
        module = module.with_changes(body=(*head.body, *module.body[end:]))
    for wanted in imports:
        if wanted.name is None:
            module = _with_module(module, wanted.module, own)
    return module


def _with_module(module: cst.Module, name: str, own: Collection[str]) -> cst.Module:
    """Return the file with ``import name`` in its section of the imports at the top, sorted as isort does."""
    body = list(module.body)
    start = int(module.get_docstring() is not None)
    end = next((n for n, each in enumerate(body[start:], start) if not _is_import(each)), len(body))
    mine = (_section(name, own), False, name)
    keys = {n: _sort_key(body[n], own) for n in range(start, end)}
    if any(key[0] == mine[0] and key[2] == name and not key[1] for key in keys.values()):
        return module
    at = max((n + 1 for n, key in keys.items() if key < mine), default=start)
    new = cst.parse_statement(f"import {name}", config=module.config_for_parsing)
    empty = cst.EmptyLine(indent=False)
    follower = body[at] if at < len(body) else None
    lines: Sequence[cst.EmptyLine] = ()
    rest: Sequence[cst.EmptyLine] = getattr(follower, "leading_lines", ())
    if at in keys and keys[at][0] == mine[0] and (at == start or keys[at - 1][0] != mine[0]):
        lines, rest = _split_at_comment(rest)
    elif at == start or keys[at - 1][0] != mine[0]:
        lines, rest = (empty,) if at else (), rest or (empty,) * (2 if _is_definition(follower) else 1)
    body[at : at + 1] = [
        new.with_changes(leading_lines=lines),
        *([] if follower is None else [follower.with_changes(leading_lines=rest)]),
    ]
    return module.with_changes(body=body)


def _is_definition(node: cst.CSTNode | None) -> bool:
    return isinstance(node, (cst.FunctionDef, cst.ClassDef))


def _split_at_comment(lines: Sequence[cst.EmptyLine]) -> tuple[Sequence[cst.EmptyLine], Sequence[cst.EmptyLine]]:
    """Split the lines before a statement into empty ones and those from the first comment on."""
    first = next((n for n, line in enumerate(lines) if line.comment is not None), len(lines))
    return lines[:first], lines[first:]


def _sort_key(line: cst.CSTNode, own: Collection[str]) -> tuple[int, bool, str]:
    """Return the section of a line of imports, whether it starts with ``from``, and its module."""
    small = cst.ensure_type(line, cst.SimpleStatementLine).body[0]
    if isinstance(small, cst.Import):
        name = small.names[0].evaluated_name
        return _section(name, own), False, name
    name = (get_full_name_for_node(small.module) or "") if isinstance(small, cst.ImportFrom) and small.module else ""
    relative = isinstance(small, cst.ImportFrom) and bool(small.relative)
    return (_OWN if relative else _section(name, own)), True, name


def _section(name: str, own: Collection[str]) -> int:
    package = name.partition(".")[0]
    if package == "__future__":
        return _FUTURE
    if package in sys.stdlib_module_names:
        return _STANDARD
    return _OWN if package in own else _INSTALLED


def without_unused(module: cst.Module, imports: Iterable[Import], code: str) -> cst.Module:
    """Return the file, whose text is ``code``, without those of the imports that nothing uses."""
    for each in _unmentioned(imports, code):
        old = module.body
        if any(_is_kept(line) for line in old if each in _imports_of_line(line)):
            continue
        context = CodemodContext()
        RemoveImportsVisitor.remove_unused_import(context, each.module, each.name, each.alias)
        try:
            module = RemoveImportsVisitor(context).transform_module(module)
        except (
            SyntaxError,
            ValueError,
        ):  # libcst cannot tell the scopes of some modules, such as one with bytes as an annotation
            continue
        if len(module.body) == len(old):
            continue
        gone = next(n for n, line in enumerate(old) if each in _imports_of_line(line))
        follower = module.body[gone] if gone < len(module.body) else None
        # The empty line before the first import of a section stays.
        lines, _ = _split_at_comment(getattr(old[gone], "leading_lines", ()))
        if gone and lines and follower is not None and not getattr(follower, "leading_lines", ()):
            body = [*module.body]
            body[gone] = follower.with_changes(leading_lines=lines)
            module = module.with_changes(body=body)
    return module


def _is_kept(line: cst.CSTNode) -> bool:
    """Return whether a comment says that an import is wanted although nothing uses it."""
    comment = line.trailing_whitespace.comment if isinstance(line, cst.SimpleStatementLine) else None
    return comment is not None and "noqa" in comment.value.lower()


def _imports_of_line(line: cst.CSTNode) -> list[Import]:
    small = line.body if isinstance(line, cst.SimpleStatementLine) else ()
    return [each for part in small for each in _imports(part)]


# Functions through which code may read a name of its module without writing it.
_READS_NAMES = frozenset(("globals", "locals", "vars", "dir", "eval", "exec", "__dict__", "__all__", "modules"))


def _unmentioned(imports: Iterable[Import], code: str) -> Iterator[Import]:
    """Yield the imports whose names do not occur in the code, also not in its texts; none if it may read any name.

    The exact check of libcst is slow, so it is only done for these.
    """
    used: set[str] = set()
    try:
        for node in ast.walk(parse_module(code)):
            if isinstance(node, ast.Name):
                used.add(node.id)
            elif isinstance(node, ast.Attribute):
                used.add(node.attr if node.attr in _READS_NAMES else "")
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                used.update(re.findall(r"\w+", node.value))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    if used & _READS_NAMES:
        return
    for each in imports:
        if each.bound not in used and each.alias != (each.name or each.module):
            yield each


def _is_import(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(
        statement.body[0], (cst.Import, cst.ImportFrom)
    )
