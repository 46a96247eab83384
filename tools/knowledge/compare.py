"""Compare what is known of two versions of torch: ``python -m tools.knowledge.compare OLD NEW``.

Prints what a maintainer has to review before NEW can take the place of OLD as the reference version, which the
interpreter and the examples of the rules follow.  Nothing is written.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gblint.knowledge.catalog import flatten
from gblint.knowledge.registry import GbEntry, load_registry
from gblint.knowledge.versions import available_versions
from tools.knowledge.build import CAUSES, DATA, SECTIONS

_MOST_SHOWN = 6
RECORD = Path(__file__).parents[2] / "tests" / "oracle" / "versions.json"


def differences(old: str, new: str) -> Iterator[tuple[str, list[str]]]:
    """Iterate over (title, the items that differ), in the order in which they are reviewed."""
    before, after = _data(old), _data(new)
    yield from _of_registries(load_registry(old), load_registry(new))
    for section in SECTIONS:
        facts, changed = dict(flatten(before["facts"][section])), dict(flatten(after["facts"][section]))
        yield (
            f"{section} with another fact",
            [
                f"{name}: {facts[name]} -> {changed[name]}"
                for name in sorted(facts.keys() & changed.keys())
                if facts[name] != changed[name]
            ],
        )
        yield f"{section} that are new", sorted(changed.keys() - facts.keys())
        yield f"{section} that are gone", sorted(facts.keys() - changed.keys())
    yield (
        "events that the interpreter has to treat otherwise",
        [f"{event}: {fact}" for event, fact in after["events"].items() if before["events"].get(event) != fact],
    )
    yield "settings that are new", sorted(after["settings"].keys() - before["settings"].keys())
    yield "settings that are gone", sorted(before["settings"].keys() - after["settings"].keys())
    yield (
        "settings with another default",
        [
            f"{name}: {before['config'][name]!r} -> {after['config'][name]!r}"
            for name in sorted(before["config"].keys() & after["config"].keys())
            if before["config"][name] != after["config"][name]
        ],
    )
    recorded = json.loads(RECORD.read_text(encoding="utf-8"))
    row = recorded.get(new, {})
    yield (
        f"examples that torch {new} was seen to treat otherwise",
        [f"{digest} {example['rule']}" for digest, example in row.get("differs", {}).items()],
    )
    yield f"examples that gblint does not get right for {new}", row.get("unsaid", "").split()


def _of_registries(old: dict[str, GbEntry], new: dict[str, GbEntry]) -> Iterator[tuple[str, list[str]]]:
    causes: dict[str, str] = json.loads(CAUSES.read_text(encoding="utf-8"))
    yield "ids that are new", [f"{gb_id} {causes[gb_id]}" for gb_id in sorted(new.keys() - old.keys())]
    yield "ids that are gone", [f"{gb_id} {causes[gb_id]}" for gb_id in sorted(old.keys() - new.keys())]
    both = sorted(old.keys() & new.keys())
    retired = [gb_id for gb_id in both if new[gb_id].retired and not old[gb_id].retired]
    yield "ids that nothing gives any more", [f"{gb_id} {causes[gb_id]}" for gb_id in retired]
    yield (
        "ids with another gb_type",
        [
            f"{gb_id}: {old[gb_id].type!r} -> {new[gb_id].type!r}"
            for gb_id in both
            if old[gb_id].type != new[gb_id].type
        ],
    )


def _data(version: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((DATA / f"torch-{version}.json").read_text(encoding="utf-8"))
    return data


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser("python -m tools.knowledge.compare", description=__doc__)
    parser.add_argument("old", choices=available_versions())
    parser.add_argument("new", choices=available_versions())
    parser.add_argument("--all", action="store_true", help=f"every item, not only the first {_MOST_SHOWN} of a list")
    arguments = parser.parse_args()
    for title, items in differences(arguments.old, arguments.new):
        if items:
            print(f"{len(items)} {title}")
            shown = items if arguments.all else items[:_MOST_SHOWN]
            print(*(f"  {item}" for item in shown), sep="\n")
            if len(shown) < len(items):
                print(f"  ... and {len(items) - len(shown)} more")


if __name__ == "__main__":
    main()
