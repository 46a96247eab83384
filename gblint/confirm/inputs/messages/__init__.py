"""Readers of error messages: what torch, einops and Python say when a call has the wrong arguments.

Each reader takes one sort of message, by a pattern, and gives wishes, the likeliest first.  The readers of sizes and
ranks are in :mod:`size_messages`, those of types and kinds of values in :mod:`kind_messages`.
"""

from __future__ import annotations

import re

from gblint.confirm.inputs.error_requests import InputRequest
from gblint.confirm.inputs.messages import sizes, types
from gblint.confirm.inputs.messages._reader import Reader

READERS: tuple[tuple[re.Pattern[str], Reader], ...] = (*sizes.READERS, *types.READERS)


def read_message(message: str) -> list[InputRequest]:
    """What an error message asks for, the likeliest first; empty where nobody knows."""
    found: dict[InputRequest, None] = {}
    for pattern, reader in READERS:
        match = pattern.search(message)
        if match is not None:
            found.update(dict.fromkeys(reader(match)))
    return list(found)
