"""Choice of the torch version: the requested one, else the installed one, else the newest with data."""

from __future__ import annotations

from gblint.knowledge.versions import UnknownTorchVersion, available_versions, release

JUDGED = "2.13"
"""The reference version: the test suite runs it, and the interpreter and the examples follow it."""


class Choice:
    """The version whose data are used; ``note`` is a line for the user if it is not the requested one."""

    __slots__ = ("note", "version")

    def __init__(self, version: str, note: str | None = None) -> None:
        self.version = version
        self.note = note


def choose(asked: str | None, installed: str | None) -> Choice:
    """Return the version to lint for.

    Without data for a version, those of the release before it are used, since Dynamo gains more support than it loses.
    A version older than all data raises UnknownTorchVersion if it was requested; if it is only installed, the oldest
    data are used.
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
