"""Options that several commands share, and the configuration that results from them and the configuration file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from gblint.cli.file_option import FileOption
from gblint.cli.output import COLOR
from gblint.config.errors import ConfigError, Problem
from gblint.config.keys import ASSUME, OUTPUT_FORMATS, REACHES, torch_version
from gblint.config.loading import common_parent, unused_pyproject_problem, with_inline_settings
from gblint.config.loading import load as load_config
from gblint.config.settings import Config
from gblint.diagnostics.break_event import Confidence
from gblint.runtime.files import read_named
from gblint.runtime.lazy_dataclasses import dataclass

F = TypeVar("F", bound=Callable[..., Any])


def commas(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    """Split a comma-separated list; a callback for an option."""
    words = tuple(word.strip() for word in (value or "").split(",") if word.strip())
    if value is not None and not words:
        raise click.BadParameter("a comma-separated list is expected, but it is empty")
    return words or None


def known_torch(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Read a release of torch; a callback for an option."""
    try:
        return None if value is None else torch_version(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def stack(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    """Combine several decorators into one; the first is the outermost."""

    def apply(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return apply


def _color(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.meta[COLOR] = value


color_option = click.option(
    "--color",
    type=click.Choice(("auto", "always", "never")),
    callback=_color,
    expose_value=False,
    is_eager=True,
    help="Colour the output (auto: on a terminal).",
)

project_options = stack(
    click.argument("paths", nargs=-1, type=click.Path(path_type=Path, allow_dash=True)),
    click.option(
        "--entry",
        "entry",
        multiple=True,
        metavar="MODULE:NAME",
        help="Use this entry point instead of those in the source (may be repeated).",
    ),
    click.option(
        "--entries-file",
        type=FileOption(),
        metavar="FILE",
        help="Use the entry points in this file, one per line.",
    ),
    click.option(
        "--assume-entries",
        type=click.Choice(ASSUME),
        help="Treat the forward of every nn.Module as an entry point (auto: if there is no other outside of tests).",
    ),
    click.option(
        "--follow", callback=commas, metavar="PKG,..", help="Lint these installed packages like your own code."
    ),
    click.option("--python", metavar="PY", help="Look up installed packages in this interpreter or environment."),
    click.option("--torch-version", callback=known_torch, metavar="V", help="Lint for this release of torch."),
    click.option(
        "--config",
        multiple=True,
        type=click.Path(),
        metavar="FILE|KEY=VALUE",
        help="Use this file or this setting (may be repeated), such as --config 'torch-version = \"2.13\"'.",
    ),
    click.option("--isolated", is_flag=True, help="Ignore all configuration files."),
    click.option(
        "--exclude",
        callback=commas,
        metavar="PATTERN,..",
        help="Skip these files and folders instead of the default ones.",
    ),
    click.option("--extend-exclude", callback=commas, metavar="PATTERN,..", help="Skip these files and folders, too."),
    click.option("-o", "--output-file", type=FileOption(), metavar="FILE", help="Write the report to this file."),
    click.option("--stdin-filename", metavar="FILE", help="The path of the text on standard input (PATHS: -)."),
    color_option,
)


def _pairs(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[tuple[str, tuple[str, ...]], ...] | None:
    """Read pairs of a file pattern and a code; a callback for an option."""
    table: dict[str, tuple[str, ...]] = {}
    for pair in commas(ctx, param, value) or ():
        pattern, _, code = pair.rpartition(":")
        if not pattern or not code:
            raise click.BadParameter(f"PATTERN:CODE is expected, such as 'tests/*:GBL1', not {pair!r}")
        table[pattern] = (*table.get(pattern, ()), code)
    return tuple(table.items()) or None


_MOST_LISTED = 8  # the maximum number of values that a report lists
_PAIRS: dict[str, Any] = {"callback": _pairs, "metavar": "PATTERN:CODE,.."}
# The arguments of an option that takes codes.
CODES: dict[str, Any] = {"callback": commas, "metavar": "CODE,.."}

rule_options = stack(
    click.option("--select", **CODES, help="Run only these rules: codes or prefixes, such as GBL1."),
    click.option("--ignore", **CODES, help="Disable these rules."),
    click.option("--extend-select", **CODES, help="Run these rules in addition to the configured ones."),
    click.option("--extend-ignore", **CODES, help="Disable these rules in addition to the configured ones."),
    click.option("--per-file-ignores", **_PAIRS, help="Disable rules in some files, instead of the configured ones."),
    click.option(
        "--extend-per-file-ignores", **_PAIRS, help="Disable rules in some files, in addition to the configured ones."
    ),
    click.option(
        "--min-confidence",
        type=click.Choice([level.value for level in Confidence]),
        help="Show findings of at least this confidence (default: likely).",
    ),
    click.option(
        "--reach",
        type=click.Choice(REACHES),
        help="Show only findings reached on every call (always), also those reached by default "
        "(default), also those that depend on sizes or data (input), or all (default: all).",
    ),
)


def output_format(*names: str) -> Callable[[F], F]:
    """Return the option --output-format with these formats, by default all."""
    return click.option("--output-format", type=click.Choice(names or OUTPUT_FORMATS), help="The format of the report.")


strict_entries = click.option(
    "--strict-entries/--no-strict-entries",
    default=None,
    help="Exit with 1 if a compiled object could not be resolved.",
)


@dataclass(frozen=True, slots=True)
class Inputs:
    """The configuration and the sources that the arguments specify.

    ``overlays`` are texts that replace files.  ``problems`` are errors in the configuration, ``warning`` is about a
    file that was searched for it.  ``named`` is true if the user named the paths.  ``changed`` are the files of
    ``--changed``, or None without it.
    """

    config: Config
    paths: tuple[Path, ...]
    entries: tuple[str, ...]
    overlays: dict[Path, str]
    problems: tuple[Problem, ...]
    named: bool = True
    changed: frozenset[str] | None = None
    warning: Problem | None = None

    @property
    def draws(self) -> bool:
        """Whether the report shows the call tree of each entry point."""
        return self.config.output_format == "html"

    @property
    def asked(self) -> list[tuple[str, str]]:
        """The settings that change the findings, as pairs of name and value."""
        from gblint.project.discovery import display_path

        config = self.config
        lists = {
            "paths": tuple(display_path(path, Path.cwd()) for path in self.paths) if self.named else (),
            "entry": (*config.entry_points.entries, *self.entries),
            "follow": config.project.follow,
            "select": config.selection.select or (),
            "extend-select": config.selection.extend_select,
            "ignore": (*config.selection.ignore, *config.selection.extend_ignore),
            "baseline": (config.baseline,) if config.baseline else (),
        }
        found = [(name, listed(values)) for name, values in lists.items() if values]
        if config.entry_points.assume_entries != "auto":
            found.append(("assume-entries", config.entry_points.assume_entries))
        if config.reach != "all":
            found.append(("reach", config.reach))
        return [*found, ("min-confidence", config.min_confidence.value)]


def listed(values: Sequence[str]) -> str:
    """Return the values in one line; only the first few if there are many, as from a pre-commit hook."""
    left = len(values) - _MOST_LISTED
    return ", ".join(values[:_MOST_LISTED]) + (f" and {left} more" if left > 0 else "")


def gather(
    paths: Sequence[Path],
    entry: Sequence[str],
    entries_file: Path | None,
    config: Sequence[str],
    stdin_filename: str | None,
    isolated: bool = False,
    **options: Any,
) -> Inputs:
    """Read the configuration, the entries file and standard input; raises ConfigError."""
    names = list(entry)
    if entries_file is not None:
        names += read_entries(entries_file)
    overlays: dict[Path, str] = {}
    chosen = [path for path in paths if str(path) != "-"]
    if len(chosen) < len(paths) or stdin_filename is not None:
        named = Path(stdin_filename or "stdin.py").absolute()
        overlays[named] = _stdin_text(str(named))
        chosen.append(named)
    some_named = bool(chosen)
    chosen = chosen or [Path()]
    if options.get("python"):
        options["python"] = _from_here(options["python"])
    if options.get("min_confidence"):
        options["min_confidence"] = Confidence(options["min_confidence"])
    settings, named_file = _settings(config, isolated)
    problems: tuple[Problem, ...] = ()
    root = common_parent(chosen)
    try:
        found = Config(root=root) if isolated else load_config(chosen, named_file)
    except ConfigError as error:
        if named_file is not None or not error.broken:
            raise
        problems = tuple(
            Problem(problem.where, problem.line, f"{problem.message}; its settings are not used")
            for problem in error.problems
        )
        found = Config(root=root)
    found = with_inline_settings(found, settings).with_options(**options)
    warning = None if isolated or named_file is not None else unused_pyproject_problem(chosen)
    return Inputs(found, tuple(chosen), tuple(names), overlays, problems, some_named, warning=warning)


def _settings(values: Sequence[str], isolated: bool) -> tuple[list[str], Path | None]:
    """Split the values of --config into settings and the file; raises UsageError."""
    settings = [text for text in values if "=" in text and not os.path.exists(text)]
    files = [Path(text) for text in values if text not in settings]
    if len(files) > 1:
        raise click.UsageError(f"--config names one file, not {len(files)}")
    if files and isolated:
        raise click.UsageError("--isolated cannot be combined with a file in --config")
    return settings, files[0] if files else None


def read_entries(path: Path) -> list[str]:
    """Return the names in an entries file, one per line, without blank lines and # comments."""
    try:
        lines = read_named(path).decode("utf-8-sig").splitlines()
    except OSError as error:
        raise ConfigError([Problem(str(path), 0, f"cannot be read: {error.strerror or error}")]) from None
    except UnicodeDecodeError:
        raise ConfigError([Problem(str(path), 0, "not UTF-8")]) from None
    return [name for name in (line.partition("#")[0].strip() for line in lines) if name]


def _stdin_text(name: str) -> str:
    from gblint.project.source import SourceProblem, decode_source

    try:
        return decode_source(sys.stdin.buffer.read())
    except SourceProblem as problem:
        raise ConfigError([Problem(name, problem.line, problem.message)]) from None


def _from_here(python: str) -> str:
    """Return an interpreter as an absolute path; a bare command name is unchanged and looked up later."""
    return str(Path(python).absolute()) if os.sep in python or Path(python).is_dir() else python
