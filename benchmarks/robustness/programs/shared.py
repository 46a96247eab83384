"""The table of all programs, and helpers that several of them use."""

from __future__ import annotations

from collections.abc import Callable

# The text of each file by its name; the first is the one that is linted.
Files = dict[str, str]
HEAD = "import functools\nimport itertools\n\nimport torch\nfrom torch import nn\n\n\n"
ENTRY = "@torch.compile\ndef f(self, x, y, n=3, flag=False):\n"
PROGRAMS: dict[str, Callable[[], Files]] = {}


def program(make: Callable[[], str | Files]) -> Callable[[], str | Files]:
    """Add a program under the name of its function."""

    def files() -> Files:
        made = make()
        return {"m.py": made} if isinstance(made, str) else made

    PROGRAMS[make.__name__.replace("_", "-")] = files
    return make


def body(lines: list[str]) -> str:
    """Return an entry point with these lines."""
    return HEAD + ENTRY + "".join(f"    {line}\n" for line in "\n".join(lines).splitlines()) + "    return x.item()\n"
