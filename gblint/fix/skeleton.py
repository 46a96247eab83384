"""The text of a changed syntax tree, made of the old text where the tree has not changed.

libcst writes a tree node by node, Python parses a text from its start, and difflib compares all lines.  For a rewrite
of one line in a function of 900 lines each took 30 to 200 ms.  In a skeleton, runs of statements that a rewrite leaves
alone are one line each.  The skeleton is valid Python if the whole text is.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeVar

import libcst as cst

from gblint.diagnostics.fix import Edit
from gblint.fix.cst_file import SyntaxTree
from gblint.fix.edits import TextEdit, apply_edits, common_ends, edit_of, edits_between, in_one_way, split_lines
from gblint.runtime.lazy_dataclasses import dataclass

_NAME = "__gblint_kept_"
_LINE = re.compile(rf"([ \t]*){_NAME}(\d+)__[\r\n]*\Z")
_PARTS = ("body", "orelse", "finalbody", "handlers", "cases")
_COMPOUND = (cst.BaseCompoundStatement, cst.BaseSuite, cst.Else, cst.Finally, cst.ExceptHandler, cst.ExceptStarHandler)
N = TypeVar("N", bound=cst.CSTNode)


@dataclass(frozen=True, slots=True)
class Skeleton:
    """A new text of a file, in which single lines stand for parts of the old one.

    ``kept`` are the offsets of these parts in the old text, ``old``.
    """

    old: str
    text: str
    kept: Sequence[tuple[int, int]] = ()

    def filled(self) -> str:
        """Return the whole new text."""
        return "".join(map(self._filled, split_lines(self.text))) if self.kept else self.text

    def edits(self, tree: SyntaxTree) -> tuple[Edit, ...]:
        """Return the edits that turn the old text into the new one."""
        if not self._is_in_order():
            return edits_between(tree.path, self.old, self.filled())
        before, starts = self._old_lines()
        after = [self._unindented(line) for line in split_lines(self.text)]
        head, tail = common_ends(before, after)
        matcher = difflib.SequenceMatcher(
            None, before[head : len(before) - tail], after[head : len(after) - tail], autojunk=False
        )
        found = []
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            if tag != "equal":
                start, end = starts[head + i1], starts[head + i2]
                new = "".join(map(self._filled, after[head + j1 : head + j2]))
                found.append(edit_of(tree.path, tree.offsets, start, self.old[start:end], new))
        return in_one_way(found, tree.offsets)

    def _number(self, line: str) -> int | None:
        found = _LINE.match(line) if self.kept and _NAME in line else None
        return None if found is None else int(found[2])

    def _filled(self, line: str) -> str:
        number = self._number(line)
        if number is None:
            return line
        start, end = self.kept[number]
        return self.old[start:end]

    def _unindented(self, line: str) -> str:
        number = self._number(line)
        return line if number is None else f"{_NAME}{number}__"

    def _is_in_order(self) -> bool:
        return all(end <= start for (_, end), (start, _) in zip(self.kept, self.kept[1:]))

    def _old_lines(self) -> tuple[list[str], list[int]]:
        """Return the lines of the old text, with one for each part that is kept, and their offsets with the end."""
        lines: list[str] = []
        starts, position = [0], 0
        for number, (start, end) in enumerate([*self.kept, (len(self.old), len(self.old))]):
            for line in split_lines(self.old[position:start]):
                lines.append(line)
                starts.append(starts[-1] + len(line))
            if number < len(self.kept):
                lines.append(f"{_NAME}{number}__")
                starts.append(end)
            position = end
        return lines, starts


def skeleton_of(tree: SyntaxTree, module: cst.Module) -> Skeleton:
    """Return the text of ``module``, which shares statements with ``tree``, as a skeleton if that is exact."""
    if _is_exact(tree):
        thinner = _Thinner(tree)
        text = thinner.thinned(module).code
        if thinner.keeps_indents(text):
            return Skeleton(tree.text, text, thinner.kept)
    return Skeleton(tree.text, module.code)


def _is_exact(tree: SyntaxTree) -> bool:
    """Return whether the skeleton of the unchanged tree stands for its text."""
    if tree.is_exact is None:
        thinner = _Thinner(tree)
        skeleton = Skeleton(tree.text, thinner.thinned(tree.module).code, thinner.kept)
        tree.is_exact = _NAME not in tree.text and skeleton.filled() == tree.text
    return tree.is_exact


def skeleton_of_edits(tree: SyntaxTree, edits: Sequence[TextEdit]) -> Skeleton:
    """Return the text after sorted edits that do not overlap; statements of the module without one are kept."""
    starts = [*tree.starts_of(tree.module), len(tree.text)]
    touched = {
        number for start, end, _ in edits for number in range(_statement(starts, start), _statement(starts, end) + 1)
    }
    kept: list[tuple[int, int]] = []
    for number, (start, end) in enumerate(pairwise(starts)):
        if number in touched:
            continue
        if kept and kept[-1][1] == start:
            kept[-1] = kept[-1][0], end
        else:
            kept.append((start, end))
    if _NAME in tree.text:
        kept = []
    parts = [(start, end, f"{_NAME}{number}__\n") for number, (start, end) in enumerate(kept)]
    return Skeleton(tree.text, apply_edits(tree.text, sorted([*edits, *parts])), kept)


def _statement(starts: Sequence[int], offset: int) -> int:
    """Return the index of the statement at an offset; -1 in front of the first."""
    return bisect_right(starts, offset) - 1


class _Thinner:
    """Replaces runs of unchanged statements by lines that stand for them; ``kept`` are the offsets of the runs."""

    def __init__(self, tree: SyntaxTree) -> None:
        self._tree = tree
        self.kept: list[tuple[int, int]] = []
        self._indents: list[str] = []

    def thinned(self, node: N) -> N:
        """Return a module, statement, or part of a statement with such lines.

        The last statement of a block is always written: what follows it belongs to the block.
        """
        changes: dict[str, object] = {}
        for name in _PARTS:
            value = getattr(node, name, None)
            if isinstance(node, (cst.Module, cst.IndentedBlock)):
                if name == "body":
                    changes[name] = [*self._statements(node.body)]
            elif isinstance(value, _COMPOUND):
                changes[name] = self.thinned(value)
            elif name in ("handlers", "cases") and isinstance(value, (list, tuple)):
                changes[name] = [self.thinned(each) for each in value]
        return node.with_changes(**changes) if changes else node

    def _statements(self, body: Sequence[cst.BaseStatement]) -> Iterator[cst.BaseStatement]:
        block: cst.CSTNode | None = None
        first = last = -1
        for each in body:
            found = self._tree.place_in_block(each)
            if block is not None and (found is None or found != (block, last + 1)):
                yield self._stand_in(block, first, last)
                block = None
            if found is None:
                yield self.thinned(each) if isinstance(each, cst.BaseCompoundStatement) else each
                continue
            if block is None:
                block, first = found
            last = found[1]
        if block is not None:
            yield self._stand_in(block, first, last)

    def _stand_in(self, block: cst.CSTNode, first: int, last: int) -> cst.BaseStatement:
        assert isinstance(block, (cst.Module, cst.IndentedBlock))
        starts = self._tree.starts_of(block)
        self.kept.append((starts[first], starts[last + 1]))
        self._indents.append(self._tree.indent_of(block.body[first]))
        return cst.SimpleStatementLine([cst.Expr(cst.Name(f"{_NAME}{len(self.kept) - 1}__"))])

    def keeps_indents(self, text: str) -> bool:
        """Return whether each kept run is as deep in the new text as in the old one."""
        found = [match for line in split_lines(text) if _NAME in line and (match := _LINE.match(line)) is not None]
        return [match[1] for match in found] == self._indents
