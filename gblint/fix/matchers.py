"""The matchers of libcst, with a ``findall`` for which each file is walked once.

The recipes search the function around each finding several times.  libcst walks all of its nodes for each search: a
file of 900 lines with a finding in each third of them took minutes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Sequence

import libcst as cst
from libcst import matchers
from libcst.matchers import *  # noqa: F403 - the recipes use this module in place of that one
from libcst.matchers import BaseMatcherNode

from gblint.fix.cst_children import children

_KNOWN_FILES = 8


class _Index:
    """The nodes of a file in the order in which libcst visits them, and the range of each with what it contains."""

    def __init__(self, module: cst.Module) -> None:
        self.nodes: list[cst.CSTNode] = []
        self.ranges: dict[int, tuple[int, int]] = {}
        self.places: dict[str, list[int]] = {}
        self._known: dict[tuple[object, ...], list[cst.CSTNode]] = {}
        begun: list[int] = []
        pending: list[cst.CSTNode | None] = [module]
        while pending:
            node = pending.pop()
            if node is None:  # the end of the last node that has begun
                start = begun.pop()
                self.ranges[id(self.nodes[start])] = start, len(self.nodes)
                continue
            begun.append(len(self.nodes))
            self.places.setdefault(type(node).__name__, []).append(len(self.nodes))
            self.nodes.append(node)
            pending.append(None)
            pending += reversed(children(node))

    def search(self, start: int, end: int, matcher: BaseMatcherNode) -> list[cst.CSTNode]:
        """Return the nodes of a range that match; the answer to a simple question is kept."""
        key = _key(matcher)
        if key is None:
            return self._search(start, end, matcher)
        known = self._known.get((start, end, key))
        if known is None:
            known = self._known[start, end, key] = self._search(start, end, matcher)
        return known

    def _search(self, start: int, end: int, matcher: BaseMatcherNode) -> list[cst.CSTNode]:
        kind = type(matcher).__name__
        places: Sequence[int] = range(start, end)
        if _is_of_class(kind):  # else it combines others
            of_kind = self.places.get(kind, [])
            places = of_kind[bisect_left(of_kind, start) : bisect_left(of_kind, end)]
            if not _conditions(matcher):
                return [self.nodes[place] for place in places]
        return [self.nodes[place] for place in places if matchers.matches(self.nodes[place], matcher)]


def _is_of_class(kind: str) -> bool:
    """Return whether the matcher of this name matches the nodes of the class of this name."""
    found = getattr(cst, kind, None)
    return isinstance(found, type) and issubclass(found, cst.CSTNode)


def _conditions(matcher: BaseMatcherNode) -> list[tuple[str, object]]:
    """Return the attributes on which a matcher sets a condition."""
    return [item for item in vars(matcher).items() if item[1] is not matchers.DoNotCare()]


def _key(matcher: object) -> object:
    """Return a key of a matcher of names, numbers, and nodes with such attributes; None for any other."""
    if isinstance(matcher, (str, int)):
        return matcher
    if isinstance(matcher, (list, tuple)):
        parts: list[object] = [_key(each) for each in matcher]
    elif isinstance(matcher, BaseMatcherNode) and _is_of_class(type(matcher).__name__):
        parts = [(name, key) if (key := _key(value)) is not None else None for name, value in _conditions(matcher)]
    else:
        return None
    return None if None in parts else (type(matcher).__name__, *parts)


class _File:
    __slots__ = ("_index", "_module")

    def __init__(self, module: cst.Module) -> None:
        self._module = module
        self._index: _Index | None = None

    @property
    def index(self) -> _Index:
        if self._index is None:
            self._index = _Index(self._module)
        return self._index


_files: deque[_File] = deque(maxlen=_KNOWN_FILES)


def remember(module: cst.Module) -> None:
    """Index the nodes of a file when they are searched for the first time; the last few files are kept."""
    _files.appendleft(_File(module))


def findall(  # type: ignore[no-redef]
    tree: cst.CSTNode, matcher: BaseMatcherNode
) -> Sequence[cst.CSTNode]:
    """Return the nodes in ``tree`` that match, as ``libcst.matchers.findall`` does."""
    for file in _files if isinstance(matcher, BaseMatcherNode) else ():
        found = file.index.ranges.get(id(tree))
        if found is not None:
            return [*file.index.search(*found, matcher)]
    return matchers.findall(tree, matcher)
