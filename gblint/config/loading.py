"""Reading the configuration: ``[tool.gblint]`` of a pyproject.toml, or a gblint.toml.

The file is searched upwards from the common parent of the linted paths.  Each error in it is reported with the
file, the line if known, the key, and a suggestion for a misspelt word.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gblint.config.discovery import GBLINT_TOML, PYPROJECT, config_files, nearest_pyproject_without_section
from gblint.config.errors import ConfigError, Problem
from gblint.config.keys import check_table, kind_of
from gblint.config.settings import Config, ConfigSource
from gblint.runtime.files import MAX_SETTINGS, read_bytes
from gblint.runtime.lazy_dataclasses import replace

INLINE = "--config"
MAX_EXTENDED = 20
"""Files that extend one another."""
MAX_PARTS = 1000
"""Parts of a key: the parser of TOML takes quadratic time for a key of many parts."""
_NO_PART = re.compile(r"[,=#(){}\[\]]")
_IGNORED = {ord(each): None for each in " \t\"'"}
_KEY_PART = re.compile(r"""\s*(?:([\w-]+)|"([^"]*)"|'([^']*)')\s*""")
Locations = dict[str, tuple[str, int]]


def load(paths: Sequence[Path], explicit: Path | None = None) -> Config:
    """Return the configuration for ``paths``, from the file ``explicit`` or from the nearest one upwards.

    Raises ConfigError.
    """
    start = common_parent(paths)
    if explicit is not None:
        return replace(read(explicit), root=Path.cwd())
    for path in map(Path, config_files(str(start))):
        if path.name == GBLINT_TOML or "gblint" in _tool_table(_parse(path)[0]):
            return read(path)
    return Config(root=start)


def unused_pyproject_problem(paths: Sequence[Path]) -> Problem | None:
    """Return the syntax error of the nearest pyproject.toml without ``[tool.gblint]``, which load() does not read."""
    path = nearest_pyproject_without_section(str(common_parent(paths)))
    try:
        if path is not None:
            _parse(Path(path))
    except ConfigError as error:
        return error.problems[0]
    return None


def common_parent(paths: Sequence[Path]) -> Path:
    """Return the folder that contains all of ``paths``; the working directory if there are none."""
    folders = [path if path.is_dir() else path.parent for path in (Path(os.path.abspath(p)) for p in paths)]
    try:
        return Path(os.path.commonpath(folders)) if folders else Path.cwd()
    except ValueError:  # on different drives
        return Path.cwd()


def read(path: Path) -> Config:
    """Return the checked configuration of the file ``path`` and of the files that it extends.  Raises ConfigError."""
    path = path.absolute()
    values, locations = _settings(path, ())
    return Config(path.parent, ConfigSource(path, locations=locations)).with_values(**values)


def with_inline_settings(config: Config, settings: Iterable[str]) -> Config:
    """Return ``config`` with settings from the command line, each written ``key = value``.  Raises ConfigError."""
    for text in settings:
        from gblint.config import toml

        try:
            data = toml.loads(text)
        except (ValueError, RecursionError):  # also a number of too many digits
            reason = f"neither a file nor a setting such as 'min-confidence = \"certain\"': {text!r}"
            raise ConfigError([Problem(INLINE, 0, reason)]) from None
        values = check_table(INLINE, data, {}, "")
        locations = {**config.source.locations, **dict.fromkeys(data, (INLINE, 0))}
        config = config.with_values(locations=locations, **values)
    return config


def _settings(path: Path, above: tuple[Path, ...]) -> tuple[dict[str, Any], Locations]:
    """Return the values in a file and in the files that it extends, and their locations.

    ``above`` are the files that extend this one.
    """
    data, text = _parse(path)
    prefix: tuple[str, ...] = ("tool", "gblint")
    if path.name == PYPROJECT:
        data = _tool_table(data).get("gblint", {})
        if not isinstance(data, dict):
            raise ConfigError([Problem(str(path), 0, f"tool.gblint: a table is expected, not {kind_of(data)}")])
    else:
        # gblint.toml may have the full name of the table, too, so that a block can be moved between the files.
        nested = _tool_table(data).get("gblint")
        if isinstance(nested, dict) and set(data) == {"tool"}:
            data = nested
        else:
            prefix = ()
    lines = _key_lines(text, prefix)
    values = check_table(str(path), data, lines, ".".join(prefix))
    locations = {key: (str(path), line) for key, line in lines.items()}
    if "extend" not in values:
        return values, locations
    base, base_locations = _extended(path, values["extend"], lines.get("extend", 0), above)
    joined = {name: _joined(name, base[name], value) for name, value in values.items() if name in base}
    return {**base, **values, **joined}, {**base_locations, **locations}


def _extended(path: Path, named: str, line: int, above: tuple[Path, ...]) -> tuple[dict[str, Any], Locations]:
    """Return the values and locations of the file that ``path`` extends; relative paths there are made absolute."""
    target = Path(os.path.abspath(path.parent / os.path.expanduser(named)))
    reason = ""
    if target in (path, *above):
        reason = f"{target} extends itself"
    elif len(above) + 1 >= MAX_EXTENDED:
        reason = f"more than {MAX_EXTENDED} files extend one another"
    elif not os.path.isfile(target):
        reason = f"there is no file {target}"
    elif target.name == PYPROJECT and "gblint" not in _tool_table(_parse(target)[0]):
        reason = f"{target} has no table [tool.gblint]"
    if reason:
        raise ConfigError([Problem(str(path), line, f"extend: {reason}")])
    try:
        values, locations = _settings(target, (*above, path))
    except ConfigError as error:
        raise ConfigError(error.problems) from None
    folder = target.parent
    if "src" in values:
        values["src"] = tuple(str(folder / each) for each in values["src"])
    for key in ("baseline", "python"):
        if key in values and (key == "baseline" or os.sep in values[key] or os.path.exists(folder / values[key])):
            values[key] = str(folder / values[key])
    return values, locations


def _joined(name: str, base: Any, own: Any) -> Any:
    """Return the value of a key that is set both in a file and in the one that it extends."""
    if isinstance(own, dict):
        return {**base, **own}
    if name == "per_file_ignores":
        return tuple({**dict(base), **dict(own)}.items())
    return (*base, *own) if name.startswith("extend_") else own


def _tool_table(data: Mapping[str, Any]) -> Mapping[str, Any]:
    tool = data.get("tool")
    return tool if isinstance(tool, dict) else {}


def _is_crowded(line: str) -> bool:
    """Return whether a line may have a key of more parts than are read."""
    if line.count(".") <= MAX_PARTS:
        return False
    return any(each.count(".") > MAX_PARTS for each in _NO_PART.split(line.translate(_IGNORED)))


def _parse(path: Path) -> tuple[dict[str, Any], str]:
    from gblint.config import toml

    try:
        text = read_bytes(path, MAX_SETTINGS).decode("utf-8-sig")
        crowded = next((number for number, each in enumerate(text.splitlines(), 1) if _is_crowded(each)), 0)
        if not crowded:
            return toml.loads(text), text
        reason, line = f"a key of more than {MAX_PARTS:,} parts", crowded
    except OSError as error:
        reason, line = f"cannot be read: {error.strerror or error}", 0
    except UnicodeDecodeError as error:
        reason, line = f"not UTF-8: byte {error.start} cannot be decoded", 0
    except toml.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+), column \d+\)$", str(error))
        line = int(found.group(1)) if found else 0
        reason = f"not valid TOML: {str(error)[: found.start()].rstrip() if found else error}"
    except ValueError as error:  # a number of too many digits
        reason, line = f"not valid TOML: {str(error).partition(':')[0]}", 0
    except RecursionError:
        reason, line = "not valid TOML: nested too deep", 0
    raise ConfigError([Problem(str(path), line, reason)], broken=True)


def _key_lines(text: str, prefix: tuple[str, ...]) -> dict[str, int]:
    """Return the line of each key of the table ``prefix``, found in the text by patterns; subtables are dotted."""
    lines: dict[str, int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[([^\[\]]+)\]\s*(?:#.*)?$", line)
        if header:
            table = _dotted(header.group(1))[0]
            full = table
        else:
            key, end = _dotted(line)
            if not key or not line.startswith("=", end):
                continue
            full = table + key
        if full[: len(prefix)] == prefix and len(full) > len(prefix):
            lines.setdefault(".".join(full[len(prefix) :]), number)
    return lines


def _dotted(text: str) -> tuple[tuple[str, ...], int]:
    """Return the parts of the dotted key at the start of a text, and the position behind it."""
    parts: list[str] = []
    end = 0
    while found := _KEY_PART.match(text, end):
        parts.append(found[1] or found[2] or found[3] or "")
        end = found.end()
        if not text.startswith(".", end):
            break
        end += 1
    return tuple(parts), end
