"""Write ``rules/index.json``, from which gblint knows the codes, the names and the events of the rules.

``make rule`` runs it, so that a new or changed rule is found; a test checks that the file is current.
"""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Iterator
from pathlib import Path

from gblint import rules
from gblint.rules.index import INDEX
from gblint.rules.registry import rules_in
from gblint.rules.rule import Rule


def contents() -> str:
    """Return the text of the file: one line for each rule, sorted by code."""
    entries = sorted((rule.code, _attributes(rule)) for module in _modules() for rule in rules_in(module))
    return "{\n" + ",\n".join(f"{json.dumps(code)}: {json.dumps(found)}" for code, found in entries) + "\n}\n"


def _modules() -> Iterator[str]:
    """Yield the dotted name of each module in a family, which is a package in the folder of the rules."""
    for family in pkgutil.iter_modules(rules.__path__, "gblint.rules."):
        if family.ispkg:
            folders = [str(Path(path, family.name.rpartition(".")[2])) for path in rules.__path__]
            yield from (module.name for module in pkgutil.iter_modules(folders, f"{family.name}."))


def _attributes(rule: type[Rule]) -> list[object]:
    """Return the values of the fields of an ``IndexEntry`` after ``code``."""
    events = [(on.kind, on.subjects, sorted(on.context)) for on in rule.on]
    return [rule.name, rule.__module__.removeprefix("gblint.rules."), rule.opt_in, events]


if __name__ == "__main__":
    Path(INDEX).write_text(contents(), encoding="utf-8")
