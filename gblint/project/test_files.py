"""The paths of tests."""

from __future__ import annotations

import re
from typing import Final

_TEST: Final = re.compile(r"(^|[\\/_.])(tests?|conftest)([\\/_.]|$)")


def is_test_path(path: str) -> bool:
    """Return whether a path, relative to the root of its project, is that of a test."""
    return _TEST.search(path) is not None
