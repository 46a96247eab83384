"""An empty stand-in for torchvision if it is not installed: models import it, but nothing that runs here uses it."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return object
