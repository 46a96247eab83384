"""The frames of the protocol, read so that a damaged one costs its own message and not the session."""

from __future__ import annotations

import logging
import re
from typing import BinaryIO

logger = logging.getLogger(__name__)
# The unread rest of a damaged frame ends where the next header begins, since a body has no line end.
_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d{1,9})[ \t]*\r?\n\Z", re.IGNORECASE)
_LONGEST_HEADER = 100


class FrameReader:
    """Standard input or a socket as pygls reads it.

    pygls knows only one spelling of ``Content-Length`` and ignores all other headers: after a length that is not a
    number, it would read each body and the following header as one line, and would no longer answer.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readline(self) -> bytes:
        """Return a line of a header; a line that ends in a length is that length, as pygls spells it."""
        line = self._stream.readline()
        match = _LENGTH.search(line, max(0, len(line) - _LONGEST_HEADER))
        if match is not None:
            return b"Content-Length: %d\r\n" % int(match[1])
        if line.lower().startswith(b"content-length"):
            logger.warning("skipped a message whose length cannot be read: %r", line[:_LONGEST_HEADER])
            return b"Unreadable-Length\r\n"
        return line

    def read(self, size: int) -> bytes:
        """Return a body."""
        return self._stream.read(size)
