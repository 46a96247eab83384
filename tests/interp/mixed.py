"""The mixed snippets: each file has several, separated by lines ``# %% name | arguments``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CORPUS = Path(__file__).parents[1] / "corpus"

_HEAD = re.compile(r"^# %% (\w+) \| (.*)\n", re.MULTILINE)


@dataclass(frozen=True)
class Snippet:
    """A snippet as a module; ``offset`` converts its line numbers to those of its file."""

    name: str
    source: str
    inputs: str
    path: Path
    offset: int


def snippets(folder: str) -> Iterator[Snippet]:
    """Yield every snippet of a folder of the corpus; the text before the first snippet of a file is put before each."""
    for path in sorted((CORPUS / folder).glob("*.py")):
        text = path.read_text(encoding="utf-8")
        heads = list(_HEAD.finditer(text))
        preamble = text[: heads[0].start()]
        for head, end in zip(heads, [later.start() for later in heads[1:]] + [len(text)]):
            offset = text.count("\n", 0, head.end()) - preamble.count("\n")
            arguments = head[2].strip()
            yield Snippet(
                head[1], preamble + text[head.end() : end], f"({arguments},)" if arguments else "()", path, offset
            )
