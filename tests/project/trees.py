"""Small source trees for the tests of the project model."""

from __future__ import annotations

from pathlib import Path

from gblint.project.environment import Environment
from gblint.project.project import Project

EMPTY = Environment(None, (3, 12), ())


def grow(root: Path, files: dict[str, str]) -> Path:
    """Write files, given by relative path, below ``root``."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def site(root: Path, files: dict[str, str]) -> Environment:
    """Create an environment with one site-packages folder that contains ``files``."""
    folder = root / "env" / "lib" / "python3.12" / "site-packages"
    folder.mkdir(parents=True, exist_ok=True)
    grow(folder, files)
    return Environment(None, (3, 12), (folder,))


def project(root: Path, files: dict[str, str] | None = None, environment: Environment = EMPTY) -> Project:
    """Create a project of everything below ``root``, without the packages of the interpreter that runs the tests."""
    return Project([grow(root, files or {})], environment=environment)
