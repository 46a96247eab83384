"""Readers of the error messages of torch, einops and Python about wrong arguments.

Each reader handles the messages that match its pattern and yields requests, the most likely first. ``sizes`` has the
readers for sizes and ranks, ``types`` those for dtypes, types and missing arguments. ``asserts`` reads failed checks in
the code instead of messages.
"""

from __future__ import annotations

import re

from gblint.confirm.inputs.error_requests import InputRequest
from gblint.confirm.inputs.messages import sizes, types
from gblint.confirm.inputs.messages._reader import Reader

READERS: tuple[tuple[re.Pattern[str], Reader], ...] = (*sizes.READERS, *types.READERS)


def read_message(message: str) -> list[InputRequest]:
    """Return the requests of an error message, the most likely first; empty for an unknown message."""
    found: dict[InputRequest, None] = {}
    for pattern, reader in READERS:
        match = pattern.search(message)
        if match is not None:
            found.update(dict.fromkeys(reader(match)))
    return list(found)
