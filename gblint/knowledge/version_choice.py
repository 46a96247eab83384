"""Which torch to lint for: the one asked for, else the one installed, else the newest that there are data for."""

from __future__ import annotations

from gblint.knowledge.versions import UnknownTorchVersion, available_versions, release

JUDGED = "2.13"
"""The torch that the test suite runs, and that the interpreter and the examples speak of."""


class Choice:
    """The version whose data are used; ``note`` is a line for people if it is not the one that was wanted."""

    __slots__ = ("note", "version")

    def __init__(self, version: str, note: str | None = None) -> None:
        self.version = version
        self.note = note


def choose(asked: str | None, installed: str | None) -> Choice:
    """The version to lint for.

    Without data for a version, those of the release before it are used: Dynamo learns more than it forgets.  What is
    older than all data is not guessed at where it was asked for (UnknownTorchVersion); if it is merely installed, the
    oldest data have to do.
    """
    known = available_versions()
    wanted = asked or installed
    if wanted is None:
        return Choice(known[-1])
    older = [version for version in known if release(version) <= release(wanted)]
    if not older and asked:
        raise UnknownTorchVersion(f"torch {asked} is not known: there is torch {known[0]} and later")
    nearest = older[-1] if older else known[0]
    if release(nearest) == release(wanted):
        return Choice(nearest)
    which = "asked for" if asked else "installed"
    return Choice(nearest, f"torch {wanted} is {which}, gblint knows {known[0]} to {known[-1]}: linting for {nearest}")
