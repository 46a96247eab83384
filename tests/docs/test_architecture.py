"""The files and folders named on the pages for contributors exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "gblint"
TOP = {"gblint", "rules", "tests", "docs", "tools", "benchmarks", "compiled", "examples"}
_PATH = re.compile(r"(?<![\w./-])((?:\w+/)+(?:\w+(?:\.\w+)?)?|\w+\.py)(?![\w/*<])")


@pytest.mark.parametrize("name", ["docs/architecture.md", "docs/glossary.md", "CONTRIBUTING.md"])
def test_paths_exist(name: str) -> None:
    if not (ROOT / "gblint").is_dir():
        pytest.skip("the tree of the source is not here")
    text = (ROOT / name).read_text(encoding="utf-8")
    pieces = [*re.findall(r"`([^`\n]+)`", text), *re.findall(r'"([^"\n]+)"\]', text)]
    named = {path for piece in pieces for path in _PATH.findall(piece) if path.split("/")[0] not in ("torch", "build")}
    assert len(named) > 5
    assert [path for path in sorted(named) if not _exists(path)] == []


def test_every_package_is_in_the_table() -> None:
    if not (ROOT / "gblint").is_dir():
        pytest.skip("the tree of the source is not here")
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for folder in (PACKAGE, PACKAGE / "interp"):
        packages = [path.parent.name for path in folder.glob("*/__init__.py")]
        assert [package for package in packages if f"`{package}`" not in text] == []


def _exists(path: str) -> bool:
    """Return whether a path exists at the top, in the package, in the interpreter or in the compiled build."""
    return any((folder / path).exists() for folder in (ROOT, PACKAGE, PACKAGE / "interp", ROOT / "compiled"))
