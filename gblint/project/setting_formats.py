"""The contents of configuration files in JSON, TOML and YAML."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Literal

SettingFormat = Literal["json", "toml", "yaml"]
MAX_SETTINGS, MAX_SETTINGS_DEPTH = 3_000, 50
"""Values of one configuration file that are read, and how deep they are nested; a larger file is unknown."""


@functools.lru_cache(maxsize=64)
def parse(text: str, form: SettingFormat) -> object:
    """Return the contents of a file; None if it is damaged, or has more than ``MAX_SETTINGS`` values."""
    try:
        data = _PARSERS[form](text)
        return data if _count(data, 0, 0) <= MAX_SETTINGS else None
    except (ValueError, RecursionError, ArithmeticError):
        return None


def _json(text: str) -> object:
    import json  # as the other parsers, needed by few projects

    return json.loads(text)


def _yaml(text: str) -> object:
    try:
        import yaml
    except ImportError:  # the playground in the browser has no parser of YAML
        return None
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return None


def _toml(text: str) -> object:
    from gblint.config.toml import loads

    return loads(text)


_PARSERS: dict[SettingFormat, Callable[[str], object]] = {"json": _json, "toml": _toml, "yaml": _yaml}


def _count(data: object, found: int, depth: int) -> int:
    """Count the values in a file, up to the bound: an alias of YAML may stand for more values than the file has."""
    items = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    found += 1 if depth <= MAX_SETTINGS_DEPTH else MAX_SETTINGS
    for item in items:
        if found > MAX_SETTINGS:
            break
        found = _count(item, found, depth + 1)
    return found
