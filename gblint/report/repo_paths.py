"""Paths for services that read reports: relative to the root of the repository, with slashes."""

from __future__ import annotations

import os
from urllib.parse import quote

# Variables in which services store the root of the checkout; without them it is the working directory.
_CHECKOUTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR", "BUILD_SOURCESDIRECTORY")


def repository_path(path: str) -> str:
    """Return ``path`` relative to the checkout, else to the working directory; any other path unchanged."""
    full = os.path.abspath(path)
    tops = [os.environ.get(name, "") for name in _CHECKOUTS]
    for top in (*(os.path.abspath(each) for each in tops if each), os.getcwd()):
        if full.startswith(os.path.join(top, "")):
            return os.path.relpath(full, top).replace(os.sep, "/")
        real, real_top = os.path.realpath(full), os.path.realpath(top)
        if real.startswith(os.path.join(real_top, "")):
            return os.path.relpath(real, real_top).replace(os.sep, "/")
    return full.replace(os.sep, "/")


def uri(path: str) -> tuple[str, bool]:
    """Return ``repository_path`` as a URI, and whether it is relative."""
    placed = repository_path(path)
    quoted = quote(os.fsencode(placed))  # a name need not be UTF-8
    if not os.path.isabs(placed):
        return quoted, True
    return "file://" + (quoted if placed[0] == "/" else f"/{quoted}"), False
