"""The settings of the client: ``initializationOptions``, and the section ``gblint`` of its settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gblint.config.errors import suggestion
from gblint.config.keys import KEYS, checked
from gblint.runtime.lazy_dataclasses import dataclass, field

# Keys without meaning here: no report is printed, and `extend` only applies to files.
NOT_HERE = ("extend", "output-format")
_MODES = ("workspace", "openFiles")


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of the editor.

    ``options`` are keys of the configuration that override the file; ``delay`` is the pause in seconds after a key
    stroke before the analysis, and ``idle`` the pause before the whole project is analysed.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    config_file: Path | None = None
    mode: str = "workspace"
    lenses: bool = True
    hover: bool = True
    delay: float = 0.03
    idle: float = 0.8

    @classmethod
    def of(cls, received: object) -> tuple[Settings, list[str]]:
        """Return the settings that a client sends, and the errors in them; invalid settings are ignored."""
        received = _section(received)
        values: dict[str, Any] = {}
        options: dict[str, Any] = {}
        problems = []
        for key, value in received.items():
            try:
                if key in _OWN:
                    name, read = _OWN[key]
                    values[name] = read(value)
                else:
                    options[_dashed(key).replace("-", "_")] = _option(key, value)
            except ValueError as error:
                problems.append(f"setting gblint.{key}: {error}")
        return cls(options, **values), problems


def _section(received: object) -> Mapping[str, Any]:
    """Return the table of settings, which clients nest differently; null values are removed."""
    for name in ("settings", "gblint"):
        if isinstance(received, Mapping) and isinstance(received.get(name), Mapping):
            received = received[name]
    return (
        {str(key): value for key, value in received.items() if value is not None}
        if isinstance(received, Mapping)
        else {}
    )


def _dashed(key: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", key).lower()


def _option(key: str, value: object) -> Any:
    known = [camel(name) for name in KEYS if name not in NOT_HERE]
    if key not in known:
        raise ValueError(f"there is no such setting{suggestion(key, [*known, *_OWN])}")
    return checked(_dashed(key), value)


def camel(name: str) -> str:
    """Return the name of a setting for a key of the configuration: ``min-confidence`` is ``minConfidence``."""
    return re.sub("-(.)", lambda found: found[1].upper(), name)


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false is expected")
    return value


def _seconds(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 60_000:
        raise ValueError("a number of milliseconds from 0 to 60000 is expected")
    return value / 1000


def _path(value: object) -> Path:
    if not isinstance(value, str) or not value:
        raise ValueError("a path is expected")
    return Path(value).expanduser()


def _mode(value: object) -> str:
    if value not in _MODES:
        raise ValueError(f"{value!r} is not one of {', '.join(_MODES)}")
    return str(value)


_OWN: Mapping[str, tuple[str, Any]] = {
    "configuration": ("config_file", _path),
    "diagnosticMode": ("mode", _mode),
    "codeLens": ("lenses", _boolean),
    "hover": ("hover", _boolean),
    "delay": ("delay", _seconds),
    "idleDelay": ("idle", _seconds),
}
