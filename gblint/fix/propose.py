"""Proposal of fixes: the recipes of a finding's rule are tried, and their rewrites become fixes."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import libcst as cst

from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.fix import Edit, Fix
from gblint.diagnostics.report import FileError
from gblint.diagnostics.span import Span
from gblint.fix.budget import MAX_FIX_CHARACTERS, RECIPES_FOR_REWRITE, TREE_WORK, FixBudget
from gblint.fix.context import FixContext, Rewrite, TextRewrite, apply_rewrite
from gblint.fix.cst_file import SyntaxTree, TooManyNodes
from gblint.fix.edits import Patch, compatible_edits
from gblint.fix.library_override import Library, overriding_subclass
from gblint.fix.skeleton import Skeleton, skeleton_of_edits
from gblint.fix.wrapping import line_length, wrapped
from gblint.fix.writer import Original
from gblint.interp.observers.value_recorder import Place
from gblint.interp.tracer import same_depth
from gblint.pipeline.work_units import internal_error
from gblint.project.source import SourceProblem
from gblint.rules import rule_by_code
from gblint.runtime.lazy_dataclasses import dataclass, field, replace
from gblint.runtime.quiet_parse import parse_module
from gblint.values.base import Const, Scalar, Tensor, Unknown, Value, members

Recipe = Callable[[FixContext], "Rewrite | TextRewrite | None"]
_FIXABLE = (Category.GRAPH_BREAK, Category.COMPILE_ERROR)


Bounds = tuple[int, int]
TextLookup = Callable[[str], "str | None"]


@dataclass(frozen=True, slots=True)
class FixOptions:
    """The options that decide which fixes are proposed.

    * ``settings``: the choices of ``[tool.gblint.fixes]`` by rule code.
    * ``escape_hatches``: propose workarounds for findings without a better fix.
    * ``torch_version``: the torch that fixes are made for; empty if it is not known.
    """

    settings: Mapping[str, str] = field(default_factory=dict)
    escape_hatches: bool = False
    torch_version: str = ""

    def may_fix(self, finding: Finding) -> bool:
        """Return whether there may be a fix at the place of ``finding``."""
        return bool(_recipes(finding)) or (self.escape_hatches and _is_fixable(finding))


class FixCache:
    """A cache of syntax trees, and of fixes by the values that their recipes read."""

    MAX_CHARACTERS = 1_000_000  # in the texts of all trees
    MAX_ENTRIES = 16  # for one finding

    def __init__(self) -> None:
        self._trees: dict[tuple[str, str], SyntaxTree | None] = {}
        self._fixes: dict[object, list[tuple[dict[Bounds, Value | None], _Worked]]] = {}
        self.too_large: set[tuple[str, str]] = set()
        """The files that get no fixes because of their size, with their texts."""

    def get(self, finding: Finding, text: str, values: Mapping[Bounds, Value]) -> _Worked | None:
        """Return the result for the same finding in the same text if all values that the recipes read are the same."""
        for read, worked in self._fixes.get(_cache_key(finding, text), ()):
            if all(values.get(place) == value for place, value in read.items()):
                return worked
        return None

    def put(self, finding: Finding, text: str, read: Mapping[Bounds, Value | None], worked: _Worked) -> None:
        """Store what recipes made after they ``read`` these values.

        Values that refer to the user's code are not kept, so fixes that depend on them are not stored.
        """
        plain = all(value is None or _is_plain(value) for value in read.values())
        entries = self._fixes.setdefault(_cache_key(finding, text), [])
        if plain and len(entries) < self.MAX_ENTRIES:
            entries.append((dict(read), worked))

    def tree(self, path: str, text: str) -> SyntaxTree | None:
        """Return the syntax tree of a text; None if libcst cannot read it, so that the file gets no fixes."""
        key = (path, text)
        if key in self._trees:
            tree = self._trees.pop(key)
        elif len(text) > MAX_FIX_CHARACTERS:
            tree = None
            self.too_large.add(key)
        else:
            try:
                tree = SyntaxTree(path, text)
            except TooManyNodes:
                tree = None
                self.too_large.add(key)
            except (cst.ParserSyntaxError, RecursionError, UnicodeError):
                tree = None
            if tree is not None and tree.module.default_indent.strip(" \t"):
                tree = None  # libcst takes a form feed in an indent for a part of all indents
        self._trees[key] = tree
        size = sum(len(each) for _, each in self._trees)
        for old in [*self._trees][:-1]:
            if size <= self.MAX_CHARACTERS:
                break
            size -= len(old[1])
            del self._trees[old]
        return tree


@dataclass(frozen=True, slots=True)
class _Worked:
    """The fixes of a finding, and the work that they took: it counts, also if they are in the cache."""

    fixes: tuple[Fix, ...]
    work: int


def _cache_key(finding: Finding, text: str) -> object:
    """Return everything of a finding on which its fixes depend, and the text of its file."""
    part = (finding.code, finding.span, finding.message, finding.chain[-1:], finding.consequence, finding.raised_by)
    return part, text


def _is_plain(value: Value) -> bool:
    return all(isinstance(each, (Const, Scalar, Tensor, Unknown)) for each in members(value))


class _TrackedValues(Mapping[Bounds, Value]):
    """A mapping that records in ``read`` the values that are looked up; None once it is iterated over."""

    def __init__(self, values: Mapping[Bounds, Value]) -> None:
        self._values = values
        self.read: dict[Bounds, Value | None] | None = {}

    def __getitem__(self, place: Bounds) -> Value:
        value = self._values.get(place)
        if self.read is not None:
            self.read[place] = value
        if value is None:
            raise KeyError(place)
        return value

    def __iter__(self) -> Iterator[Bounds]:
        self.read = None
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class FixProposer:
    """Proposes fixes for findings in some files.

    * ``text_of`` returns the current text of a file with its newlines, None for a file that must not be changed.
    * ``values`` are the values that a ``ValueRecorder`` recorded in the files.
    * ``libraries`` maps files of libraries whose breaks may be overridden to their module names.
    * ``cache`` is shared between proposers.
    * ``budget`` bounds the work on each file; ``spent`` is the work of the rounds before.
    """

    def __init__(
        self,
        text_of: TextLookup,
        values: Mapping[Place, Value],
        options: FixOptions,
        libraries: Mapping[str, str] | None = None,
        cache: FixCache | None = None,
        spent: Mapping[str, int] | None = None,
    ) -> None:
        self._text_of = text_of
        self.options = options
        self.budget = FixBudget(spent)
        self._libraries = libraries or {}
        self._cache = cache or FixCache()
        self._files: dict[str, _File | None] = {}
        self._values: dict[str, dict[Place, Value]] = {}
        for place, value in values.items():
            self._values.setdefault(place[0], {})[place] = value

    @same_depth()
    def fixes(self, finding: Finding) -> tuple[Fix, ...]:
        """Return the fixes for ``finding``, the best one first."""
        library = breaking_library(finding)
        overridable = library is not None and bool(self._libraries.get(library))
        if not overridable and not self.options.may_fix(finding):
            return ()
        if not self.budget.allows(finding):
            return ()
        path = finding.span.path
        file = self._file(path, self._text_of)
        if file is None:
            if (path, self._text_of(path)) in self._cache.too_large:
                self.budget.left_out.append(finding)
            return ()
        if library is not None and overridable:
            self.budget.spend(path, len(file.tree.text))
            return _overrides(finding, self._file(library, _library_text), self._libraries[library], file)
        worked = self._cache.get(finding, file.tree.text, file.values)
        if worked is None:
            worked = self._worked(finding, file)
        self.budget.spend(path, worked.work)
        return worked.fixes

    def _worked(self, finding: Finding, file: _File) -> _Worked:
        values = _TrackedValues(file.values)
        attempts = _Attempts()
        try:
            fixes = tuple(_fixes(finding, file.tree, values, self.options, attempts))
        except RecursionError:  # the tree is too deep to be rewritten
            return _Worked((), attempts.work)
        worked = _Worked(fixes, attempts.work)
        if values.read is not None:
            self._cache.put(finding, file.tree.text, values.read, worked)
        return worked

    def _file(self, path: str, text_of: TextLookup) -> _File | None:
        if path not in self._files:
            text = text_of(path)
            tree = None if text is None else self._cache.tree(path, text)
            self.budget.spend(path, 0 if tree is None else TREE_WORK * len(tree.text))
            self._files[path] = None if tree is None else _File(tree, self._values.get(path, {}))
        return self._files[path]


def propose(findings: Iterable[Finding], proposer: FixProposer, problems: list[FileError]) -> list[Finding]:
    """Return ``findings`` with their fixes; a recipe that fails costs the fixes of one finding, and is a problem."""
    found = []
    for finding in findings:
        try:
            finding = attach_fixes(finding, proposer.fixes(finding))
        except Exception as error:
            span = finding.span
            problems.append(internal_error(span.path, span.line, f"a fix for {finding.code}", error))
        found.append(finding)
    return found


def attach_fixes(finding: Finding, fixes: tuple[Fix, ...]) -> Finding:
    """Return ``finding`` with these fixes."""
    return replace(finding, fixes=fixes) if fixes else finding


class _File:
    """The syntax tree of a file, and the recorded values of its expressions by their offsets."""

    def __init__(self, tree: SyntaxTree, values: Mapping[Place, Value]) -> None:
        self.tree = tree
        offset = tree.offsets.of_bytes
        self.values = {
            (offset(line, column), offset(end_line, end_column)): value
            for (_, line, column, end_line, end_column), value in values.items()
        }


class _Attempts:
    """The work of the recipes for a finding, each of which reads ``size`` characters."""

    def __init__(self) -> None:
        self.size = 0
        self.work = 0

    def rewrite(self, recipe: Recipe, ctx: FixContext) -> Rewrite | TextRewrite | None:
        """Return what a recipe makes, and count the work."""
        self.work += self.size
        made = recipe(ctx)
        if made is not None:
            self.work += self.size * RECIPES_FOR_REWRITE
        return made


def _size_around(tree: SyntaxTree, node: cst.CSTNode) -> int:
    """Return the number of characters of the outermost function around a node, or of the statement in the module."""
    outer = [node, *tree.ancestors(node)][:-1]
    functions = [each for each in outer if isinstance(each, cst.FunctionDef)]
    start, end = tree.bounds((functions or outer)[-1])
    return end - start


def _fixes(
    finding: Finding,
    tree: SyntaxTree,
    values: Mapping[Bounds, Value],
    options: FixOptions,
    attempts: _Attempts,
) -> Iterator[Fix]:
    """Yield the fixes of all recipes of the finding's rule, then escape hatches if there is no better fix."""
    node = tree.expression_at(finding.span)
    statement = None if node is None else tree.enclosing_statement(node)
    if node is None or statement is None:
        return
    attempts.size = _size_around(tree, node)
    ctx = FixContext(finding, tree, node, statement, values, options.settings, options.torch_version)
    choice = options.settings.get(finding.code)
    has_fix = False
    for recipe in _recipes(finding, choice):
        for fix in _as_fix(attempts.rewrite(recipe, ctx), finding, tree):
            has_fix |= fix.applicability != "display" and not fix.last_resort
            yield fix
    if options.escape_hatches and not has_fix and choice != "off":
        rule = rule_by_code(finding.code)
        for recipe in map(_load_recipe, rule.escape_hatches if rule else ()):
            yield from _as_fix(attempts.rewrite(recipe, ctx), finding, tree)


def _as_fix(rewrite: Rewrite | TextRewrite | None, finding: Finding, tree: SyntaxTree) -> Iterator[Fix]:
    """Yield the fix that makes a rewrite, if it changes the file, drops no comment and the new text is valid Python."""
    if rewrite is None:
        return
    path = finding.span.path
    if isinstance(rewrite, TextRewrite):
        length = line_length(tree.path, tree.text)
        edits_text = [(start, end, _wrapped_edit(tree, start, text, length)) for start, end, text in rewrite.edits]
        rewrite = replace(rewrite, edits=edits_text)
    new = _new_text(rewrite, tree)
    if isinstance(rewrite, TextRewrite):
        edits = tuple(
            Edit(Span(path, *tree.offsets.position(start), *tree.offsets.position(end)), text)
            for start, end, text in rewrite.edits
        )
    else:
        edits = new.edits(tree)
    if edits and not _drops_comment(tree, edits) and _is_valid_python(new.text) and new.filled() != tree.text:
        last_resort = isinstance(rewrite, Rewrite) and rewrite.last_resort
        yield Fix(rewrite.title, rewrite.applicability, edits, last_resort=last_resort, quiet=rewrite.quiet)


def _drops_comment(tree: SyntaxTree, edits: Sequence[Edit]) -> bool:
    """Return whether a comment inside an expression is lost, although its statement is not just removed."""
    written = "".join(each.content for each in edits)
    for edit in edits:
        start = tree.offsets.offset(edit.span.line, edit.span.column)
        end = tree.offsets.offset(edit.span.end_line, edit.span.end_column)
        if "#" not in tree.text[start:end]:
            continue
        for (first, last), (begin, stop) in tree.comments_in_brackets.items():
            is_lost = start < last and first < end and tree.text[first:last] not in written
            if is_lost and not (start <= begin and stop <= end and not edit.content.strip()):
                return True
    return False


def _wrapped_edit(tree: SyntaxTree, start: int, text: str, length: int) -> str:
    """Return the text of an edit with long lines wrapped; one statement gets the indent of the place."""
    indent = tree.text[tree.text.rfind("\n", 0, start) + 1 : start]
    if "\n" in text or not indent or indent.strip():
        return wrapped("", text, length)
    lines = wrapped("", text, length - len(indent)).splitlines()
    return f"\n{indent}".join(lines)


def breaking_library(finding: Finding) -> str | None:
    """Return the library file in which the graph breaks, if the user's line reaches it by a call."""
    if not finding.chain or finding.chain[-1].path == finding.span.path or finding.category not in _FIXABLE:
        return None
    return finding.chain[-1].path


def _library_text(path: str) -> str | None:
    try:
        return Original.read(Path(path)).text
    except SourceProblem:
        return None


def _overrides(finding: Finding, library: _File | None, name: str, user: _File) -> tuple[Fix, ...]:
    """Return the fix that adds a subclass which overrides the library method that breaks."""
    if library is None:
        return ()
    made = overriding_subclass(finding, Library(library.tree, name, library.values), user.tree, _fixed_text)
    if made is None:
        return ()
    at, text = made
    title = f"override `{finding.chain[-1].function}` in a subclass"
    return tuple(_as_fix(TextRewrite(title, "display", [(at, at, text)]), finding, user.tree))


def _fixed_text(ctx: FixContext) -> str | None:
    """Return the text of the file of ``ctx`` after the first fix that a recipe makes."""
    rule = rule_by_code(ctx.finding.code)
    for name in (*rule.recipes, *rule.escape_hatches) if rule is not None else ():
        rewrite = _load_recipe(name)(ctx)
        if rewrite is None:
            continue
        new = _new_text(rewrite, ctx.tree)
        text = new.filled()
        if text != ctx.tree.text and _is_valid_python(new.text):
            return text
    return None


def _new_text(rewrite: Rewrite | TextRewrite, tree: SyntaxTree) -> Skeleton:
    if isinstance(rewrite, TextRewrite):
        return skeleton_of_edits(tree, compatible_edits([Patch(tuple(rewrite.edits))])[0])
    new = apply_rewrite(tree, rewrite)
    return replace(new, text=wrapped(tree.text, new.text, line_length(tree.path, tree.text)))


def _is_valid_python(text: str) -> bool:
    try:
        parse_module(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _recipes(finding: Finding, choice: str | None = None) -> tuple[Recipe, ...]:
    """Return the recipes of the finding's rule, or with ``choice`` the one of that name.

    A break inside a library, which the user's line only reaches, has none.
    """
    rule = rule_by_code(finding.code)
    if rule is None or not _is_fixable(finding):
        return ()
    return tuple(_load_recipe(recipe) for recipe, name in zip(rule.recipes, rule.fix_names) if choice in (None, name))


def _is_fixable(finding: Finding) -> bool:
    return breaking_library(finding) is None and finding.category in _FIXABLE


@cache
def _load_recipe(name: str) -> Recipe:
    """Import the recipe that a rule names as ``module.function`` of ``gblint.fix.recipes``."""
    module, _, function = name.rpartition(".")
    found: Recipe = getattr(importlib.import_module(f"gblint.fix.recipes.{module}"), function)
    return found
