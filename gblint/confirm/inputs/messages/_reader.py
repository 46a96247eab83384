"""What readers of error messages are made with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from gblint.confirm.inputs.error_requests import InputRequest

Reader = Callable[["re.Match[str]"], Iterator[InputRequest]]
Table = list[tuple["re.Pattern[str]", Reader]]


def reader_for(table: Table, pattern: str) -> Callable[[Reader], Reader]:
    """Enter the function below into the table, for the messages that have the pattern in them."""

    def add(reader: Reader) -> Reader:
        table.append((re.compile(pattern, re.DOTALL), reader))
        return reader

    return add


def sizes(text: str) -> list[int]:
    """The whole numbers in a shape that is written out."""
    return [int(each) for each in re.findall(r"-?\d+", text)]
