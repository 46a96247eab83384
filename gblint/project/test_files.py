"""The paths of tests."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_TEST: Final = re.compile(r"(^|[\\/_.])(tests?|conftest)([\\/_.]|$)")


def is_test_file(path: Path, root: Path) -> bool:
    """Return whether a file is a test of the project in ``root``."""
    return is_test_path((path.relative_to(root) if path.is_relative_to(root) else path).as_posix())


def is_test_path(path: str) -> bool:
    """Return whether a path, relative to the root of its project, is that of a test."""
    return _TEST.search(path) is not None
