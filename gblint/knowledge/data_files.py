"""The data that come with gblint, in JSON files beside this one."""

from __future__ import annotations

import os

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

# Not with importlib.resources, which brings half a library along.
FOLDER = os.path.join(os.path.dirname(__file__), "data")


def stored(name: str) -> Any:
    """What is in ``NAME.json``; raises OSError."""
    import json  # not where only versions are asked for

    with open(os.path.join(FOLDER, f"{name}.json"), encoding="utf-8") as file:
        return json.load(file)
