"""Reads of JSON that another program may have written, or replaced."""

from __future__ import annotations

import json
import os
from typing import Any

from gblint.runtime.files import MAX_BYTES, read_bytes


def read_json(path: str | os.PathLike[str], limit: int = MAX_BYTES) -> Any:
    """Return the value in a regular file of JSON.

    Raises OSError as ``read_bytes``, and ValueError for text that is not JSON or is nested too deeply.
    """
    return parse_json(read_bytes(path, limit))


def parse_json(data: str | bytes) -> Any:
    """Return the value of a JSON text; raises ValueError, also if it is nested too deeply."""
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError("nested too deeply") from None
