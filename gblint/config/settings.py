"""The configuration: ``[tool.gblint]`` of a pyproject.toml, or a gblint.toml.

A file is found upwards from the common parent of the paths that are linted.  Whatever is wrong with it is refused, with
the file, the line where it can be told, the key, and what was probably meant.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from gblint.config.discovery import OWN, SHARED, candidates, passed_by
from gblint.diagnostics.break_event import Confidence
from gblint.runtime.lazy_dataclasses import dataclass, field, replace

T = TypeVar("T")

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
INLINE = "--config"
ASSUME = ("auto", "always", "never")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with the configuration or the command line; ``line`` is 0 where there is none."""

    where: str
    line: int
    message: str


class ConfigError(Exception):
    """The configuration cannot be used; ``problems`` has one entry for each thing that is wrong with it.

    ``broken`` says that the file is not TOML at all (or cannot be read), so that nothing can be known of its contents.
    """

    def __init__(self, problems: Sequence[Problem], *, broken: bool = False) -> None:
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = tuple(problems)
        self.broken = broken


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one run; the fields are the keys of the file, with underscores for dashes.

    ``root`` is the folder that relative paths and patterns count from: the file's own, or the working directory for a
    file that was named (``--config``).  ``select`` is None for the rules that are on by default.  ``exclude`` is None
    for the usual folders.  ``pins`` maps ``pkg.mod:Class.attribute`` to the classes it may hold, ``fixes`` a rule's
    code to the way to fix it.  ``places`` has the file (or --config) and the line where each key is set, ``given`` the
    options of the command line that were used.  ``trusted`` is false where these may come from a file that a project
    brings along.
    """

    root: Path
    file: Path | None = None
    extend: str | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    extend_ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    extend_per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    exclude: tuple[str, ...] | None = None
    extend_exclude: tuple[str, ...] = ()
    src: tuple[str, ...] = ()
    python: str | None = None
    torch_version: str | None = None
    follow: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    min_confidence: Confidence = Confidence.LIKELY
    output_format: str = "full"
    assume_entries: str = "auto"
    entry_decorators: tuple[str, ...] = ()
    pins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fixes: Mapping[str, str] = field(default_factory=dict)
    fixable: tuple[str, ...] | None = None
    unfixable: tuple[str, ...] = ()
    extend_fixable: tuple[str, ...] = ()
    unsafe_fixes: bool = False
    baseline: str | None = None
    places: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    given: frozenset[str] = frozenset()
    trusted: bool = True

    def where(self, key: str) -> tuple[str, int]:
        """Where ``key`` was set, for a complaint about its value: the option, or the file and the line."""
        option = f"--{key.partition('.')[0]}"
        if option in self.given:
            return option, 0
        head = key.partition(".")[0]
        unknown = (option if self.file is None else str(self.file), 0)
        return self.places.get(key) or self.places.get(head) or unknown

    @property
    def baseline_file(self) -> Path | None:
        """The file of the baseline: in a configuration the path counts from its folder."""
        if self.baseline is None:
            return None
        return Path(self.baseline).absolute() if "--baseline" in self.given else self.root / self.baseline

    @property
    def baseline_is_own(self) -> bool:
        """Whether the baseline may be written: it lies in the project, or was named on the command line."""
        file = self.baseline_file
        inside = file is not None and os.path.realpath(file).startswith(os.path.join(os.path.realpath(self.root), ""))
        return inside or "--baseline" in self.given

    def with_options(self, **options: Any) -> Config:
        """This configuration with what the command line gives (None: not given) in place of what the file says."""
        values = {name: value for name, value in options.items() if value is not None}
        given = {f"--{name.replace('_', '-')}" for name in values}
        return replace(self, given=self.given | given, **values)


def suggestion(word: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """``"; did you mean 'x'?"`` for the closest of ``known``; nothing if none is as close as ``likeness`` (0 to 1)."""
    import difflib  # few words are wrong

    close = difflib.get_close_matches(word, list(known), n=1, cutoff=likeness)
    return f"; did you mean {close[0]!r}?" if close else ""


def load(paths: Sequence[Path], explicit: Path | None = None) -> Config:
    """The configuration for linting ``paths``: of the file ``explicit``, or of the nearest one upwards.

    Raises ConfigError for one that cannot be used.
    """
    start = common_parent(paths)
    if explicit is not None:
        return replace(read(explicit), root=Path.cwd())
    for path in map(Path, candidates(str(start))):
        if path.name == OWN or "gblint" in _tool_table(_parse(path)[0]):
            return read(path)
    return Config(root=start)


def beside(paths: Sequence[Path]) -> Problem | None:
    """What is wrong with the nearest pyproject.toml, if it does not name gblint: then it may not be what was meant."""
    path = passed_by(str(common_parent(paths)))
    try:
        if path is not None:
            _parse(Path(path))
    except ConfigError as error:
        return error.problems[0]
    return None


def common_parent(paths: Sequence[Path]) -> Path:
    """The folder that all of ``paths`` lie in; the working directory for none."""
    folders = [path if path.is_dir() else path.parent for path in (Path(os.path.abspath(p)) for p in paths)]
    try:
        return Path(os.path.commonpath(folders)) if folders else Path.cwd()
    except ValueError:  # on different drives
        return Path.cwd()


def read(path: Path) -> Config:
    """The configuration in ``path`` and in what it extends, all of it checked.  Raises ConfigError."""
    path = path.absolute()
    values, places = _settings(path, ())
    return replace(Config(root=path.parent, file=path, places=places), **values)


def overridden(config: Config, settings: Iterable[str]) -> Config:
    """``config`` with settings given as in a file (``key = value``) on the command line.  Raises ConfigError."""
    for text in settings:
        from gblint.config import toml

        try:
            data = toml.loads(text)
        except (toml.TOMLDecodeError, RecursionError):
            reason = f"neither a file nor a setting such as 'min-confidence = \"certain\"': {text!r}"
            raise ConfigError([Problem(INLINE, 0, reason)]) from None
        values = _check(INLINE, data, {}, "")
        config = replace(config, places={**config.places, **dict.fromkeys(data, (INLINE, 0))}, **values)
    return config


Places = dict[str, tuple[str, int]]


def _settings(path: Path, above: tuple[Path, ...]) -> tuple[dict[str, Any], Places]:
    """The settings in a file and in what it extends, and where each stands; ``above`` are the files that extend it."""
    data, text = _parse(path)
    prefix: tuple[str, ...] = ("tool", "gblint")
    if path.name == SHARED:
        data = _tool_table(data).get("gblint", {})
        if not isinstance(data, dict):
            raise ConfigError([Problem(str(path), 0, f"tool.gblint: a table is expected, not {_kind(data)}")])
    else:
        # The table's full name is understood in gblint.toml too, so that a block can be moved between the files.
        nested = _tool_table(data).get("gblint")
        if isinstance(nested, dict) and set(data) == {"tool"}:
            data = nested
        else:
            prefix = ()
    lines = _key_lines(text, prefix)
    values = _check(str(path), data, lines, ".".join(prefix))
    places = {key: (str(path), line) for key, line in lines.items()}
    if "extend" not in values:
        return values, places
    base, said = _extended(path, values["extend"], lines.get("extend", 0), above)
    joined = {name: _joined(name, base[name], value) for name, value in values.items() if name in base}
    return {**base, **values, **joined}, {**said, **places}


def _extended(path: Path, named: str, line: int, above: tuple[Path, ...]) -> tuple[dict[str, Any], Places]:
    """The settings in the file that ``path`` names; paths in it are made to count from its own folder."""
    target = Path(os.path.abspath(path.parent / Path(named).expanduser()))
    reason = ""
    if target in (path, *above):
        reason = f"{target} is extended by itself"
    elif not target.is_file():
        reason = f"there is no file {target}"
    elif target.name == SHARED and "gblint" not in _tool_table(_parse(target)[0]):
        reason = f"{target} has no table [tool.gblint]"
    if reason:
        raise ConfigError([Problem(str(path), line, f"extend: {reason}")])
    try:
        values, places = _settings(target, (*above, path))
    except ConfigError as error:
        raise ConfigError(error.problems) from None
    folder = target.parent
    if "src" in values:
        values["src"] = tuple(str(folder / each) for each in values["src"])
    for key in ("baseline", "python"):
        if key in values and (key == "baseline" or os.sep in values[key] or (folder / values[key]).exists()):
            values[key] = str(folder / values[key])
    return values, places


def _joined(name: str, base: Any, own: Any) -> Any:
    """The value of a key that is set in both of two files, one of which extends the other."""
    if isinstance(own, dict):
        return {**base, **own}
    if name == "per_file_ignores":
        return tuple({**dict(base), **dict(own)}.items())
    return (*base, *own) if name.startswith("extend_") else own


def _tool_table(data: Mapping[str, Any]) -> Mapping[str, Any]:
    tool = data.get("tool")
    return tool if isinstance(tool, dict) else {}


def _parse(path: Path) -> tuple[dict[str, Any], str]:
    from gblint.config import toml

    try:
        text = path.read_bytes().decode("utf-8-sig")
        return toml.loads(text), text
    except OSError as error:
        reason, line = f"cannot be read: {error.strerror or error}", 0
    except UnicodeDecodeError as error:
        reason, line = f"not UTF-8: byte {error.start} cannot be decoded", 0
    except toml.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+), column \d+\)$", str(error))
        line = int(found.group(1)) if found else 0
        reason = f"not valid TOML: {str(error)[: found.start()].rstrip() if found else error}"
    except RecursionError:
        reason, line = "not valid TOML: nested too deep", 0
    raise ConfigError([Problem(str(path), line, reason)], broken=True)


def _key_lines(text: str, prefix: tuple[str, ...]) -> dict[str, int]:
    """The line that each key of the table ``prefix`` is set on, by a plain look at the text; sub-tables dotted."""
    lines: dict[str, int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[([^\[\]]+)\]\s*(?:#.*)?$", line)
        if header:
            table = _dotted(header.group(1))
            full = table
        else:
            assigned = re.match(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*'|\s*\.\s*)+?)\s*=""", line)
            if not assigned:
                continue
            full = table + _dotted(assigned.group(1))
        if full[: len(prefix)] == prefix and len(full) > len(prefix):
            lines.setdefault(".".join(full[len(prefix) :]), number)
    return lines


def _dotted(name: str) -> tuple[str, ...]:
    return tuple(
        bare or quoted or single for bare, quoted, single in re.findall(r"""([\w-]+)|"([^"]*)"|'([^']*)'""", name)
    )


class _BadValueError(Exception):
    """A value that a key cannot take; the message says what is expected."""

    def __init__(self, message: str, part: str = "") -> None:
        super().__init__(message)
        self.part = part


def _kind(value: object) -> str:
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list", dict: "a table"}
    return names.get(type(value), f"a {type(value).__name__}")


def _string(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise _BadValueError(f"a string is expected, not {_kind(value) if value != '' else 'an empty one'}")
    return value


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise _BadValueError(f"true or false is expected, not {_kind(value)}")
    return value


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise _BadValueError(f"a list of strings is expected, not {_kind(value)}")
    for item in value:
        if not isinstance(item, str) or not item:
            raise _BadValueError(
                f"a list of strings is expected, but it holds {_kind(item) if item != '' else 'an empty one'}"
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
    """``value`` as a torch version such as 2.13 or 2.13.0; raises ValueError for anything else."""
    if isinstance(value, str) and re.fullmatch(r"\d+\.\d+(\.\d+)?([a-z+.].*)?", value):
        return value
    shown = repr(value) if isinstance(value, str) else _kind(value)
    raise ValueError(f'a torch version such as "2.13" is expected, not {shown}')


def _torch_version(value: object) -> str:
    try:
        return torch_version(value)
    except ValueError as error:
        raise _BadValueError(str(error)) from None


def _table(value: object, items: Callable[[object], T]) -> dict[str, T]:
    if not isinstance(value, dict):
        raise _BadValueError(f"a table is expected, not {_kind(value)}")
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


PIN_TARGET = re.compile(r"[\w.]+:\w+(\.\w+)+")
PIN_CLASS = re.compile(r"[\w.]+:\w+(\.\w+)*")


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


@dataclass(frozen=True, slots=True)
class Setting:
    """A key of the table: what checks its value; its type, default and meaning, in Markdown, for the documentation."""

    check: Callable[[object], Any]
    type: str
    default: str
    meaning: str


def _words(known: Iterable[str]) -> str:
    return ", ".join(f'`"{word}"`' for word in known)


KEYS: Mapping[str, Setting] = {
    "extend": Setting(_string, "path", "none", "another file, whose settings hold where this one [has none](#extend)"),
    "select": Setting(
        _strings, "list of codes", "every rule but GBL7", "the rules to run, by code or beginning of one"
    ),
    "ignore": Setting(
        _strings,
        "list of codes",
        "`[]`",
        "the rules to leave out; where one is both selected and ignored, the longer beginning decides",
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
    "exclude": Setting(
        _strings,
        "list of patterns",
        "caches, environments, `build`, `dist`, ...",
        "what is passed over, in the syntax of `.gitignore`; `.gitignore` files are respected besides",
    ),
    "extend-exclude": Setting(_strings, "list of patterns", "`[]`", "added to `exclude`"),
    "src": Setting(_strings, "list of folders", '`[".", "src"]`', "where imports start"),
    "python": Setting(
        _string,
        "string",
        "the active or the project's environment",
        "the interpreter or environment whose packages are looked up",
    ),
    "torch-version": Setting(
        _torch_version, "string", "the installed one", 'the [torch](versions.md) to lint for, such as `"2.13"`'
    ),
    "follow": Setting(
        _strings, "list of packages", "`[]`", "installed packages whose breaks are reported at their own lines"
    ),
    "entries": Setting(
        _strings,
        "list of names",
        "`[]`",
        'entry points by name, such as `"app.model:Net"`, instead of those in the source; `--entry` adds to them',
    ),
    "min-confidence": Setting(
        _confidence, _words(level.value for level in Confidence), '`"likely"`', "show findings at least this sure"
    ),
    "output-format": Setting(_choice(OUTPUT_FORMATS), _words(OUTPUT_FORMATS), '`"full"`', "how to print the report"),
    "assume-entries": Setting(
        _choice(ASSUME),
        _words(ASSUME),
        '`"auto"`',
        "whether to take the `forward` of every `nn.Module` for an entry point: only if the project has "
        "no other, besides the others, or never",
    ),
    "entry-decorators": Setting(
        _dotted_names,
        "list of dotted names",
        "`[]`",
        "functions that do what `torch.compile` does, as decorators or by a call, such as "
        '`"mylib.fast.optimized"`; those of the project that call `torch.compile` are found without this',
    ),
    "pins": Setting(_pins, "table", "empty", "[below](#pins)"),
    "fixes": Setting(lambda value: _table(value, _string), "table", "empty", "[below](#fixes)"),
    "fixable": Setting(
        _strings, "list of codes", "every rule", "the rules whose findings gblint fixes, or shows fixes of"
    ),
    "unfixable": Setting(_strings, "list of codes", "`[]`", "the rules whose findings are for you to fix"),
    "extend-fixable": Setting(_strings, "list of codes", "`[]`", "added to `fixable`"),
    "unsafe-fixes": Setting(
        _boolean, "boolean", "`false`", "whether `--fix` and `--diff` also make fixes that may change results"
    ),
    "baseline": Setting(_string, "string", "none", "a file of findings [not to report](baseline.md)"),
}


def checked(key: str, value: object) -> Any:
    """The value of one key as the fields of ``Config`` hold it; raises ValueError for one that it cannot take."""
    try:
        return KEYS[key].check(value)
    except _BadValueError as bad:
        raise ValueError(str(bad)) from None


def _check(where: str, data: Mapping[str, Any], lines: Mapping[str, int], table: str) -> dict[str, Any]:
    """The fields of ``Config`` that a table sets."""
    values: dict[str, Any] = {}
    problems = []
    for key, value in data.items():
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
    if problems:
        raise ConfigError(problems)
    return values
