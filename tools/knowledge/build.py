"""Build the data file of each version of torch from its sources.

There are three sources, of which later ones win: facts read from the files of that torch (``extracted-V.json``, see
``tools.knowledge.extract``); observed results of torch functions (``observed-V.json``); and measurements with Dynamo
(``overlay-V.json``).  The last two are maintained with the scripts in ``tests/knowledge`` and ``tests/oracle``.  One
overlay is complete; each other one has the differences from the overlay that it names as its ``base``.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import Any

from gblint.knowledge.catalog import flatten
from gblint.knowledge.data_files import FOLDER
from gblint.knowledge.facts import Fact, format_fact, parse_fact
from gblint.knowledge.numbers import parse_numbers
from gblint.knowledge.registry import GbEntry, decode, encode
from gblint.knowledge.returns import parse_returns
from gblint.knowledge.version_choice import JUDGED
from gblint.knowledge.versions import release
from gblint.runtime.lazy_dataclasses import replace
from tools.knowledge.causes import complete, table

Facts = dict[str, dict[str, Fact]]

SOURCES = Path(__file__).parent / "sources"
DATA = Path(FOLDER)

CAUSES = SOURCES / "causes.json"

SECTIONS = (
    "functions",
    "tensor_methods",
    "tensor_attributes",
    "ndarray_methods",
    "ndarray_attributes",
    "context_managers",
    "module_classes",
    "classes",
)
_FLAT = frozenset(name for name in SECTIONS if "_methods" in name or "_attributes" in name)
DATA_TAGS = ("dynamic_output_shape", "data_dependent_output")
"""The tags of operators whose result depends on the data."""


class BuildError(RuntimeError):
    """The sources contradict each other or are missing; the message says where."""


def add_observed(facts: Facts, observed: Mapping[str, Mapping[str, str]]) -> None:
    """Set the observed results of facts; a name that torch's files do not have is added as a graph function."""
    for section, groups in observed.items():
        for returns, names in groups.items():
            for name in names.split():
                fact = facts[section].get(name, Fact("graph"))
                facts[section][name] = replace(fact, returns=returns)


def add_overlay(facts: Facts, overlay: Mapping[str, Mapping[str, Mapping[str, str]]]) -> None:
    """Apply the facts of an overlay; a result that it leaves out stays as it is."""
    for section, namespaces in overlay.items():
        for namespace, groups in namespaces.items():
            for text, names in groups.items():
                fact = parse_fact(text)
                for short in names.split():
                    name = f"{namespace}.{short}" if namespace else short
                    known = facts[section].get(name)
                    keep = fact.returns == "unknown" and fact.effect != "inline"
                    facts[section][name] = replace(fact, returns=known.returns) if known and keep else fact


def by_text(names: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """Group names by their text: namespace, then text, then the names that share it."""
    out: dict[str, dict[str, str]] = {}
    for namespace, by_name in names.items():
        sharing: dict[str, list[str]] = defaultdict(list)
        for name, text in by_name.items():
            parse_numbers(text)
            sharing[text].append(name)
        out[namespace] = {text: " ".join(sorted(found)) for text, found in sorted(sharing.items())}
    return out


def _names(groups: Mapping[str, str]) -> dict[str, str]:
    return {name: text for text, names in groups.items() for name in names.split()}


def check_tags(functions: Mapping[str, Fact], tags: Mapping[str, str]) -> None:
    """Raise BuildError if an operator that torch tags as data-dependent has a fact that never breaks."""
    for tag in DATA_TAGS:
        for operator in tags.get(tag, "").split():
            fact = functions.get(f"torch.{operator}")
            if fact is not None and not operator.startswith("_") and not fact.breaks:
                raise BuildError(f"torch.{operator} is tagged {tag}: the overlay must say when it breaks")


def check_events(events: Mapping[str, Fact], causes: Set[str]) -> None:
    """Raise BuildError for an event (``kind subject`` or ``kind subject cause,cause``) with an unknown cause."""
    for event in events:
        unknown = {cause for text in event.split(" ")[2:] for cause in text.split(",")} - causes
        if unknown:
            raise BuildError(f"the event {event!r} has an unknown cause: {', '.join(sorted(unknown))}")


def grouped(section: str, facts: Mapping[str, Fact]) -> dict[str, dict[str, str]]:
    """Return the compact form for the data file: namespace, then fact, then the names separated by spaces."""
    groups: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, fact in facts.items():
        parse_returns(fact.returns)
        namespace, _, short = ("", "", name) if section in _FLAT else name.rpartition(".")
        groups[namespace][format_fact(fact)].append(short)
    return {
        namespace: {text: " ".join(sorted(names)) for text, names in sorted(by_fact.items())}
        for namespace, by_fact in sorted(groups.items())
    }


def _measured() -> list[str]:
    return sorted((path.stem.removeprefix("overlay-") for path in SOURCES.glob("overlay-*.json")), key=release)


def _base(version: str) -> str | None:
    """Return the version that the overlay of this version is based on; None for the one with the complete overlay.

    A version that was not measured is based on the nearest measured version; of two equally near, on the older.
    """
    measured = _measured()
    if version in measured:
        base: str | None = _read(SOURCES / f"overlay-{version}.json").get("base")
        return base
    wanted = release(version)
    return min(measured, key=lambda known: (abs(release(known)[1] - wanted[1]), release(known)))


def overlays(version: str) -> list[dict[str, Any]]:
    """Return the overlays that hold for a version: the complete one first, then the differences from it."""
    base = _base(version)
    before = overlays(base) if base is not None else []
    return [*before, _read(SOURCES / f"overlay-{version}.json")] if version in _measured() else before


def _static(version: str) -> Facts:
    """Return the facts that were extracted from the files of a version."""
    return {
        section: {name: parse_fact(text) for name, text in flatten(groups)}
        for section, groups in _read(SOURCES / f"extracted-{version}.json")["facts"].items()
    }


def add_public_names(functions: dict[str, Fact], aliases: Mapping[str, str]) -> None:
    """Add each public function under the name that programs use: ``torch.cuda.random.seed`` is ``torch.cuda.seed``."""
    for name, fact in tuple(functions.items()):
        module, _, short = name.rpartition(".")
        if module in aliases and not short.startswith("_"):
            functions.setdefault(f"{aliases[module]}.{short}", fact)


def facts_of(version: str, *, own: bool = True) -> Facts:
    """Return all facts of a version; without ``own``, only those without its own overlay."""
    facts, base = _static(version), _base(version)
    if base is None:
        add_observed(facts, _read(SOURCES / f"observed-{version}.json"))
    else:
        known, before = facts_of(base), _static(base)
        facts = {section: carried(facts[section], before[section], known[section]) for section in SECTIONS}
    if own and version in _measured():
        overlay = overlays(version)[-1]
        add_overlay(facts, overlay.get("facts", {}))
        add_overlay(facts, overlay.get("by_hand", {}))
    return facts


def carried(now: Mapping[str, Fact], before: Mapping[str, Fact], known: Mapping[str, Fact]) -> dict[str, Fact]:
    """Return the facts of one section for another version: the ``known`` ones of one, if the files of both agree.

    ``before`` has the facts in the files of the known version, ``now`` those in the files of the other one.
    """
    facts = dict(now)
    for name, fact in known.items():
        old, new = before.get(name), now.get(name)
        if _behaviour(old) == _behaviour(new):
            facts[name] = fact
        elif new is not None:
            facts[name] = replace(new, returns=fact.returns if new.returns == "unknown" else new.returns)
        elif _behaviour(old) != _behaviour(fact):
            # A measurement wins over the files.
            facts[name] = fact
    return facts


def _behaviour(fact: Fact | None) -> tuple[str, tuple[str, ...], str] | None:
    return None if fact is None else (fact.effect, fact.gb_ids, fact.when)


def contents(version: str, *, own_facts: bool = True) -> dict[str, Any]:
    """Return the contents of the data file of an extracted version; ``own_facts`` as in ``facts_of``."""
    extracted = _read(SOURCES / f"extracted-{version}.json")
    registries = decode(_read(DATA / "registry.json"))
    ids = registries[version]
    causes = _read(CAUSES)
    chain = overlays(version)
    facts = facts_of(version, own=own_facts)
    numbers = {namespace: _names(groups) for namespace, groups in extracted["numbers"].items()}
    prefixes: dict[str, Fact] = {}
    events: dict[str, Fact] = {}
    aliases = dict(extracted["aliases"])
    for overlay in chain:
        for namespace, groups in overlay.get("numbers", {}).items():
            numbers.setdefault(namespace, {}).update(_names(groups))
        prefixes.update({prefix: parse_fact(text) for prefix, text in overlay.get("prefixes", {}).items()})
        events.update({event: parse_fact(text) for event, text in overlay.get("events", {}).items()})
        aliases.update(overlay.get("aliases", {}))
    check_events(events, set(causes.values()))
    add_public_names(facts["functions"], aliases)
    for name in facts["classes"]:
        # trace_rules lists a few classes among the functions.
        facts["functions"].pop(name, None)
    check_tags(facts["functions"], extracted["tags"])
    for section in (*facts.values(), prefixes, events):
        for name, fact in section.items():
            unknown = set(fact.gb_ids) - set(ids)
            if unknown and _base(version) is None:
                raise BuildError(f"{name}: torch {version} has no {', '.join(unknown)}")
            section[name] = replace(fact, gb_ids=tuple(gb_id for gb_id in fact.gb_ids if gb_id in ids))
    return {
        "version": version,
        "measured": chain[-1]["version"],
        "causes": (own := table(causes, ids)),
        "reference_causes": {
            cause: gb_id for cause, gb_id in table(causes, registries[JUDGED]).items() if cause not in own
        },
        "facts": {section: grouped(section, facts[section]) for section in SECTIONS},
        "numbers": by_text(numbers),
        "prefixes": {prefix: format_fact(fact) for prefix, fact in prefixes.items()},
        **_reversed(facts["functions"], facts_of(chain[0]["version"])["functions"]),
        "events": {name: format_fact(fact) for name, fact in sorted(events.items())},
        "aliases": aliases,
        **{key: extracted[key] for key in ("skip", "inline", "skip_packages", "config", "settings")},
        **{key: extracted[key] for key in ("tags", "without_fake")},
    }


def _reversed(now: Mapping[str, Fact], base: Mapping[str, Fact]) -> dict[str, str]:
    """Return the functions that only one of two versions traces: this one, or the one with the complete overlay."""
    both = sorted(name for name in now if name in base)
    always = {name for name in both if now[name].breaks and not now[name].when}
    return {
        "traced": " ".join(name for name in both if base[name].breaks and not now[name].breaks),
        "refused": " ".join(name for name in both if name in always and (base[name].when or not base[name].breaks)),
    }


def save(extracted: Mapping[str, Any], registry: dict[str, GbEntry]) -> None:
    """Write what was extracted from one torch to the files that ``build_all`` reads."""
    version = extracted["version"]
    write(SOURCES / f"extracted-{version}.json", extracted)
    path = DATA / "registry.json"
    versions = {**(decode(_read(path)) if path.is_file() else {}), version: registry}
    write(path, encode(versions))
    write(CAUSES, complete(_read(CAUSES), versions))


def build_all() -> Iterator[str]:
    """Write the data file of every extracted version; yields a line about each."""
    for path in sorted(SOURCES.glob("extracted-*.json")):
        version = path.stem.removeprefix("extracted-")
        built = contents(version)
        write(DATA / f"torch-{version}.json", built)
        counts = ", ".join(f"{len(dict(flatten(groups)))} {section}" for section, groups in built["facts"].items())
        yield f"torch {version}: {counts}"


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def write(path: Path, contents: object) -> None:
    """Write a JSON file with one entry per line, so that versions can be compared line by line."""
    path.write_text(json.dumps(contents, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
