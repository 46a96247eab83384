"""The keys of the configuration: how their values are checked, and their descriptions for the documentation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from gblint.config.errors import ConfigError, Problem, suggestion
from gblint.diagnostics.break_event import Confidence
from gblint.runtime.lazy_dataclasses import dataclass

T = TypeVar("T")
MAX_UNKNOWN = 50
"""Unknown keys in a table that are named."""

OUTPUT_FORMATS = (
    "full",
    "concise",
    "grouped",
    "json",
    "json-lines",
    "sarif",
    "github",
    "gitlab",
    "junit",
    "azure",
    "pylint",
    "rdjson",
    "html",
)
REACHES = ("always", "default", "input", "all")
SEVERITIES = ("error", "warning", "info")
ASSUME = ("auto", "always", "never")
PIN_TARGET = re.compile(r"[\w.]+:\w+(\.\w+)+")
PIN_CLASS = re.compile(r"[\w.]+:\w+(\.\w+)*")


@dataclass(frozen=True, slots=True)
class Setting:
    """A key of the configuration.

    ``check`` returns the value as ``Config`` holds it, or raises an error.  ``type``, ``default`` and ``meaning`` are
    Markdown for the documentation.
    """

    check: Callable[[object], Any]
    type: str
    default: str
    meaning: str


def checked(key: str, value: object) -> Any:
    """Return the value of one key as ``Config`` holds it; raise ValueError if the key cannot have that value."""
    try:
        return KEYS[key].check(value)
    except _BadValueError as bad:
        raise ValueError(str(bad)) from None


def check_table(where: str, data: Mapping[str, Any], lines: Mapping[str, int], table: str) -> dict[str, Any]:
    """Return the values of a table by the names of the fields in ``Config``; raise ConfigError for all errors in it.

    ``where`` is the file, ``lines`` has the line of each key, ``table`` is the name of the table for the messages.
    """
    values: dict[str, Any] = {}
    problems = []
    unknown = [key for key in data if key not in KEYS]
    left_out = set(unknown[MAX_UNKNOWN:])
    for key, value in data.items():
        if key in left_out:
            continue
        if key not in KEYS:
            place = f" in [{table}]" if table else ""
            hint = suggestion(key.replace("_", "-"), KEYS)
            problems.append(Problem(where, lines.get(key, 0), f"unknown key {key!r}{place}{hint}"))
            continue
        try:
            values[key.replace("-", "_")] = KEYS[key].check(value)
        except _BadValueError as bad:
            line = lines.get(f"{key}.{bad.part}", 0) or lines.get(key, 0)
            name = f'{key}."{bad.part}"' if bad.part else key
            problems.append(Problem(where, line, f"{name}: {bad}"))
    if left_out:
        problems.append(Problem(where, 0, f"{len(left_out):,} more unknown keys"))
    if problems:
        raise ConfigError(problems)
    return values


class _BadValueError(Exception):
    """A value that the key cannot have; ``part`` is the key of a table inside the value, if the error is there."""

    def __init__(self, message: str, part: str = "") -> None:
        super().__init__(message)
        self.part = part


def kind_of(value: object) -> str:
    """Return the type of a TOML value, with its article, for messages."""
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list", dict: "a table"}
    return names.get(type(value), f"a {type(value).__name__}")


def _string(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise _BadValueError(f"a string is expected, not {kind_of(value) if value != '' else 'an empty one'}")
    return value


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise _BadValueError(f"true or false is expected, not {kind_of(value)}")
    return value


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise _BadValueError(f"a list of strings is expected, not {kind_of(value)}")
    for item in value:
        if not isinstance(item, str) or not item:
            raise _BadValueError(
                f"a list of strings is expected, but it holds {kind_of(item) if item != '' else 'an empty one'}"
            )
    return tuple(value)


def _choice(known: Sequence[str]) -> Callable[[object], str]:
    def check(value: object) -> str:
        text = _string(value)
        if text not in known:
            raise _BadValueError(f"{text!r} is not one of {', '.join(known)}{suggestion(text, known)}")
        return text

    return check


def _confidence(value: object) -> Confidence:
    return Confidence(_choice([level.value for level in Confidence])(value))


def torch_version(value: object) -> str:
    """Return ``value``, a torch version such as 2.13 or 2.13.0; raise ValueError for anything else."""
    if isinstance(value, str) and re.fullmatch(r"\d+\.\d+(\.\d+)?([a-z+.].*)?", value):
        return value
    shown = repr(value) if isinstance(value, str) else kind_of(value)
    raise ValueError(f'a torch version such as "2.13" is expected, not {shown}')


def _torch_version(value: object) -> str:
    try:
        return torch_version(value)
    except ValueError as error:
        raise _BadValueError(str(error)) from None


def _table(value: object, items: Callable[[object], T]) -> dict[str, T]:
    if not isinstance(value, dict):
        raise _BadValueError(f"a table is expected, not {kind_of(value)}")
    checked = {}
    for key, item in value.items():
        try:
            checked[key] = items(item)
        except _BadValueError as bad:
            raise _BadValueError(str(bad), key) from None
    return checked


def _per_file_ignores(value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple(_table(value, _strings).items())


def _dotted_names(value: object) -> tuple[str, ...]:
    for name in _strings(value):
        if not re.fullmatch(r"\w+(\.\w+)+", name):
            raise _BadValueError(f'a name such as "package.module.function" is expected, not {name!r}')
    return _strings(value)


def _pins(value: object) -> dict[str, tuple[str, ...]]:
    pins = _table(value, lambda item: (item,) if isinstance(item, str) else _strings(item))
    for target, classes in pins.items():
        if not PIN_TARGET.fullmatch(target):
            raise _BadValueError(
                '"package.module:Class.attribute" or "package.module:Class.__init__.parameter" is expected', target
            )
        for name in classes:
            if not PIN_CLASS.fullmatch(name):
                raise _BadValueError(f'a class such as "package.module:Class" is expected, not {name!r}', target)
    return pins


def _words(known: Iterable[str]) -> str:
    return ", ".join(f'`"{word}"`' for word in known)


KEYS: Mapping[str, Setting] = {
    "extend": Setting(
        _string, "path", "none", "a file whose settings apply unless this file [overrides them](#extend)"
    ),
    "select": Setting(
        _strings, "list of codes", "all rules except GBL7", "the rules to run, by code or prefix of a code"
    ),
    "ignore": Setting(
        _strings,
        "list of codes",
        "`[]`",
        "the rules to disable; if a rule is both selected and ignored, the longer prefix decides",
    ),
    "extend-select": Setting(
        _strings,
        "list of codes",
        "`[]`",
        'added to `select`: `extend-select = ["GBL7"]` turns on the hints on recompiles',
    ),
    "extend-ignore": Setting(_strings, "list of codes", "`[]`", "added to `ignore`"),
    "per-file-ignores": Setting(_per_file_ignores, "table", "empty", "[below](#per-file-ignores)"),
    "extend-per-file-ignores": Setting(_per_file_ignores, "table", "empty", "added to `per-file-ignores`"),
    "severity": Setting(lambda value: _table(value, _choice(SEVERITIES)), "table", "empty", "[below](#severity)"),
    "fail-on": Setting(
        _choice(SEVERITIES),
        _words(SEVERITIES),
        '`"info"`',
        "the lowest severity of a finding that makes the exit status 1",
    ),
    "warn-unused-noqa": Setting(
        _boolean,
        "boolean",
        "`false`",
        "whether to warn of codes in noqa comments that [silence nothing](baseline.md#noqa-comments), and exit with 1",
    ),
    "exclude": Setting(
        _strings,
        "list of patterns",
        "caches, environments, `build`, `dist`, ...",
        "the files to skip, in the syntax of `.gitignore`; `.gitignore` files are respected as well, except for files "
        "that git tracks",
    ),
    "extend-exclude": Setting(_strings, "list of patterns", "`[]`", "added to `exclude`"),
    "src": Setting(_strings, "list of folders", '`[".", "src"]`', "the folders from which imports are resolved"),
    "python": Setting(
        _string,
        "string",
        "the active or the project's environment",
        "the interpreter or environment whose packages are looked up",
    ),
    "torch-version": Setting(
        _torch_version, "string", "the installed one", 'the [torch](versions.md) to lint for, such as `"2.13"`'
    ),
    "follow": Setting(_strings, "list of packages", "`[]`", "installed packages to lint like your own code"),
    "entries": Setting(
        _strings,
        "list of names",
        "`[]`",
        'entry points by name, such as `"app.model:Net"`, instead of those in the source; `--entry` adds to them',
    ),
    "min-confidence": Setting(
        _confidence,
        _words(level.value for level in Confidence),
        '`"likely"`',
        "show findings of at least this confidence",
    ),
    "reach": Setting(
        _choice(REACHES),
        _words(REACHES),
        '`"all"`',
        "show only findings [reached](how-it-works.md#reach) on every call (`always`), also those reached by "
        "default (`default`), also those that depend on sizes or data (`input`), or all (`all`)",
    ),
    "output-format": Setting(_choice(OUTPUT_FORMATS), _words(OUTPUT_FORMATS), '`"full"`', "the format of the report"),
    "assume-entries": Setting(
        _choice(ASSUME),
        _words(ASSUME),
        '`"auto"`',
        "whether the `forward` of every `nn.Module` is an entry point: only if the project has no other outside of its "
        "tests, in addition to the others, or never",
    ),
    "entry-decorators": Setting(
        _dotted_names,
        "list of dotted names",
        "`[]`",
        "functions that compile like `torch.compile`, as decorators or when called, such as "
        '`"mylib.fast.optimized"`; gblint finds functions of the project that call `torch.compile` by itself',
    ),
    "strict-entries": Setting(
        _boolean,
        "boolean",
        "`false`",
        "whether the exit status is 1 if a compiled object was [not analysed](usage.md#what-was-not-analysed)",
    ),
    "pins": Setting(_pins, "table", "empty", "[below](#pins)"),
    "fixes": Setting(lambda value: _table(value, _string), "table", "empty", "[below](#fixes)"),
    "fixable": Setting(_strings, "list of codes", "every rule", "the rules for which gblint makes or shows fixes"),
    "unfixable": Setting(_strings, "list of codes", "`[]`", "the rules whose findings are not fixed"),
    "extend-fixable": Setting(_strings, "list of codes", "`[]`", "added to `fixable`"),
    "unsafe-fixes": Setting(
        _boolean, "boolean", "`false`", "whether `--fix` and `--diff` also make fixes that may change results"
    ),
    "baseline": Setting(_string, "string", "none", "a file of findings [not to report](baseline.md)"),
}
