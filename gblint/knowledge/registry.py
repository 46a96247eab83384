"""Dynamo's graph-break registry over several versions of torch, in one file.

``_dynamo/graph_break_registry.json`` is only ever added to: an id keeps its place when its last call site goes, and its
texts are reworded now and then.  The file has for each id the versions that know it and those that can still give it,
and one entry for each wording, so that nothing is repeated for every version.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from gblint.knowledge.data_files import stored
from gblint.knowledge.versions import release
from gblint.runtime.lazy_dataclasses import dataclass

Versions = dict[str, dict[str, "GbEntry"]]
"""Version of torch, then id, then the entry of that version."""


@dataclass(frozen=True, slots=True)
class GbEntry:
    """One entry of Dynamo's graph break registry (``torch/_dynamo/graph_break_registry.json``).

    ``earlier`` are types that the id had before; ``retired``: Dynamo no longer reports the id.
    """

    id: str
    type: str
    context: str
    explanation: str
    hints: tuple[str, ...]
    earlier: tuple[str, ...] = ()
    retired: bool = False


def encode(versions: Versions) -> dict[str, Any]:
    """Return the contents of the file; ``decode`` is the inverse."""
    order = sorted(versions, key=release)
    ids = sorted({gb_id for entries in versions.values() for gb_id in entries})
    return {"versions": order, "ids": {gb_id: _encode_id(gb_id, order, versions) for gb_id in ids}}


def _encode_id(gb_id: str, order: list[str], versions: Versions) -> dict[str, Any]:
    wordings: list[tuple[list[str], list[Any]]] = []
    retired = []
    for version in order:
        entry = versions[version].get(gb_id)
        if entry is None:
            continue
        if entry.retired:
            retired.append(version)
        text = [entry.type, entry.context, entry.explanation, list(entry.hints), list(entry.earlier)]
        if wordings and wordings[-1][1] == text:
            wordings[-1][0].append(version)
        else:
            wordings.append(([version], text))
    said = [[" ".join(known), *text] for known, text in wordings]
    return {"retired": " ".join(retired), "said": said} if retired else {"said": said}


def decode(contents: Mapping[str, Any]) -> Versions:
    """Return the argument of ``encode`` from its result."""
    versions: Versions = {version: {} for version in contents["versions"]}
    for gb_id, found in contents["ids"].items():
        retired = found.get("retired", "").split()
        for known, kind, context, explanation, hints, earlier in found["said"]:
            for version in known.split():
                versions[version][gb_id] = GbEntry(
                    gb_id, kind, context, explanation, tuple(hints), tuple(earlier), version in retired
                )
    return versions


@cache
def _load() -> Versions:
    return decode(stored("registry"))


def load_registry(version: str) -> dict[str, GbEntry]:
    """Return the registry of one version that there are data for."""
    return _load()[version]


def all_registries() -> tuple[dict[str, GbEntry], ...]:
    """Return the registries of all versions that there are data for, oldest first."""
    return tuple(_load().values())
