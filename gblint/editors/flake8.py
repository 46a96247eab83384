"""The flake8 plugin: the findings of the whole project, reported by file.

Breaks are found from entry points, which are seldom in the linted file.  So the plugin analyses the whole project once
in a run of flake8, for all its processes, and reports the findings of each file.  If a project does not use torch, the
analysis is not even imported.
"""

from __future__ import annotations

import argparse
import ast
import multiprocessing
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from gblint import __version__
from gblint.editors.plugin_options import FILES, LISTS, OPTIONS, mentions_torch

if TYPE_CHECKING:
    from gblint.editors.plugin_analyses import Analyses


class Plugin:
    """The plugin class, which flake8 instantiates for each file."""

    name = "gblint"
    version = __version__

    _options: ClassVar[argparse.Namespace] = argparse.Namespace()
    _stdin: ClassVar[bool] = False
    _cached: ClassVar[Analyses | None] = None
    _torch: ClassVar[dict[Path, bool]] = {}

    def __init__(self, tree: ast.AST, filename: str, lines: Sequence[str]) -> None:
        self._path = Path(filename).absolute()
        self._lines = lines

    @classmethod
    def add_options(cls, manager: object) -> None:
        """Register the options, which flake8 reads from its configuration and its command line."""
        for name, metavar, text in OPTIONS:
            manager.add_option(  # type: ignore[attr-defined]  # flake8 is not a dependency
                f"--gblint-{name}",
                default=None,
                metavar=metavar,
                parse_from_config=True,
                comma_separated_list=name in LISTS,
                normalize_paths=name in FILES,
                help=text,
            )

    @classmethod
    def parse_options(cls, options: argparse.Namespace) -> None:
        """Analyse the projects before flake8 starts its worker processes, which then share the result."""
        cls._options, cls._cached, cls._torch = options, None, {}
        names = [name for name in getattr(options, "filenames", None) or ["."] if isinstance(name, str)]
        cls._stdin = "-" in names
        if not cls._stdin and _is_parallel(options):
            from gblint.editors.plugin_analyses import project_root

            roots = {project_root(Path(name).absolute()) for name in names}
            wanted = [root for root in roots if cls._mentions_torch(root)]
            if wanted:
                cls._analyses().share_with_workers(wanted)

    def run(self) -> Iterator[tuple[int, int, str, type]]:
        """Yield the findings in the file: line, column from 0, text, type."""
        from gblint.editors.plugin_analyses import project_root

        root = project_root(self._path)
        text = "".join(self._lines)
        if "torch" not in text and not self._mentions_torch(root):
            return
        analyses = self._analyses()
        analysis = analyses.with_text(root, self._path, text) if self._stdin else analyses.of(root)
        for error in analysis.unreported_errors():
            yield 1, 0, error, type(self)
        for line, column, message in analysis.messages.get(str(self._path), ()):
            yield line, column, message, type(self)

    @classmethod
    def _mentions_torch(cls, root: Path) -> bool:
        if root not in cls._torch:
            cls._torch[root] = mentions_torch(root)
        return cls._torch[root]

    @classmethod
    def _analyses(cls) -> Analyses:
        from gblint.editors.plugin_analyses import Analyses, PluginOptions

        if cls._cached is None:
            given = {name: getattr(cls._options, f"gblint_{name.replace('-', '_')}", None) for name, *_ in OPTIONS}
            selected = [*(getattr(cls._options, name, None) or () for name in ("select", "extend_select"))]
            cls._cached = Analyses(
                PluginOptions(
                    given={name: value for name, value in given.items() if value},
                    selected=tuple(code for codes in selected for code in codes if code.startswith("GBL")),
                    everything=bool(getattr(cls._options, "disable_noqa", False)),
                )
            )
        return cls._cached


def _is_parallel(options: argparse.Namespace) -> bool:
    jobs = getattr(options, "jobs", None)
    several = getattr(jobs, "is_auto", False) or getattr(jobs, "n_jobs", 1) > 1
    return bool(several) and multiprocessing.parent_process() is None
