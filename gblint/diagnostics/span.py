"""Places in source files.  Lines and columns count from 1; ``end_column`` is the column after the last character."""

from __future__ import annotations

from pathlib import Path

from gblint.runtime.lazy_dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of one source file."""

    path: str
    line: int
    column: int = 1
    end_line: int = 0
    end_column: int = 0


@dataclass(frozen=True, slots=True)
class ChainLink:
    """One frame of the call chain from an entry point to a break: the place at which it enters the next frame."""

    path: str
    line: int
    function: str


@dataclass(frozen=True, slots=True)
class FileLine:
    """A line of a file, named on the command line as ``FILE:LINE``."""

    path: Path
    line: int

    @classmethod
    def of(cls, text: str) -> FileLine:
        """Parse ``FILE:LINE``; raises ValueError."""
        path, colon, line = text.rpartition(":")
        if not colon or not path or not line.isdecimal() or int(line) < 1:
            raise ValueError(f"FILE:LINE is expected, not {text!r}")
        return cls(Path(path), int(line))
