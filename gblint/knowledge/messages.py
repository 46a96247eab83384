"""Recognition of the ids of torch that an error text is about.

A text is searched for links to ids, for the ``gb_type`` that each message of Dynamo starts with, for the
spellings that earlier versions of torch used, and for the explanations; the first kind in this list that is found
decides.  Templates have placeholders (``{name}``) for names and values of the user's code.  ``data/messages.json`` has
the older spellings (from the sources of torch 2.0 to 2.7) and the messages that have no id.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from gblint.knowledge.data_files import stored
from gblint.knowledge.pasted_errors import Pasted, flatten
from gblint.knowledge.registry import all_registries
from gblint.runtime.lazy_dataclasses import dataclass

_LINK = re.compile(r"\bgb(\d{4})(?:\.html)?\b")
_HOLE = re.compile(r"\{[^{}]*\}")
# The text before a message on its line.
_MARKER = re.compile(
    r"(?:[\w.]*\bunsupported: |\breason: |[\w.]*\busererror: |\bdue to: |\braised unsupported\(|: e\s+|\berror: )(?=\S)"
)
_AFTER_TYPE = re.compile(r" ?(?:explanation:|higher order operator:)")
_LONG = 24  # characters that say enough wherever they stand
_EXPLAINS = 30
_CLOSE = 0.62
_WORD = re.compile(r"[a-z_]{2,}|\d+")


@dataclass(frozen=True, slots=True)
class Topic:
    """A message without its own id, or about a consequence: its meaning, what helps and what does not."""

    name: str
    title: str
    ids: tuple[str, ...]
    cause: str
    advice: tuple[str, ...]
    vain: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """An id found in a text: ``by``: its origin (``link``, ``type``, ``older``, ``explanation``, ``likeness``)."""

    id: str
    by: str
    position: int
    length: int


@dataclass(frozen=True, slots=True)
class Recognised:
    """The result for a text: the ids in the order in which they appear, and the topics it mentions."""

    matches: tuple[Match, ...]
    topics: tuple[Topic, ...]
    near: tuple[str, ...] = ()


def topic_of(gb_id: str) -> Topic | None:
    """Return the topic of an id that no rule covers."""
    return next((topic for topic, _ in _topics() if gb_id in topic.ids), None)


class _Template:
    """A text with holes, to be found in a flat text."""

    def __init__(self, text: str) -> None:
        self.flat = flatten(text)
        self.pieces = [piece for piece in (flatten(part) for part in _HOLE.split(text)) if piece]
        self.open_end = bool(_HOLE.search(text[-40:])) and text.rstrip().endswith("}")
        self.size = sum(map(len, self.pieces))
        self.longest = max(self.pieces, key=len, default="")
        self._regex: re.Pattern[str] | None = None

    def find(self, flat: str) -> Iterator[tuple[int, int]]:
        """Iterate over the (start, end) of its occurrences in ``flat``."""
        if not self.longest or self.longest not in flat:
            return
        if self._regex is None:
            self._regex = re.compile(r".{0,400}?".join(map(re.escape, self.pieces)))
        for found in self._regex.finditer(flat):
            yield found.span()


class _Text:
    """A pasted text made flat, with the places where a message may start or end."""

    def __init__(self, pasted: Pasted) -> None:
        parts: list[str] = []
        self.starts: set[int] = set()
        self.ends: set[int] = set()
        offset = 0
        for line in pasted.lines:
            flat = flatten(line)
            if not flat:
                continue
            self.starts.add(offset)
            self.ends.add(offset + len(flat))
            parts.append(flat)
            offset += len(flat) + 1
        self.flat = " ".join(parts)
        self.starts |= {found.end() for found in _MARKER.finditer(self.flat)}
        # Quotation marks and such before a message, a full stop after it.
        self.starts |= {start + 1 for start in self.starts if self.flat[start : start + 1] in "'\"`(-"}
        self.ends |= {end - 1 for end in self.ends if self.flat[end - 1 : end] in ".:'\"`)"}

    def is_whole(self, start: int, end: int) -> bool:
        """Return whether a message starts and ends at these positions."""
        return start in self.starts and (end in self.ends or _AFTER_TYPE.match(self.flat, end) is not None)


def recognise(pasted: Pasted) -> Recognised:
    """Return the ids that a text is about; if there is none, those with the nearest wording."""
    text = _Text(pasted)
    topics = tuple(topic for topic, templates in _topics() if any(any(t.find(text.flat)) for t in templates))
    for find in (_named, _typed, _older, _explained):
        matches = _in_order(find(text))
        if matches:
            return Recognised(matches, topics)
    if topics:
        return Recognised((), topics)
    scored = _nearest(text.flat)
    if scored and scored[0][0] >= _CLOSE and (len(scored) == 1 or scored[0][0] - scored[1][0] > 0.08):
        return Recognised((Match(scored[0][1], "likeness", 0, 0),), ())
    return Recognised((), (), tuple(gb_id for score, gb_id in scored if score >= _CLOSE / 2)[:3])


def _named(text: _Text) -> Iterator[Match]:
    for found in _LINK.finditer(text.flat):
        gb_id = f"GB{found[1]}"
        if gb_id in _types():
            yield Match(gb_id, "link", found.start(), 0)
    # The breaks of a text that is cut off before its links, or has them for some.
    yield from _typed(text)


def _typed(text: _Text) -> Iterator[Match]:
    for gb_id, templates in _types().items():
        for number, template in enumerate(templates):
            for start, end in template.find(text.flat):
                if text.is_whole(start, end):
                    yield Match(gb_id, "earlier" if number else "type", start, end - start)


def _older(text: _Text) -> Iterator[Match]:
    for gb_id, template in _spellings():
        for start, end in template.find(text.flat):
            whole = start in text.starts and (template.open_end or text.is_whole(start, end))
            if whole or template.size >= _LONG:
                yield Match(gb_id, "older", start, template.size)
    for gb_id, templates in _types().items():
        for template in templates:
            if template.size >= _LONG:
                for start, _ in template.find(text.flat):
                    yield Match(gb_id, "older", start, template.size)


def _explained(text: _Text) -> Iterator[Match]:
    for gb_id, template in _explanations():
        if template.size >= _EXPLAINS:
            for start, _ in template.find(text.flat):
                yield Match(gb_id, "explanation", start, template.size)


def _in_order(found: Iterator[Match]) -> tuple[Match, ...]:
    """Sort by position, each id once; of two that overlap the longer wins, of two in one place the current wording."""
    kept: list[Match] = []
    for match in sorted(found, key=lambda match: (-match.length, match.position, match.by == "earlier", match.id)):
        if not match.length or not any(_overlap(match, other) for other in kept):
            kept.append(match)
    first: dict[str, Match] = {}
    for match in sorted(kept, key=lambda match: match.position):
        first.setdefault(match.id, match)
    return tuple(first.values())


def _overlap(one: Match, other: Match) -> bool:
    apart = one.position >= other.position + other.length or other.position >= one.position + one.length
    same = (one.position, one.length, one.by) == (other.position, other.length, other.by)
    return not apart and not same


@cache
def _types() -> Mapping[str, tuple[_Template, ...]]:
    """Return the first words of the messages of each id: the newest wording first, then those of other versions."""
    found: dict[str, dict[str, None]] = {}
    for entries in reversed(all_registries()):
        for gb_id, entry in entries.items():
            found.setdefault(gb_id, {}).update(dict.fromkeys((entry.type, *entry.earlier)))
    return {gb_id: tuple(map(_Template, texts)) for gb_id, texts in found.items()}


@cache
def _explanations() -> tuple[tuple[str, _Template], ...]:
    texts = {(gb_id, entry.explanation): None for each in all_registries() for gb_id, entry in each.items()}
    return tuple((gb_id, _Template(text)) for gb_id, text in texts)


@cache
def _spellings() -> tuple[tuple[str, _Template], ...]:
    return tuple((gb_id, _Template(text)) for gb_id, texts in _data()["older"].items() for text in texts)


@cache
def _topics() -> tuple[tuple[Topic, tuple[_Template, ...]], ...]:
    return tuple(
        (
            Topic(name, raw["title"], tuple(raw.get("ids", ())), raw["cause"], tuple(raw["try"]), tuple(raw["vain"])),
            tuple(map(_Template, raw["says"])),
        )
        for name, raw in _data()["topics"].items()
    )


@cache
def _data() -> dict[str, dict[str, Any]]:
    return stored("messages")  # type: ignore[no-any-return]


def _nearest(flat: str) -> list[tuple[float, str]]:
    """Return (score, id) of the types that share the most words with ``flat``, rare words weighted more; best first."""
    words = set(_WORD.findall(flat))
    known = {gb_id: set(_WORD.findall(templates[0].flat)) for gb_id, templates in _types().items()}
    frequency = Counter(word for entry in known.values() for word in entry)
    weight = {word: math.log(1 + len(known) / count) for word, count in frequency.items()}
    asked = sum(weight.get(word, math.log(1 + len(known))) for word in words) or 1.0
    scored = []
    for gb_id, entry in known.items():
        shared = sum(weight[word] for word in entry & words)
        score = 2 * shared / (asked + sum(weight[word] for word in entry))
        if score > 0:
            scored.append((score, gb_id))
    return sorted(scored, reverse=True)[:5]
