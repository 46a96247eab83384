"""The type of options whose value is a file or a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


class FileOption(click.Path):
    """A path on the command line. The name of an option is refused: the file before it was left out."""

    def __init__(self, **kinds: Any) -> None:
        super().__init__(path_type=Path, **kinds)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path; fail for the name of an option."""
        if isinstance(value, str) and value.startswith("--"):
            self.fail(f"{value!r} is an option, not a file; a file of this name is './{value}'", param, ctx)
        return super().convert(value, param, ctx)
