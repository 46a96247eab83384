"""The settings of a run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from gblint.diagnostics.break_event import Confidence
from gblint.runtime.lazy_dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class ConfigSource:
    """The origin of the settings.

    ``file`` is the configuration file, ``extend`` the file that it extends.  ``locations`` has the file (or
    ``--config``) and the line of each key, ``options`` the options of the command line that were used.  ``trusted`` is
    false if the options may come from a file of the project.
    """

    file: Path | None = None
    extend: str | None = None
    locations: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    options: frozenset[str] = frozenset()
    trusted: bool = True


@dataclass(frozen=True, slots=True)
class SelectionSettings:
    """The rules to run; ``select`` is None for the rules that are on by default.

    ``severity`` maps codes and prefixes of codes to "error", "warning" or "info".  ``warn_unused_noqa``: codes in noqa
    comments that silence nothing are a failure.
    """

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    extend_ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    extend_per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    severity: Mapping[str, str] = field(default_factory=dict)
    warn_unused_noqa: bool = False


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """The files to lint and the packages that they use; ``exclude`` is None for the default folders."""

    exclude: tuple[str, ...] | None = None
    extend_exclude: tuple[str, ...] = ()
    src: tuple[str, ...] = ()
    python: str | None = None
    torch_version: str | None = None
    follow: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EntryPointSettings:
    """The entry points.

    ``strict_entries``: compiled objects that were not analysed are a failure.  ``pins`` maps
    ``pkg.mod:Class.attribute`` to the classes that it may hold.
    """

    entries: tuple[str, ...] = ()
    assume_entries: str = "auto"
    entry_decorators: tuple[str, ...] = ()
    strict_entries: bool = False
    pins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FixSettings:
    """The fixes to make; ``fixes`` maps the code of a rule to the name of one of its fixes."""

    fixes: Mapping[str, str] = field(default_factory=dict)
    fixable: tuple[str, ...] | None = None
    unfixable: tuple[str, ...] = ()
    extend_fixable: tuple[str, ...] = ()
    unsafe_fixes: bool = False


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of a run; the fields of the groups are the keys of the file, with underscores for dashes.

    ``root`` is the folder that relative paths and patterns start from: that of the file, or the working directory if
    the file was given with ``--config``.
    """

    root: Path
    source: ConfigSource = field(default_factory=ConfigSource)
    selection: SelectionSettings = field(default_factory=SelectionSettings)
    project: ProjectSettings = field(default_factory=ProjectSettings)
    entry_points: EntryPointSettings = field(default_factory=EntryPointSettings)
    fix: FixSettings = field(default_factory=FixSettings)
    min_confidence: Confidence = Confidence.LIKELY
    reach: Literal["always", "default", "all"] = "all"
    fail_on: Literal["error", "warning", "info"] = "info"
    output_format: str = "full"
    baseline: str | None = None

    def value(self, key: str) -> Any:
        """Return the value of a key of the file."""
        name = key.replace("-", "_")
        group = _GROUP_OF.get(name)
        return getattr(self if group is None else getattr(self, group), name)

    def with_values(self, **values: Any) -> Config:
        """Return a copy with other values for some fields of this class or of its groups, all by their plain names."""
        changes: dict[str, Any] = {}
        for name, value in values.items():
            group = _GROUP_OF.get(name)
            if group is None:
                changes[name] = value
            else:
                changes[group] = replace(changes.get(group, getattr(self, group)), **{name: value})
        return replace(self, **changes)

    def with_options(self, **options: Any) -> Config:
        """Return a copy with the options of the command line, which override the file; None is an option not used."""
        values = {name: value for name, value in options.items() if value is not None}
        used = {f"--{name.replace('_', '-')}" for name in values}
        return self.with_values(**{"options": self.source.options | used, **values})

    def is_given(self, key: str) -> bool:
        """Return whether a setting is set on the command line or in a file."""
        return f"--{key}" in self.source.options or key in self.source.locations

    def location(self, key: str) -> tuple[str, int]:
        """Return the place where ``key`` was set, for error messages: the option and 0, or the file and the line."""
        head = key.partition(".")[0]
        option = f"--{head}"
        if option in self.source.options:
            return option, 0
        unknown = (option if self.source.file is None else str(self.source.file), 0)
        return self.source.locations.get(key) or self.source.locations.get(head) or unknown

    @property
    def baseline_file(self) -> Path | None:
        """The file of the baseline.  A path in a configuration file is relative to its folder."""
        if self.baseline is None:
            return None
        return Path(self.baseline).absolute() if "--baseline" in self.source.options else self.root / self.baseline

    @property
    def baseline_is_own(self) -> bool:
        """Whether the baseline may be written: it lies in the project, or was given on the command line."""
        file = self.baseline_file
        inside = file is not None and os.path.realpath(file).startswith(os.path.join(os.path.realpath(self.root), ""))
        return inside or "--baseline" in self.source.options


_GROUPS = {
    "source": ConfigSource,
    "selection": SelectionSettings,
    "project": ProjectSettings,
    "entry_points": EntryPointSettings,
    "fix": FixSettings,
}
_GROUP_OF = {name: group for group, cls in _GROUPS.items() for name in cls.__annotations__}
