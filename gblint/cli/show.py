"""``gblint check --show-settings`` and ``--show-files``: the settings and the files of a run."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

from gblint.cli.options import Inputs
from gblint.cli.output import Streams
from gblint.cli.statuses import CLEAN, ERROR
from gblint.config.errors import Problem
from gblint.config.keys import KEYS
from gblint.config.settings import Config
from gblint.diagnostics.report import FileError
from gblint.project.source_text import Style, display_path, neutral, shown_path


def settings(inputs: Inputs, streams: Streams) -> int:
    """Print every setting, and where it is set; return the exit status."""
    streams.problems(inputs.problems)
    streams.report(_settings(inputs.config, streams.style))
    return ERROR if inputs.problems else CLEAN


def files(inputs: Inputs, streams: Streams) -> int:
    """Print the files that would be linted; return the exit status."""
    from gblint.pipeline.lint import LintRequest, project_of

    project = project_of(LintRequest(inputs.paths, inputs.entries, inputs.overlays, inputs.named), inputs.config)
    streams.report(shown_path(str(path)) for path in project.files)
    problems: list[Problem | FileError] = [*inputs.problems, *project.discovery_errors]
    streams.problems(problems)
    return ERROR if problems else CLEAN


def _settings(config: Config, style: Style) -> Iterator[str]:
    file = "none" if config.source.file is None else display_path(str(config.source.file))
    yield f"{style.bold('configuration')}: {neutral(file)}"
    yield f"{style.bold('root')}: {neutral(str(config.root))}"
    for key in KEYS:
        where, line = config.location(key)
        place = f"{display_path(where)}:{line}" if line else where if config.is_given(key) else ""
        value = _shown(config.value(key))
        tail = f"  {style.dim(f'# {place}')}" if place else ""
        yield f"{style.bold(key)} = {neutral(value)}{tail}"


def _shown(value: Any) -> str:
    """Return a value in a notation close to TOML."""
    if value is None:
        return "(default)"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Enum):
        return f'"{value.value}"'
    if isinstance(value, (str, Path)):
        return f'"{value}"'
    if isinstance(value, dict) or (value and isinstance(value, tuple) and isinstance(value[0], tuple)):
        pairs = value.items() if isinstance(value, dict) else value
        return "{" + ", ".join(f'"{key}" = {_shown(item)}' for key, item in pairs) + "}"
    return "[" + ", ".join(_shown(item) for item in value) + "]"
