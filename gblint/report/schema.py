"""The JSON contract as a JSON Schema (draft 2020-12).  Tests validate documents with it; the docs are made from it."""

from __future__ import annotations

from typing import Any

from gblint.diagnostics.break_event import Category, Confidence
from gblint.diagnostics.finding import Severity
from gblint.diagnostics.reach import REACHES
from gblint.diagnostics.unresolved import REASONS
from gblint.report.json import VERSION

_STRING = {"type": "string"}
_NUMBER = {"type": "integer"}
_PATH = {**_STRING, "description": "relative to the working directory if it lies below it, else absolute"}
_LINE = {**_NUMBER, "minimum": 1, "description": "from 1; in a notebook, the line or column in the cell"}
_CELL = {**_NUMBER, "minimum": 1, "description": "in a notebook: the number of the cell among all cells, from 1"}


def schema() -> dict[str, Any]:
    """Return the schema of the documents of ``gblint check``, ``entries`` and ``confirm``."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The JSON output of gblint",
        "type": "object",
        "required": ["version", "tool", "torch_version", "entries", "errors"],
        "properties": {
            "version": {"const": VERSION, "description": "the version of this format, which changes only by additions"},
            "tool": _object({"name": {"const": "gblint"}, "version": _STRING}),
            "torch_version": {**_STRING, "description": "the release of torch that the code was linted for"},
            "entries": _list(_entry(), "the objects that `torch.compile` is applied to"),
            "findings": _list(_finding(), "the findings, in source order"),
            "errors": _list(_error(), "files, options and names that could not be read, parsed or found"),
            "unresolved": _list(_unresolved(), "compiled objects that were not analysed"),
            "missing_packages": _list(
                _missing_package(), "packages that are not installed, and that compiled code calls"
            ),
            "verification": _verification(),
            "statistics": _list(
                _object({"code": _STRING, "rule": _STRING, "count": _NUMBER}),
                "with `--statistics`: the number of findings of each rule",
            ),
        },
    }


def _object(properties: dict[str, Any], optional: tuple[str, ...] = (), description: str = "") -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    data = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {**data, "description": description} if description else data


def _list(items: dict[str, Any], description: str) -> dict[str, Any]:
    return {"type": "array", "items": items, "description": description}


def _or_null(data: dict[str, Any], description: str = "") -> dict[str, Any]:
    found = {"anyOf": [data, {"type": "null"}]}
    return {**found, "description": description} if description else found


def _one_of(values: list[str], description: str) -> dict[str, Any]:
    return {"enum": values, "description": description}


def _entry() -> dict[str, Any]:
    count = _object({"low": _NUMBER, "high": _or_null(_NUMBER)})
    return _object(
        {
            "name": {**_STRING, "description": "`package.module:Name`"},
            "path": _PATH,
            "cell": _CELL,
            "line": _LINE,
            "kind": _one_of(
                ["decorator", "call", "method", "requested", "assumed"],
                "how it is compiled; `requested`: by `--entry`; `assumed`: the project has no entry point",
            ),
            "region": _one_of(
                ["default", "fullgraph", "error_on_graph_break"], "[what a break means there](regions.md)"
            ),
            "graphs": _or_null(
                count,
                "the estimated number of graphs that one call runs, from `low` to `high` (null: no limit); null "
                "if there is no estimate",
            ),
        },
        optional=("cell", "graphs"),
    )


def _unresolved() -> dict[str, Any]:
    return _object(
        {
            "path": _PATH,
            "cell": _CELL,
            "line": _LINE,
            "column": _LINE,
            "expression": {**_STRING, "description": "the compiled object, as written in the source"},
            "kind": _one_of(["decorator", "call", "method"], "how it is compiled"),
            "reason": _one_of(list(REASONS), "[why it was not analysed](usage.md#what-was-not-analysed)"),
            "message": {**_STRING, "description": "the reason as a sentence"},
            "hint": {**_STRING, "description": "how to tell gblint the object"},
            "partly": {"type": "boolean", "description": "whether other objects compiled there were analysed"},
        },
        optional=("cell",),
    )


def _missing_package() -> dict[str, Any]:
    return _object(
        {
            "package": {**_STRING, "description": "the name of the package, as it is imported"},
            "path": _PATH,
            "cell": _CELL,
            "line": {**_LINE, "description": "the line of the first call"},
            "functions": _list(_STRING, "the qualified names of the functions, classes and methods that are called"),
            "entries": _list(_STRING, "the entry points that call them"),
            "message": {**_STRING, "description": "all this as a sentence"},
        },
        optional=("cell",),
    )


def _error() -> dict[str, Any]:
    line = {**_NUMBER, "minimum": 0, "description": "0 if there is no line, as for an option, which `path` then names"}
    return _object({"path": _STRING, "cell": _CELL, "line": line, "message": _STRING}, optional=("cell",))


def _link(description: str) -> dict[str, Any]:
    properties = {"path": _PATH, "cell": _CELL, "line": _LINE, "function": _STRING}
    return _object(properties, ("cell",), description)


def _finding() -> dict[str, Any]:
    return _object(
        {
            "code": {
                **_STRING,
                "description": "the code of the rule; for a break that no rule predicted it may be an id of torch",
            },
            "rule": {**_STRING, "description": "the name of the rule"},
            "category": _one_of(
                [each.value for each in Category], "[the category](how-it-works.md#category) of the rule"
            ),
            "severity": _one_of(
                [each.value for each in Severity], "`error`: the call raises; `info`: an allowed break, or a hint"
            ),
            "confidence": _one_of(
                [each.value for each in Confidence], "[how certain it is](how-it-works.md#how-sure-a-finding-is)"
            ),
            "path": _PATH,
            "cell": _CELL,
            "line": _LINE,
            "column": _LINE,
            "end_line": _LINE,
            "end_column": {**_NUMBER, "minimum": 1, "description": "just after the last character"},
            "message": _STRING,
            "help": {**_STRING, "description": "the code to write instead"},
            "gb_ids": _list(_STRING, "torch's ids of the break"),
            "entries": _list(_STRING, "all entry points that reach it"),
            "chain": _list(_link("one call of the chain"), "the calls from the entry point to the break"),
            "allowed": {"type": "boolean", "description": "whether the author has allowed the graph to break here"},
            "raised_by": _or_null(_option_source(), "the line that turns the break into an error"),
            "allowed_by": _or_null(_option_source(), "the line that allows the break"),
            "fixes": _list(_fix(), "computed only with `--show-fixes`, and for findings that remain after `--fix`"),
            "confirmation": _or_null(_confirmation(), "the verdict of [a run](confirm.md); null if there is none"),
            "consequence": _or_null(
                _consequence(),
                "[the consequence](how-it-works.md#what-a-break-costs) for the code around it; null if it raises",
            ),
            "cost": _or_null(_NUMBER, "breaks and eager operators of one call, by which findings are ranked"),
            "reach": _one_of(list(REACHES), "[how far it is reached](how-it-works.md#reach)"),
            "when": _list(_condition(), "the undecided conditions on the path from the entry point to the break"),
            "fingerprint": {
                **_STRING,
                "description": "stays the same when other lines of the file change; not unique among files",
            },
        },
        optional=("cell", "fingerprint"),
    )


def _condition() -> dict[str, Any]:
    properties = {
        "text": {**_STRING, "description": "as in the source, in one line; a long one is cut"},
        "path": _PATH,
        "cell": _CELL,
        "line": _LINE,
        "holds": {"type": "boolean", "description": "the outcome of the condition on this path"},
        "reach": _one_of(list(REACHES), "how far this outcome is reached"),
    }
    return _object(properties, ("cell",))


def _option_source() -> dict[str, Any]:
    options = _one_of(["fullgraph", "error_on_graph_break", "export"], "the option that is set on the line")
    return _object({"path": _PATH, "cell": _CELL, "line": _LINE, "option": options}, optional=("cell",))


def _fix() -> dict[str, Any]:
    edit = _object(
        {
            "path": _PATH,
            "cell": _CELL,
            "line": _LINE,
            "column": _LINE,
            "end_line": _LINE,
            "end_column": _LINE,
            "content": _STRING,
        },
        optional=("cell",),
    )
    how = _one_of(
        ["safe", "unsafe", "display"],
        "`safe`: the program does the same, compiled or not; `unsafe`: it may not; `display`: `--fix` never makes it",
    )
    return _object(
        {
            "title": _STRING,
            "applicability": how,
            "edits": _list(edit, "ranges of files and the text that replaces each"),
            "verified": _or_null(
                _verified(), "the result of [verification](verify.md); null if the fix was not verified"
            ),
            "measured": _list(_measured(), "with `gblint confirm --measure`: the cost of the break"),
        }
    )


def _measured() -> dict[str, Any]:
    both = _object({"before": {"type": "number"}, "after": {"type": "number"}})
    return _object(
        {
            "entry": _STRING,
            "mode": _STRING,
            "backend": _STRING,
            "seconds": _or_null(both, "the median time of a compiled call, without the fix and with it"),
            "graphs": _or_null(_object({"before": _NUMBER, "after": _NUMBER})),
            "error": _or_null(_STRING, "the reason why it could not be measured"),
        }
    )


def _verified() -> dict[str, Any]:
    verdicts = ["holds", "differs", "breaks", "new-break", "unbroken", "masked", "not-reached", "not-run"]
    return _object(
        {
            "verdict": _one_of(verdicts, "`holds`: the break is gone and the results are the same"),
            "reason": _or_null(_STRING, "more about the verdict"),
            "entries": _list(_STRING, "the entry points that were run"),
        }
    )


def _verification() -> dict[str, Any]:
    both = _or_null(_object({"before": _NUMBER, "after": _NUMBER}))
    seconds = {"type": "number", "description": "seconds"}
    latency = _object({"mode": _STRING, "backend": _STRING, "before": seconds, "after": seconds})
    entry = _object(
        {
            "name": _STRING,
            "reason": _or_null(_STRING, "the reason why it could not be run"),
            "breaks": both,
            "graphs": both,
            "inputs": _list(_STRING, "the arguments with which the runs were compared"),
            "latencies": _list(latency, "the times of a call"),
        }
    )
    place = {"path": _PATH, "line": _LINE, "code": _STRING}
    fix = _fix()
    fixes = {**fix, "properties": {**place, "cell": _CELL, **fix["properties"]}, "required": [*place, *fix["required"]]}
    return _object(
        {
            "device": _STRING,
            "torch_version": _STRING,
            "runs": _NUMBER,
            "entries": _list(entry, "the entry points that were run"),
            "fixes": _list(fixes, "the fixes, each at its line in the original file"),
        },
        description="with `--verify`: the results of the runs with and without the fixes",
    )


def _confirmation() -> dict[str, Any]:
    return _object(
        {
            "verdict": _one_of(
                ["confirmed", "refuted", "masked", "not-reached", "missed"], "see [verdicts](confirm.md#verdicts)"
            ),
            "device": _STRING,
            "torch_version": _STRING,
            "gb_ids": _list(_STRING, "the ids that Dynamo reported"),
            "message": _or_null(_STRING, "Dynamo's name for the break"),
            "reason": _or_null(_STRING, "more about the verdict"),
            "by": _or_null(_link("a place"), "the earlier break that masks it"),
            "count": _or_null(_NUMBER, "how often Dynamo reported it"),
            "remembered": {"type": "boolean", "description": "whether the verdict is from an earlier run"},
        }
    )


def _consequence() -> dict[str, Any]:
    return _object(
        {
            "outcome": _one_of(
                ["resumes", "rest-eager", "frame-eager"],
                "whether `frame` resumes in a new graph, or its rest or all of it runs eagerly",
            ),
            "frame": {**_STRING, "description": "the function with the worst consequence"},
            "reason": _or_null(
                _STRING, "the reason why Dynamo cannot resume: `loop`, `try`, `with`, or the kind of operation"
            ),
            "line": _or_null(_NUMBER, "where the eager part begins"),
            "repeats": _or_null(_NUMBER, "how often the line runs in one call; null if unknown"),
            "layers": _or_null(_NUMBER, "the number of modules that the surrounding loop iterates over"),
            "entry": {**_STRING, "description": "the entry point in which it costs the most"},
            "behind": _or_null(
                _object({"path": _PATH, "cell": _CELL, "line": _LINE}, optional=("cell",)),
                "an earlier break after which Python runs the line: Dynamo comes to it once that break is removed",
            ),
        }
    )
