"""Loader of the JSON files in ``data/``."""

from __future__ import annotations

import os

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

# Not with importlib.resources, whose import takes long.
FOLDER = os.path.join(os.path.dirname(__file__), "data")


def stored(name: str) -> Any:
    """Return the contents of ``NAME.json``; raises OSError."""
    import json  # not needed if only the versions are listed

    with open(os.path.join(FOLDER, f"{name}.json"), encoding="utf-8") as file:
        return json.load(file)
