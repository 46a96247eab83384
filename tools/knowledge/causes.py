"""Causes: short, stable names of graph breaks, used by the interpreter instead of the ids of the registry.

``sources/causes.json`` maps each id that any version of torch has to its cause.  ``complete`` adds a cause for a new
id, made from the ``gb_type`` of the id.  An entry is never changed afterwards, so that a rewording in torch changes no
code of gblint; an unreadable new cause may be renamed by hand in that file before the interpreter uses it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from gblint.knowledge.registry import GbEntry, Versions
from gblint.knowledge.version_choice import JUDGED

LONGEST = 48
"""Characters; a longer cause is cut at a word, unless another id already has the shortened cause."""
_HOLE = re.compile(r"\{[^{}]*\}")
_BETWEEN_WORDS = re.compile(r"[^a-z0-9]+")
_NOT_LAST = frozenset(
    "a an and are as be by during for from has in is not of on or that the to when which with without".split()
)


def complete(known: Mapping[str, str], versions: Versions) -> dict[str, str]:
    """Return the causes of all ids of all versions, sorted by id; the ``known`` ones stay as they are."""
    causes = dict(known)
    taken = set(known.values())
    for gb_id, entry in _entries(versions):
        if gb_id not in causes:
            causes[gb_id] = _free(entry, taken)
            taken.add(causes[gb_id])
    return dict(sorted(causes.items()))


def table(causes: Mapping[str, str], registry: Mapping[str, GbEntry]) -> dict[str, str]:
    """Return the table of one version, from causes to ids."""
    return {cause: gb_id for gb_id, cause in causes.items() if gb_id in registry}


def slug(text: str, longest: int = LONGEST) -> str:
    """Return a ``gb_type`` in lower case with dashes between words, cut to ``longest`` characters if possible."""
    words = _BETWEEN_WORDS.sub("-", _HOLE.sub("", text).lower().replace("'", "")).strip("-").split("-")
    cut = len("-".join(words)) > longest
    while len(words) > 1 and (len("-".join(words)) > longest or (cut and words[-1] in _NOT_LAST)):
        words.pop()
    return "-".join(words)


def _entries(versions: Versions) -> Iterator[tuple[str, GbEntry]]:
    """Yield every id once, in the wording of the reference version or else of the first version that has it."""
    for version in (JUDGED, *versions):
        yield from versions[version].items()


def _free(entry: GbEntry, taken: set[str]) -> str:
    short, whole = slug(entry.type), slug(entry.type, 1000)
    return next(each for each in (short, whole, f"{short}-{entry.id.lower()}") if each not in taken)
