"""A source file as a concrete syntax tree; positions of nodes are converted to those of findings and of ``ast``."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar, cast

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from gblint.diagnostics.span import Span
from gblint.fix.cst_children import children
from gblint.fix.edits import Offsets
from gblint.fix.matchers import remember
from gblint.runtime import ast_walk
from gblint.runtime.quiet_parse import parse_module

N = TypeVar("N", bound=cst.CSTNode)


MAX_FIX_NODES = 50_000
"""A file of more nodes of ``ast`` gets no fixes: for each of them libcst takes up to 110 µs and 3 KB."""
# libcst traverses a tree recursively, with several Python calls for each level.
MAX_TREE_DEPTH = 150
# libcst reads what is in brackets in a pattern up to four times for each bracket around it: 100,000 tokens take 1 s.
MAX_PATTERN_TOKENS = 100_000
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_BETWEEN_LINES = (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT)


class TooManyNodes(Exception):
    """A text has more nodes than ``MAX_FIX_NODES``."""


class SyntaxTree:
    """The concrete syntax tree of ``text``.

    Raises ``libcst.ParserSyntaxError`` if libcst cannot read the text, RecursionError if it is too deeply nested, and
    ``TooManyNodes``.
    """

    def __init__(self, path: str, text: str) -> None:
        levels = _levels(text)
        if sum(levels) > MAX_FIX_NODES:
            raise TooManyNodes
        if len(levels) > MAX_TREE_DEPTH or _pattern_tokens(text) > MAX_PATTERN_TOKENS:
            raise RecursionError("too deeply nested")
        self.path = path
        self.text = text
        self.offsets = Offsets(text)
        wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
        self.module = wrapper.module
        remember(self.module)
        self._positions = _positions(wrapper)
        self._parents = _parents(self.module)
        self._spans: dict[tuple[int, int], list[cst.BaseExpression]] | None = None
        # Whether skeletons of the tree are exact; None as long as that is not known.
        self.is_exact: bool | None = None
        # For each function the names at which it may change a variable in place.
        self.changed_names: dict[cst.FunctionDef, dict[str, list[cst.Name]]] = {}
        self._indexes: dict[cst.CSTNode, dict[cst.CSTNode, int]] = {}
        self._starts: dict[cst.CSTNode, Sequence[int]] = {}

    @cached_property
    def ast(self) -> ast.Module:
        """The file as an ``ast`` tree; raises ``SyntaxError`` if only libcst can read it."""
        return parse_module(self.text)

    @cached_property
    def functions(self) -> dict[int, cst.FunctionDef]:
        """The functions and methods, by the lines of their ``def``."""
        found = (node for node in self._positions if isinstance(node, cst.FunctionDef))
        return {self._positions[node].start.line: node for node in found}

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that occur in the file."""
        return frozenset(node.value for node in self._positions if isinstance(node, cst.Name))

    @cached_property
    def comments_in_brackets(self) -> dict[tuple[int, int], tuple[int, int]]:
        """The offsets of the comments inside brackets, which belong to an expression, and of the statement around."""
        found = {}
        for node in self._positions:
            if isinstance(node, cst.Comment) and self.enclosing(node, cst.ParenthesizedWhitespace) is not None:
                statement = self.enclosing_statement(node)
                assert statement is not None
                found[self.bounds(node)] = self.bounds(statement)
        return found

    def expression_at(self, span: Span) -> cst.BaseExpression | None:
        """Return the outermost expression with exactly this ``span``; parentheses around it do not count."""
        start = self.offsets.offset(span.line, span.column)
        end = self.offsets.offset(span.end_line or span.line, span.end_column or span.column)
        return next(iter(self._by_span().get((start, end), ())), None)

    def expressions_in(self, line: int) -> list[cst.BaseExpression]:
        """Return the expressions that begin in ``line``, outer ones first."""
        found = [
            node
            for node, place in self._positions.items()
            if isinstance(node, cst.BaseExpression) and place.start.line == line
        ]
        return sorted(found, key=lambda node: (self.bounds(node)[0], -self.bounds(node)[1]))

    def enclosing_statement(self, node: cst.CSTNode) -> cst.BaseStatement | cst.BaseSmallStatement | None:
        """Return the innermost statement around ``node``."""
        return next(
            (n for n in self.ancestors(node) if isinstance(n, (cst.BaseStatement, cst.BaseSmallStatement))), None
        )

    def bounds(self, node: cst.CSTNode) -> tuple[int, int]:
        """Return the start and end offsets of ``node``, without parentheses around it."""
        place = self._positions[node]
        start = self.offsets.offset(place.start.line, place.start.column + 1)
        end = self.offsets.offset(place.end.line, place.end.column + 1)
        return start, end

    def code(self, node: cst.CSTNode) -> str:
        """Return the text of ``node``, without parentheses around it."""
        start, end = self.bounds(node)
        return self.text[start:end]

    def place_in_block(self, statement: cst.CSTNode) -> tuple[cst.CSTNode, int] | None:
        """Return the block of a statement and its index there; None for the last one, and if it is not in the tree."""
        block = self._parents.get(statement)
        if not isinstance(block, (cst.Module, cst.IndentedBlock)) or statement is block.body[-1]:
            return None
        if block not in self._indexes:
            self._indexes[block] = {each: index for index, each in enumerate(block.body)}
        return block, self._indexes[block][statement]

    def starts_of(self, block: cst.Module | cst.IndentedBlock) -> Sequence[int]:
        """Return the offsets of the statements of a block, with the comments and empty lines before each."""
        if block not in self._starts:
            self._starts[block] = [self.offsets.starts[self._first_line(each) - 1] for each in block.body]
        return self._starts[block]

    def _first_line(self, statement: cst.CSTNode) -> int:
        """Return the line in which a statement begins, with the comments and empty lines before it."""
        lines = len(getattr(statement, "leading_lines", ()))
        decorators = getattr(statement, "decorators", ())
        if decorators:
            return self._positions[decorators[0]].start.line - len(decorators[0].leading_lines) - lines
        return self._positions[statement].start.line - lines

    def indent_of(self, statement: cst.CSTNode) -> str:
        """Return the indent of a statement that begins a line."""
        start = self._positions[statement].start
        begin = self.offsets.starts[start.line - 1]
        return self.text[begin : begin + start.column]

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """Return the parent of ``node``."""
        return self._parents.get(node)

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """Yield the ancestors of ``node``, the innermost first."""
        outer = self._parents.get(node)
        while outer is not None:
            yield outer
            outer = self._parents.get(outer)

    def enclosing(self, node: cst.CSTNode, kind: type[N]) -> N | None:
        """Return the innermost node of class ``kind`` around ``node``."""
        return next((outer for outer in self.ancestors(node) if isinstance(outer, kind)), None)

    def _by_span(self) -> dict[tuple[int, int], list[cst.BaseExpression]]:
        if self._spans is None:
            self._spans = {}
            # In the order of the positions inner nodes come first; the outermost one is wanted first.
            for node in reversed(list(self._positions)):
                if isinstance(node, cst.BaseExpression):
                    self._spans.setdefault(self.bounds(node), []).append(node)
        return self._spans


def _parents(module: cst.Module) -> dict[cst.CSTNode, cst.CSTNode]:
    """Return the parent of each node.

    The provider of libcst gives the same and takes ten times as long.
    """
    found: dict[cst.CSTNode, cst.CSTNode] = {}
    pending: list[cst.CSTNode] = [module]
    while pending:
        node = pending.pop()
        for child in children(node):
            found[child] = node
            pending.append(child)
    return found


def _positions(wrapper: MetadataWrapper) -> Mapping[cst.CSTNode, CodeRange]:
    """Return the position of each node.

    ``wrapper.resolve`` gives the same and visits all nodes once more, for providers that nobody has asked for: that
    takes half of its time. An exception that passes through libcst's ``record_syntactic_position`` becomes a KeyError
    in the ``finally`` there; the exception itself is raised here, so that an interruption ends the run.
    """
    provider = PositionProvider()
    try:
        return cast(Mapping[cst.CSTNode, CodeRange], provider._gen(wrapper))
    except KeyError as error:
        first: BaseException = error
        while first.__context__ is not None:
            first = first.__context__
        raise first from None


def _levels(text: str) -> list[int]:
    """Return the number of nodes on each level of the ``ast`` tree; nothing if Python cannot parse the text."""
    try:
        level: list[ast.AST] = [parse_module(text)]
    except (SyntaxError, ValueError):
        return []
    found: list[int] = []
    while level:
        found.append(len(level))
        level = [child for node in level for child in ast_walk.children(node)]
    return found


def _pattern_tokens(text: str) -> int:
    """Return how many tokens libcst reads in the patterns of ``match`` statements, each as often as it is read."""
    if re.search(r"^[ \t]*case\b", text, re.MULTILINE) is None:
        return 0
    total, depth, inside, begins = 0, 0, False, True
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            inside = (inside or (begins and token.string == "case")) and token.type != tokenize.NEWLINE
            begins = token.type in _BETWEEN_LINES
            if inside:
                if depth == 0 and token.string in (":", "if"):
                    inside = False
                depth += (token.string in _OPENING) - (token.string in _CLOSING)
                total += 4**depth
                if total > MAX_PATTERN_TOKENS:
                    break
            else:
                depth = 0
    except (tokenize.TokenError, SyntaxError):
        pass
    return total
