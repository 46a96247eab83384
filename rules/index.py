"""The index of the rules: their codes, names and events, without an import of their modules.

``python -m tools.rule_index`` writes ``index.json`` from the modules; a test checks that it is current.  Importing all
modules took a fifth of a lint run of one file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cache

from gblint.rules.rule import On
from gblint.runtime.lazy_dataclasses import dataclass

INDEX = os.path.join(os.path.dirname(__file__), "index.json")


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """The attributes of a rule that are needed to choose it, and its module, relative to ``gblint.rules``."""

    code: str
    name: str
    module: str
    opt_in: bool
    on: tuple[On, ...]


@cache
def index() -> Mapping[str, IndexEntry]:
    """Return the entry of every rule by its code, sorted by code."""
    with open(INDEX, encoding="utf-8") as file:
        stored = json.load(file)
    return {
        code: IndexEntry(code, name, module, opt_in, tuple(On(kind, tuple(s), frozenset(c)) for kind, s, c in on))
        for code, (name, module, opt_in, on) in stored.items()
    }


def all_codes() -> tuple[str, ...]:
    """Return the codes of all rules, sorted."""
    return tuple(index())


def default_codes() -> frozenset[str]:
    """Return the codes of the rules that are on unless they are ignored."""
    return frozenset(entry.code for entry in index().values() if not entry.opt_in)


def codes_for(kind: str) -> frozenset[str]:
    """Return the codes of the rules that describe events of this kind."""
    return frozenset(entry.code for entry in index().values() if any(on.kind == kind for on in entry.on))
