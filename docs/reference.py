"""Generation of the parts of the pages that describe the code; two comments mark each part.

``python docs/reference.py`` writes them, and a test checks that they are up to date.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.speed.table import Row
from gblint.cli.main import gblint
from gblint.config.keys import KEYS
from gblint.report.schema import schema

HERE = Path(__file__).parent
BASELINE = HERE.parent / "benchmarks" / "accuracy" / "baseline.json"
SPEED = HERE.parent / "benchmarks" / "speed"
SCHEMA = HERE / "gblint.schema.json"


def keys() -> Iterator[str]:
    """Yield the table of the configuration keys."""
    yield from ("| key | type | default | meaning |", "| --- | --- | --- | --- |")
    yield from (f"| `{name}` | {key.type} | {key.default} | {key.meaning} |" for name, key in KEYS.items())


def commands() -> Iterator[str]:
    """Yield a section with the options of each command."""
    context = click.Context(gblint, info_name="gblint")
    for name in gblint.list_commands(context):
        command = gblint.get_command(context, name)
        if command is None or command.hidden:
            continue
        inner = click.Context(command, info_name=name, parent=context)
        yield from (f"## gblint {name}", "")
        yield f"`gblint {name} {' '.join(command.collect_usage_pieces(inner))}`: {_first(command.help)}"
        yield from ("", "| option | meaning |", "| --- | --- |")
        for option in (each for each in command.params if isinstance(each, click.Option)):
            record = option.get_help_record(inner)
            if record is not None:
                yield f"| `{_cell(record[0])}` | {_cell(record[1])} |"
        yield ""


def _first(text: str | None) -> str:
    return " ".join((text or "").split("\n\n")[0].split())


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def fields() -> Iterator[str]:
    """Yield the table of the fields of the JSON document, nested fields by their path."""
    yield from ("| field | type | meaning |", "| --- | --- | --- |")
    yield from _fields(schema(), "")


def _fields(data: dict[str, Any], way: str) -> Iterator[str]:
    for name, each in data.get("properties", {}).items():
        inner, kind = _kind(each)
        optional = "" if name in data.get("required", ()) else ", not always there"
        yield f"| `{way}{name}` | {kind}{optional} | {each.get('description', inner.get('description', ''))} |"
        marks = "[]." if kind.startswith("list") else "."
        yield from _fields(inner, f"{way}{name}{marks}")


def _kind(data: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the schema of the content, and a description of its type."""
    if "anyOf" in data:
        inner, kind = _kind(data["anyOf"][0])
        return inner, f"{kind} or null"
    if "const" in data:
        return data, f"`{json.dumps(data['const'])}`"
    if "enum" in data:
        return data, ", ".join(f"`{word}`" for word in data["enum"])
    if data["type"] == "array":
        inner, kind = _kind(data["items"])
        return inner, f"list of {kind}s" if kind in ("string", "object") else f"list of {kind}"
    return data, data["type"]


def accuracy() -> Iterator[str]:
    """Yield the table of the figures that CI checks."""
    yield "| records | entries | sites | recall | judged | precision | clean ones | flagged |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for name, figures in json.loads(BASELINE.read_text(encoding="utf-8")).items():
        counts = (figures[each] for each in ("entries", "sites"))
        rest = (
            figures["judged"],
            f"{figures['precision']:.1%}",
            figures["clean entries"],
            figures["clean entries flagged"],
        )
        row = (name.removesuffix(".jsonl"), *counts, f"{figures['recall']:.1%}", *rest)
        yield f"| {' | '.join(map(str, row))} |"


def speed(file: str = "results.json") -> Iterator[str]:
    """Yield the table of the last measurements, and the machine that they were made on."""
    results = json.loads((SPEED / file).read_text(encoding="utf-8"))
    yield "| what | against | measured | from - to | at most | | seconds |"
    yield "| --- | --- | ---: | ---: | ---: | --- | ---: |"
    for data in results["rows"]:
        row = Row(**data)
        seconds = f"{row.seconds:.2f}" if row.value is not None else ""
        cells = (
            row.name,
            row.against,
            row.formatted(row.value),
            row.formatted_spread,
            row.formatted(row.most),
            row.verdict,
            seconds,
        )
        yield f"| {' | '.join(cells)} |"
    by = {"cpu": "on the processor", "wall": "by the clock"}[results["by"]]
    yield from ("", f"Python {results['python']}, {results['cpus']} processors; seconds {by}.")


PARTS = {
    "accuracy.md": {"accuracy": accuracy},
    "speed.md": {"speed": speed, "speed-compiled": lambda: speed("results-compiled.json")},
    "configuration.md": {"keys": keys},
    "commands.md": {"commands": commands},
    "json.md": {"fields": fields},
}


def page(name: str) -> str:
    """Return the text that the page should have."""
    text = (HERE / name).read_text(encoding="utf-8")
    for part, make in PARTS[name].items():
        text = _replaced(text, part, make())
    return text


def _replaced(text: str, part: str, lines: Iterable[str]) -> str:
    marks = re.compile(rf"(<!-- {part}: .*?-->\n)(.*?)(<!-- end -->)", re.DOTALL)
    new = "\n".join(lines).strip() + "\n"
    result, count = marks.subn(lambda found: f"{found[1]}\n{new}\n{found[3]}", text)
    if count != 1:
        raise SystemExit(f"{count} places for {part!r}: one is expected")
    return result


def written() -> dict[Path, str]:
    """Return every file that is generated from the code, completely or in part, with its text."""
    return {
        **{HERE / name: page(name) for name in PARTS},
        SCHEMA: json.dumps(schema(), indent=2) + "\n",
    }


if __name__ == "__main__":
    for path, text in written().items():
        path.write_text(text, encoding="utf-8")
