"""Errors of the configuration and of the command line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gblint.runtime.lazy_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """An error in the configuration or on the command line.

    ``where`` is the file or the option; ``line`` is 0 if there is none.
    """

    where: str
    line: int
    message: str


class ConfigError(Exception):
    """The configuration cannot be used; ``problems`` has one entry for each error in it.

    ``broken`` is true if the file cannot be read or is not TOML: then its settings are unknown.
    """

    def __init__(self, problems: Sequence[Problem], *, broken: bool = False) -> None:
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = tuple(problems)
        self.broken = broken


def suggestion(word: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """Return ``"; did you mean 'x'?"`` for the word of ``known`` that is closest to ``word``.

    The result is empty if no word is at least as similar as ``likeness``, from 0 to 1.
    """
    import difflib  # slow to import, and few words are misspelt

    close = difflib.get_close_matches(word, list(known), n=1, cutoff=likeness)
    return f"; did you mean {close[0]!r}?" if close else ""
