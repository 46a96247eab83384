"""The ids of messages that do not name theirs: torch before 2.9 has them in its registry only."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path

import torch._dynamo

_LINK = re.compile(r"\bgb\d{4}\b", re.IGNORECASE)


def with_link(text: str) -> str:
    """A message with the link to its id, which the registry knows by the type that stands on a line of its own."""
    if _LINK.search(text) is None:
        for line in text.splitlines():
            if line in _by_type():
                return f"{text}\n{_by_type()[line].lower()}.html"
    return text


@functools.cache
def _by_type() -> dict[str, str]:
    path = Path(torch._dynamo.__file__).with_name("graph_break_registry.json")
    entries = json.loads(path.read_text(encoding="utf-8"))
    return {entry[0]["Gb_type"]: gb_id for gb_id, entry in entries.items()}
