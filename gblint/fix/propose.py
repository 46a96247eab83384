"""Attaches to findings the fixes that their rules know for them."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import libcst as cst

from gblint.findings import Category, Edit, Finding, Fix, Span
from gblint.fix.edits import Patch, combine, edits_between
from gblint.fix.overriding import Library, subclass
from gblint.fix.site import Patched, Rewrite, Site, rewritten
from gblint.fix.tree import Tree
from gblint.fix.writer import Original
from gblint.interp.engine import same_depth
from gblint.interp.record import Place
from gblint.project.source import SourceProblem
from gblint.records import replace
from gblint.rules import rule_by_code
from gblint.values.base import Value

Recipe = Callable[[Site], "Rewrite | Patched | None"]
_FIXED = (Category.GRAPH_BREAK, Category.COMPILE_ERROR)


@same_depth()
def propose(
    findings: Iterable[Finding],
    text_of: Callable[[str], str | None],
    values: Mapping[Place, Value],
    settings: Mapping[str, str] | None = None,
    *,
    hatches: bool = False,
    libraries: Mapping[str, str] | None = None,
    torch_version: str = "",
) -> list[Finding]:
    """``findings`` with their fixes; with ``hatches``, also what gets around those that nothing better is known for.

    ``text_of`` gives the text of a file as it stands, newlines kept; None for one that is not to be changed.
    ``values`` is what a ``Recorder`` saw in the files.  ``libraries`` are files of libraries whose
    breaks are to be got around, with the names of their modules.  ``torch_version`` is the one that fixes are for.
    """
    libraries = libraries or {}
    files: dict[str, _File | None] = {}
    by_file: dict[str, dict[Place, Value]] = {}
    for place, value in values.items():
        by_file.setdefault(place[0], {})[place] = value
    out = []
    for finding in findings:
        path = finding.span.path
        library = library_of(finding)
        within = library is not None and bool(libraries.get(library))
        if not _recipes(finding) and not (hatches and _may_be_fixed(finding)) and not within:
            out.append(finding)
            continue
        if path not in files:
            files[path] = _File.read(path, text_of(path), by_file.get(path, {}))
            if (read := files[path]) is not None:
                read.torch_version = torch_version
        file = files[path]
        if file is None:
            fixes: tuple[Fix, ...] = ()
        elif library is not None and within:
            if library not in files:
                files[library] = _File.read(library, _library_text(library), by_file.get(library, {}))
            fixes = _overrides(finding, files[library], libraries[library], file)
        else:
            fixes = _fixes_of(finding, file, settings or {}, hatches)
        out.append(replace(finding, fixes=fixes) if fixes else finding)
    return out


class _File:
    """A file that fixes are made for."""

    def __init__(self, tree: Tree, values: Mapping[tuple[int, int], Value]) -> None:
        self.tree = tree
        self.values = values
        self.torch_version = ""

    @classmethod
    def read(cls, path: str, text: str | None, values: Mapping[Place, Value]) -> _File | None:
        """The file with its ``values``; None where libcst cannot read the text: such a file gets no fixes."""
        if text is None:
            return None
        try:
            tree = Tree(path, text)
        except (cst.ParserSyntaxError, RecursionError, UnicodeError):
            return None
        spans = {
            (tree.offsets.of_bytes(line, column), tree.offsets.of_bytes(end_line, end_column)): value
            for (_, line, column, end_line, end_column), value in values.items()
        }
        return cls(tree, spans)


def _fixes_of(finding: Finding, file: _File, settings: Mapping[str, str], hatches: bool) -> tuple[Fix, ...]:
    try:
        return tuple(_fixes(finding, file, settings, hatches))
    except RecursionError:  # too deep to be written anew
        return ()


def _fixes(finding: Finding, file: _File, settings: Mapping[str, str], hatches: bool) -> Iterator[Fix]:
    tree = file.tree
    node = tree.expression_at(finding.span)
    statement = None if node is None else tree.around_statement(node)
    if node is None or statement is None:
        return
    site = Site(finding, tree, node, statement, file.values, settings, file.torch_version)
    choice = settings.get(finding.code)
    better = False
    for recipe in _recipes(finding, choice):
        rewrite = recipe(site)
        for fix in _made(rewrite, finding, tree):
            better |= fix.applicability != "display" and not fix.last_resort
            yield fix
    if hatches and not better and choice != "off":
        rule = rule_by_code(finding.code)
        for recipe in map(_recipe, rule.hatches if rule else ()):
            yield from _made(recipe(site), finding, tree)


def _made(rewrite: Rewrite | Patched | None, finding: Finding, tree: Tree) -> Iterator[Fix]:
    if rewrite is None:
        return
    path = finding.span.path
    new = _new_text(rewrite, tree)
    if isinstance(rewrite, Patched):
        edits = tuple(
            Edit(Span(path, *tree.offsets.place(start), *tree.offsets.place(end)), text)
            for start, end, text in rewrite.parts
        )
    else:
        edits = edits_between(path, tree.text, new)
    if new != tree.text and _parses(new):
        last_resort = isinstance(rewrite, Rewrite) and rewrite.last_resort
        yield Fix(rewrite.title, rewrite.applicability, edits, last_resort=last_resort)


def library_of(finding: Finding) -> str | None:
    """The file of a library in which the graph breaks, if a call in the user's file leads there."""
    if not finding.chain or finding.chain[-1].path == finding.span.path or finding.category not in _FIXED:
        return None
    return finding.chain[-1].path


def _library_text(path: str) -> str | None:
    try:
        return Original.read(Path(path)).text
    except SourceProblem:
        return None


def _overrides(finding: Finding, within: _File | None, name: str, user: _File) -> tuple[Fix, ...]:
    """The subclass that overrides the method of the library that breaks."""
    if within is None:
        return ()
    library = Library(within.tree, name, dict(within.values))
    made = subclass(finding, library, user.tree, _fixed_text)
    if made is None:
        return ()
    at, text = made
    title = f"override `{finding.chain[-1].function}` in a subclass of your own"
    return tuple(_made(Patched(title, "display", [(at, at, text)]), finding, user.tree))


def _fixed_text(site: Site) -> str | None:
    """The text of the file of ``site`` after the first fix that there is for it."""
    rule = rule_by_code(site.finding.code)
    for name in (*rule.recipes, *rule.hatches) if rule is not None else ():
        rewrite = _recipe(name)(site)
        if rewrite is None:
            continue
        new = _new_text(rewrite, site.tree)
        if new != site.tree.text and _parses(new):
            return new
    return None


def _new_text(rewrite: Rewrite | Patched, tree: Tree) -> str:
    if isinstance(rewrite, Patched):
        return combine(tree.text, [Patch(tuple(rewrite.parts))])[0]
    return rewritten(tree, rewrite)


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _recipes(finding: Finding, choice: str | None = None) -> tuple[Recipe, ...]:
    """The recipes for ``finding``; with a ``choice``, only the one of that name.

    What happens inside a library, and is only reached from the place of the finding, has none.
    """
    rule = rule_by_code(finding.code)
    if rule is None or not _may_be_fixed(finding):
        return ()
    return tuple(_recipe(name) for name, way in zip(rule.recipes, rule.ways) if choice in (None, way))


def _may_be_fixed(finding: Finding) -> bool:
    return library_of(finding) is None and finding.category in _FIXED


@cache
def _recipe(name: str) -> Recipe:
    """The recipe that a rule names as ``module.function`` of ``gblint.fix.recipes``."""
    module, _, function = name.rpartition(".")
    found: Recipe = getattr(importlib.import_module(f"gblint.fix.recipes.{module}"), function)
    return found
