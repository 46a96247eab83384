"""Where the files of a torch are read from: an environment, a folder that a wheel was unpacked into, or a wheel."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol


class Folder(Protocol):
    """What ``pathlib.Path`` and ``zipfile.Path`` have in common."""

    @property
    def name(self) -> str:
        """The last part of the path."""

    def __truediv__(self, child: str, /) -> Folder:
        """What lies below."""

    def is_file(self) -> bool:
        """Whether it is a file that exists."""

    def iterdir(self) -> Iterator[Folder]:
        """What the folder has in it."""


class SiteError(ValueError):
    """There is no torch where it was looked for."""


def open_site(path: Path) -> Folder:
    """The folder that has ``torch/`` and ``torchgen/`` in it; SiteError if there is none at ``path``."""
    candidates: list[Folder] = [path]
    if path.suffix == ".whl" and path.is_file():
        candidates = [zipfile.Path(path)]
    elif path.is_dir():
        candidates += sorted(path.glob("lib/python3*/site-packages"))
    for folder in candidates:
        if (folder / "torch" / "version.py").is_file():
            return folder
    raise SiteError(f"no torch in {path}: a site-packages folder, an environment or a wheel of torch is expected")


def read(path: Folder) -> str:
    """The text of one file."""
    # zipfile.Path.read_text takes its encoding by name only, pathlib's both ways.
    text: str = path.read_text(encoding="utf-8")  # type: ignore[attr-defined]
    return text
