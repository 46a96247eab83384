"""The options that gblint has in flake8 and pylint, and the quick look for torch before an analysis."""

from __future__ import annotations

from pathlib import Path

OPTIONS = (
    ("config", "FILE", "The configuration of gblint, instead of the nearest gblint.toml or pyproject.toml."),
    ("entries", "NAMES", "Lint from these entry points instead of those in the source."),
    ("min-confidence", "LEVEL", "Show findings of at least this confidence: certain, likely or possible."),
    ("torch-version", "V", "The torch release to lint for."),
    ("follow", "PACKAGES", "Installed packages to lint like the project's own."),
    ("python", "PY", "Interpreter or environment in which packages are looked up."),
    ("assume-entries", "WHEN", "Whether every nn.Module.forward is an entry point: auto, always or never."),
    ("baseline", "FILE", "Show only what is not in this baseline."),
)
LISTS = ("entries", "follow")
FILES = ("config", "baseline")
"""The name, the placeholder of the value and the help of each option."""


def mentions_torch(root: Path) -> bool:
    """Return whether any Python file below ``root`` contains the word torch; environments and caches are skipped."""
    import os

    from gblint.runtime.files import read_bytes

    passed = {"node_modules", "site-packages", "venv", "build", "dist"}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith((".", "__")) and name not in passed]
        for name in names:
            if name.endswith(".py"):
                try:
                    text = read_bytes(Path(folder, name))
                except OSError:
                    continue
                if b"torch" in text:
                    return True
    return False
