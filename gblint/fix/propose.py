"""Attaches to findings the fixes that their rules know for them."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import libcst as cst

from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.fix import Edit, Fix
from gblint.diagnostics.span import Span
from gblint.fix.context import FixContext, Patched, Rewrite, rewritten
from gblint.fix.cst_file import Tree
from gblint.fix.edits import Patch, combine, edits_between
from gblint.fix.library_override import Library, subclass
from gblint.fix.writer import Original
from gblint.interp.observers.value_recorder import Place
from gblint.interp.tracer import same_depth
from gblint.project.source import SourceProblem
from gblint.rules import rule_by_code
from gblint.runtime.lazy_dataclasses import dataclass, field, replace
from gblint.values.base import Const, Scalar, Tensor, Unknown, Value, members

Recipe = Callable[[FixContext], "Rewrite | Patched | None"]
_FIXED = (Category.GRAPH_BREAK, Category.COMPILE_ERROR)


Bounds = tuple[int, int]
TextOf = Callable[[str], "str | None"]


@dataclass(frozen=True, slots=True)
class FixOptions:
    """How to propose: the choices of ``[tool.gblint.fix]``, and the torch that fixes are for.

    With ``hatches`` there is also what gets around findings that nothing better is known for.
    """

    settings: Mapping[str, str] = field(default_factory=dict)
    hatches: bool = False
    torch_version: str = ""

    def concern(self, finding: Finding) -> bool:
        """Whether there may be a fix for ``finding``, at its own place."""
        return bool(_recipes(finding)) or (self.hatches and _may_be_fixed(finding))


class FixCache:
    """The syntax trees of the files that were asked for last, and the fixes that were known for what was seen."""

    MOST = 1_000_000  # characters
    MOST_KNOWN = 16  # for one finding

    def __init__(self) -> None:
        self._trees: dict[tuple[str, str], Tree | None] = {}
        self._known: dict[object, list[tuple[dict[Bounds, Value | None], tuple[Fix, ...]]]] = {}

    def known(self, finding: Finding, text: str, values: Mapping[Bounds, Value]) -> tuple[Fix, ...] | None:
        """The fixes for a finding in a file where all that was looked at then has the same values now."""
        for looked, fixes in self._known.get(_asked(finding, text), ()):
            if all(values.get(place) == value for place, value in looked.items()):
                return fixes
        return None

    def keep(self, finding: Finding, text: str, looked: Mapping[Bounds, Value | None], fixes: tuple[Fix, ...]) -> None:
        """Keep the fixes that were made with a look at some values, unless these refer to the user's code."""
        plain = all(value is None or _is_plain(value) for value in looked.values())
        known = self._known.setdefault(_asked(finding, text), [])
        if plain and len(known) < self.MOST_KNOWN:
            known.append((dict(looked), fixes))

    def tree(self, path: str, text: str) -> Tree | None:
        """That of a text; None where libcst cannot read it: such a file gets no fixes."""
        key = (path, text)
        if key in self._trees:
            tree = self._trees.pop(key)
        else:
            try:
                tree = Tree(path, text)
            except (cst.ParserSyntaxError, RecursionError, UnicodeError):
                tree = None
        self._trees[key] = tree
        size = sum(len(each) for _, each in self._trees)
        for old in [*self._trees][:-1]:
            if size <= self.MOST:
                break
            size -= len(old[1])
            del self._trees[old]
        return tree


def _asked(finding: Finding, text: str) -> object:
    """All of a finding in a text that makes a difference to its fixes."""
    told = (finding.code, finding.span, finding.message, finding.chain[-1:], finding.consequence, finding.raised_by)
    return told, text


def _is_plain(value: Value) -> bool:
    return all(isinstance(each, (Const, Scalar, Tensor, Unknown)) for each in members(value))


class _Looked(Mapping[Bounds, Value]):
    """Values that note which of them were looked at; None if it was all of them."""

    def __init__(self, values: Mapping[Bounds, Value]) -> None:
        self._values = values
        self.looked: dict[Bounds, Value | None] | None = {}

    def __getitem__(self, place: Bounds) -> Value:
        value = self._values.get(place)
        if self.looked is not None:
            self.looked[place] = value
        if value is None:
            raise KeyError(place)
        return value

    def __iter__(self) -> Iterator[Bounds]:
        self.looked = None
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class Proposer:
    """Knows the fixes for findings in some files.

    ``text_of`` gives the text of a file as it stands, newlines kept; None for one that is not to be changed.
    ``values`` is what a ``Recorder`` saw in the files.  ``libraries`` are files of libraries whose
    breaks are to be got around, with the names of their modules.
    """

    def __init__(
        self,
        text_of: TextOf,
        values: Mapping[Place, Value],
        terms: FixOptions,
        libraries: Mapping[str, str] | None = None,
        shelf: FixCache | None = None,
    ) -> None:
        self._text_of = text_of
        self.terms = terms
        self._libraries = libraries or {}
        self._shelf = shelf or FixCache()
        self._files: dict[str, _File | None] = {}
        self._values: dict[str, dict[Place, Value]] = {}
        for place, value in values.items():
            self._values.setdefault(place[0], {})[place] = value

    @same_depth()
    def fixes(self, finding: Finding) -> tuple[Fix, ...]:
        """The fixes for ``finding``, the best ones first."""
        library = library_of(finding)
        within = library is not None and bool(self._libraries.get(library))
        if not within and not self.terms.concern(finding):
            return ()
        file = self._file(finding.span.path, self._text_of)
        if file is None:
            return ()
        if library is not None and within:
            return _overrides(finding, self._file(library, _library_text), self._libraries[library], file)
        known = self._shelf.known(finding, file.tree.text, file.values)
        if known is not None:
            return known
        values = _Looked(file.values)
        try:
            fixes = tuple(_fixes(finding, file.tree, values, self.terms))
        except RecursionError:  # too deep to be written anew
            return ()
        if values.looked is not None:
            self._shelf.keep(finding, file.tree.text, values.looked, fixes)
        return fixes

    def _file(self, path: str, text_of: TextOf) -> _File | None:
        if path not in self._files:
            text = text_of(path)
            tree = None if text is None else self._shelf.tree(path, text)
            self._files[path] = None if tree is None else _File(tree, self._values.get(path, {}))
        return self._files[path]


def propose(findings: Iterable[Finding], proposer: Proposer) -> list[Finding]:
    """``findings`` with their fixes."""
    return [with_fixes(finding, proposer.fixes(finding)) for finding in findings]


def with_fixes(finding: Finding, fixes: tuple[Fix, ...]) -> Finding:
    """``finding`` with these fixes."""
    return replace(finding, fixes=fixes) if fixes else finding


class _File:
    """A file that fixes are made for, and what is known of its expressions."""

    def __init__(self, tree: Tree, values: Mapping[Place, Value]) -> None:
        self.tree = tree
        offset = tree.offsets.of_bytes
        self.values = {
            (offset(line, column), offset(end_line, end_column)): value
            for (_, line, column, end_line, end_column), value in values.items()
        }


def _fixes(finding: Finding, tree: Tree, values: Mapping[Bounds, Value], terms: FixOptions) -> Iterator[Fix]:
    node = tree.expression_at(finding.span)
    statement = None if node is None else tree.around_statement(node)
    if node is None or statement is None:
        return
    site = FixContext(finding, tree, node, statement, values, terms.settings, terms.torch_version)
    choice = terms.settings.get(finding.code)
    better = False
    for recipe in _recipes(finding, choice):
        rewrite = recipe(site)
        for fix in _made(rewrite, finding, tree):
            better |= fix.applicability != "display" and not fix.last_resort
            yield fix
    if terms.hatches and not better and choice != "off":
        rule = rule_by_code(finding.code)
        for recipe in map(_recipe, rule.escape_hatches if rule else ()):
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
    library = Library(within.tree, name, within.values)
    made = subclass(finding, library, user.tree, _fixed_text)
    if made is None:
        return ()
    at, text = made
    title = f"override `{finding.chain[-1].function}` in a subclass of your own"
    return tuple(_made(Patched(title, "display", [(at, at, text)]), finding, user.tree))


def _fixed_text(site: FixContext) -> str | None:
    """The text of the file of ``site`` after the first fix that there is for it."""
    rule = rule_by_code(site.finding.code)
    for name in (*rule.recipes, *rule.escape_hatches) if rule is not None else ():
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
    return tuple(_recipe(name) for name, way in zip(rule.recipes, rule.fix_names) if choice in (None, way))


def _may_be_fixed(finding: Finding) -> bool:
    return library_of(finding) is None and finding.category in _FIXED


@cache
def _recipe(name: str) -> Recipe:
    """The recipe that a rule names as ``module.function`` of ``gblint.fix.recipes``."""
    module, _, function = name.rpartition(".")
    found: Recipe = getattr(importlib.import_module(f"gblint.fix.recipes.{module}"), function)
    return found
