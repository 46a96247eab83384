"""Access to the files of a torch release: in an environment, an unpacked wheel, or a wheel file."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol


class Folder(Protocol):
    """The operations that ``pathlib.Path`` and ``zipfile.Path`` have in common."""

    @property
    def name(self) -> str:
        """The last part of the path."""

    def __truediv__(self, child: str, /) -> Folder:
        """Return the path of a child."""

    def is_file(self) -> bool:
        """Return whether it is an existing file."""

    def iterdir(self) -> Iterator[Folder]:
        """Iterate over the entries of the folder."""


class SiteError(ValueError):
    """Raised if there is no torch at the given path."""


def open_site(path: Path) -> Folder:
    """Return the folder that contains ``torch/`` and ``torchgen/``; raise SiteError if there is none at ``path``."""
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
    """Return the text of one file."""
    # zipfile.Path.read_text accepts the encoding only as a keyword.
    text: str = path.read_text(encoding="utf-8")  # type: ignore[attr-defined]
    return text
