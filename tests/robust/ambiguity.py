"""Regular expressions that can take exponential time: those with two ways to match one text inside a repetition.

The expression becomes an automaton; its states are the characters in the expression (Glushkov's construction).  It is
exponentially ambiguous exactly if two different paths lead from a state back to it with the same text (Weber and Seidl,
"On the degree of ambiguity of finite automata", 1991).  Lookarounds and anchors are taken as true, references to groups
as empty.
"""

from __future__ import annotations

import string
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

try:
    from re import _compiler as sre_compile
    from re import _constants as sre
    from re import _parser as sre_parse
except ImportError:  # Python 3.10
    import sre_compile
    import sre_constants as sre
    import sre_parse

SAMPLE = string.printable + "\x00\x7f\x80é²٣中\u2028İß\ud800"
MOST_COPIES = 4
"""A repetition with more copies than this is taken as one without end."""
Edges = list[tuple[int, int]]


@dataclass
class _Part:
    """A part of an expression: the places where it can begin and end, and whether it can be empty.

    A place is listed once for each way to get there.
    """

    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    empty: int = 1


class _Automaton:
    def __init__(self, pattern: str, flags: int) -> None:
        self.characters: list[frozenset[str]] = []
        self.edges: Edges = []
        self.state = sre_parse.parse(pattern, flags).state
        self.flags = self.state.flags
        self.sequence(sre_parse.parse(pattern, flags))

    def sequence(self, items: Iterable[Any]) -> _Part:
        whole = _Part()
        for item in items:
            whole = self.joined(whole, self.part(item))
        return whole

    def joined(self, one: _Part, two: _Part) -> _Part:
        self.edges += [(a, b) for a in one.last for b in two.first]
        return _Part(one.first + two.first * one.empty, two.last + one.last * two.empty, one.empty * two.empty)

    def part(self, item: Any) -> _Part:
        kind, value = item
        if kind in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN):
            return self.place(item)
        if kind is sre.BRANCH:
            parts = [self.sequence(each) for each in value[1]]
            return _Part(
                list(chain.from_iterable(p.first for p in parts)),
                list(chain.from_iterable(p.last for p in parts)),
                sum(p.empty for p in parts),
            )
        if kind is sre.SUBPATTERN:
            return self.sequence(value[3])
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            return self.repeated(*value)
        if kind in (sre.AT, sre.ASSERT, sre.ASSERT_NOT, sre.GROUPREF):
            return _Part()
        raise NotImplementedError(kind)

    def place(self, item: Any) -> _Part:
        made = sre_compile.compile(sre_parse.SubPattern(self.state, [item]), self.flags)
        self.characters.append(frozenset(each for each in SAMPLE if made.fullmatch(each)))
        place = len(self.characters) - 1
        return _Part([place], [place], 0)

    def repeated(self, least: int, most: int, body: Any) -> _Part:
        whole = _Part()
        if most is sre.MAXREPEAT or most > MOST_COPIES:
            for _ in range(min(max(least - 1, 0), MOST_COPIES)):
                whole = self.joined(whole, self.sequence(body))
            one = self.sequence(body)
            self.edges += [(a, b) for a in one.last for b in one.first]
            return self.joined(whole, _Part(one.first, one.last, one.empty + (least == 0)))
        for number in reversed(range(most)):
            whole = self.joined(self.sequence(body), whole)
            whole.empty += number >= least
        return whole


def is_exponential(pattern: str, flags: int = 0) -> bool:
    """Return whether matching can take time exponential in the length of the text."""
    automaton = _Automaton(pattern, flags)
    after: dict[int, list[int]] = {}
    for start, end in automaton.edges:
        after.setdefault(start, []).append(end)
    pairs: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for one, ends in after.items():
        for two, others in after.items():
            pairs[one, two] = {
                (a, b) for a in ends for b in others if automaton.characters[a] & automaton.characters[b]
            }
    component = _components(pairs)
    twice = {edge for edge in automaton.edges if automaton.edges.count(edge) > 1}
    if any(component.get((a, a)) == component.get((b, b), -1) for a, b in twice):
        return True
    same = {component[pair] for pair in pairs if pair[0] == pair[1]}
    return any(component[pair] in same for pair in pairs if pair[0] != pair[1])


def _components(graph: dict[tuple[int, int], set[tuple[int, int]]]) -> dict[tuple[int, int], int]:
    """Return the number of the strongly connected component of each node (Kosaraju)."""
    order: list[tuple[int, int]] = []
    seen: set[tuple[int, int]] = set()
    for root in graph:
        stack = [(root, iter(graph[root]))] if root not in seen else []
        seen.add(root)
        while stack:
            node, ends = stack[-1]
            following = next((end for end in ends if end in graph and end not in seen), None)
            if following is None:
                order.append(node)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(graph[following])))
    before: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for node, following_nodes in graph.items():
        for end in following_nodes:
            before.setdefault(end, []).append(node)
    found: dict[tuple[int, int], int] = {}
    for number, root in enumerate(reversed(order)):
        pending = [root] if root not in found else []
        while pending:
            node = pending.pop()
            if node not in found:
                found[node] = number
                pending += [each for each in before.get(node, ()) if each not in found]
    return found
