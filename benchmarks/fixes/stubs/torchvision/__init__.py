"""A stand-in for torchvision if it is missing: it is imported, and nothing that is run here uses its contents."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return object
