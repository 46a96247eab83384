r"""Patterns in the syntax of ``.gitignore``, matched in time linear in the pattern and at most quadratic in the path.

A pattern is divided at each ``*`` into pieces, and a path pattern at each ``**`` into runs of names.  The first one is
compared at the start, the last one at the end, and each one between is searched for from the left: a match that is
found first leaves the most for the rest, so that nothing has to be tried again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

_ANYWHERE = "**"
_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "\\x21-\\x7e",
    "lower": "a-z",
    "print": "\\x20-\\x7e",
    "punct": "\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e",
    "space": " \\t-\\r",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}


class PathPatterns:
    """The lines of a ``.gitignore``, which apply to paths below one folder; malformed lines are skipped, as in git."""

    __slots__ = ("_folders", "_patterns")

    def __init__(self, lines: Iterable[str]) -> None:
        found = [pattern for pattern in map(_pattern, lines) if pattern is not None]
        self._patterns = found[::-1]
        self._folders: dict[tuple[str, ...], bool] = {}

    def decide(self, path: str, *, is_dir: bool) -> bool | None:
        """Return whether a path, relative and with forward slashes, is ignored; None if no pattern is about it.

        The last pattern that matches decides, and all is ignored below a folder that is ignored.
        """
        names = tuple(path.split("/"))
        if self._is_below_ignored(names):
            return True
        return self._own(names, is_dir)

    def _is_below_ignored(self, names: tuple[str, ...]) -> bool:
        if len(names) < 2:
            return False
        folder = names[:-1]
        known = self._folders.get(folder)
        if known is None:
            known = self._folders[folder] = self._is_below_ignored(folder) or self._own(folder, True) is True
        return known

    def _own(self, names: tuple[str, ...], is_dir: bool) -> bool | None:
        for pattern in self._patterns:
            if pattern.matches(names, is_dir):
                return pattern.ignores
        return None


class _Piece:
    """A part of the pattern of a name without ``*``: each of its places matches one character."""

    __slots__ = ("length", "pattern", "text")

    def __init__(self, text: str, length: int, pattern: re.Pattern[str] | None) -> None:
        self.text = text
        self.length = length
        self.pattern = pattern

    def is_at(self, name: str, position: int) -> bool:
        """Return whether the piece matches at ``position``."""
        if self.pattern is None:
            return name.startswith(self.text, position)
        return self.pattern.match(name, position) is not None

    def find(self, name: str, start: int, end: int) -> int:
        """Return the first match between two positions; -1 if there is none."""
        if self.pattern is None:
            return name.find(self.text, start, end)
        found = self.pattern.search(name, start, end)
        return -1 if found is None else found.start()


class _Name:
    """The pattern of one name in a path: pieces with any characters between them."""

    __slots__ = ("_pieces",)

    def __init__(self, pieces: list[_Piece]) -> None:
        self._pieces = pieces

    def matches(self, name: str) -> bool:
        """Return whether the whole name matches."""
        first, last = self._pieces[0], self._pieces[-1]
        if first is last:
            return len(name) == first.length and first.is_at(name, 0)
        end = len(name) - last.length
        if first.length > end or not first.is_at(name, 0) or not last.is_at(name, end):
            return False
        position = first.length
        for piece in self._pieces[1:-1]:
            found = piece.find(name, position, end)
            if found < 0:
                return False
            position = found + piece.length
        return True


class _Pattern:
    """One line: runs of names with any folders between them.  ``ignores`` is false if the line begins with ``!``."""

    __slots__ = ("_only_folders", "_runs", "ignores")

    def __init__(self, runs: list[list[_Name]], *, ignores: bool, only_folders: bool) -> None:
        self._runs = runs
        self.ignores = ignores
        self._only_folders = only_folders

    def matches(self, names: Sequence[str], is_dir: bool) -> bool:
        """Return whether the path with these names matches."""
        if self._only_folders and not is_dir:
            return False
        first, last = self._runs[0], self._runs[-1]
        if first is last:
            return len(names) == len(first) and _is_at(first, names, 0)
        end = len(names) - len(last)
        if len(first) > end or not _is_at(last, names, end) or not _is_at(first, names, 0):
            return False
        position = len(first)
        for run in self._runs[1:-1]:
            while position + len(run) <= end and not _is_at(run, names, position):
                position += 1
            position += len(run)
            if position > end:
                return False
        return True


def _is_at(run: list[_Name], names: Sequence[str], position: int) -> bool:
    return all(pattern.matches(names[index]) for index, pattern in enumerate(run, position))


def _pattern(line: str) -> _Pattern | None:
    """Return the pattern of a line; None for a blank line, a comment, and a malformed pattern."""
    text = line.rstrip()
    if (len(text) - len(text.rstrip("\\"))) % 2 and len(text) < len(line):
        text += line[len(text)]
    if text.startswith("#"):
        return None
    ignores = not text.startswith("!")
    parts = text.removeprefix("!").split("/")
    only_folders = parts[-1] == ""
    if only_folders:
        parts.pop()
    if not any(parts):
        return None
    if len(parts) == 1:
        parts.insert(0, _ANYWHERE)
    elif parts[0] == "":
        del parts[0]
    if parts[-1] == _ANYWHERE:
        parts.append("*")
    runs: list[list[_Name]] = [[]]
    for part in parts:
        if part == _ANYWHERE:
            runs.append([])
            continue
        pieces = _pieces(part)
        if pieces is None:
            return None
        runs[-1].append(_Name(pieces))
    return _Pattern(runs, ignores=ignores, only_folders=only_folders)


def _pieces(text: str) -> list[_Piece] | None:
    """Return the pieces of the pattern of a name; None if it is malformed."""
    pieces: list[_Piece] = []
    plain: list[str] = []
    places: list[str] = []
    for kind, place in _places(text):
        if kind == "malformed":
            return None
        if kind == "*":
            pieces.append(_piece(plain, places))
            plain, places = [], []
            continue
        places.append(re.escape(place) if kind == "character" else place)
        if kind == "character":
            plain.append(place)
    return [*pieces, _piece(plain, places)]


def _piece(plain: list[str], places: list[str]) -> _Piece:
    is_plain = len(plain) == len(places)
    return _Piece("".join(plain), len(places), None if is_plain else re.compile("".join(places), re.DOTALL))


def _places(text: str) -> Iterator[tuple[str, str]]:
    """Yield the places of a name: each a character, or a regular expression that matches one character."""
    position = 0
    while position < len(text):
        character = text[position]
        position += 1
        if character == "*":
            yield "*", ""
        elif character == "?":
            yield "any", "."
        elif character == "[":
            expression, position = _character_class(text, position)
            yield ("class" if expression else "malformed"), expression
        elif character == "\\":
            yield ("character" if position < len(text) else "malformed"), text[position : position + 1]
            position += 1
        else:
            yield "character", character


def _character_class(text: str, start: int) -> tuple[str, int]:
    """Return the regular expression of the ``[...]`` whose contents begin at ``start``, and the position behind it.

    The expression is empty if the class is malformed.
    """
    position = start + (text[start : start + 1] in ("!", "^"))
    negated = position > start
    members: list[str] = []
    first = position
    while position < len(text) and (text[position] != "]" or position == first):
        if text.startswith("[:", position):
            name, closed, _ = text[position + 2 :].partition(":]")
            if not closed or name not in _CLASSES:
                return "", len(text)
            members.append(_CLASSES[name])
            position += len(name) + 4
            continue
        low, position = _member(text, position)
        members.append(re.escape(low))
        if text.startswith("-", position) and text[position + 1 : position + 2] not in ("", "]"):
            high, position = _member(text, position + 1)
            if low <= high:
                members.append(f"{re.escape(low)}-{re.escape(high)}")
    if position >= len(text):
        return "", len(text)
    return f"[{'^' if negated else ''}{''.join(members)}]", position + 1


def _member(text: str, position: int) -> tuple[str, int]:
    """Return the character at ``position``, without the backslash before it, and the position behind it."""
    if text[position] == "\\" and position + 1 < len(text):
        position += 1
    return text[position], position + 1
