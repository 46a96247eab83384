"""Registration of readers of error messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from gblint.confirm.inputs.error_requests import InputRequest

Reader = Callable[["re.Match[str]"], Iterator[InputRequest]]
Table = list[tuple["re.Pattern[str]", Reader]]


def reader_for(table: Table, pattern: str) -> Callable[[Reader], Reader]:
    """Return a decorator that adds a reader to the table, for messages that match the pattern."""

    def add(reader: Reader) -> Reader:
        table.append((re.compile(pattern, re.DOTALL), reader))
        return reader

    return add


def sizes(text: str) -> list[int]:
    """Return the integers in a shape."""
    return [int(each) for each in re.findall(r"-?\d+", text)]
