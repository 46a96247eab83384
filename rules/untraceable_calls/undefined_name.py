"""A name that neither the file nor Python's builtins define ends the graph where it is read.

Python raises `NameError` there. Code that catches the error, to detect a version of Python or a notebook, works in
eager mode; but Dynamo stops at the name, and the function runs eagerly. The same happens if the region itself makes a
global variable and then reads it: the variable is not there yet when the code is traced.

**Instead** detect the environment once, at module level.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class UndefinedName(Rule):
    """GBL427."""

    code = "GBL427"
    name = "undefined-name"
    summary = "a name that is not defined"
    gb_ids = ("GB0354",)
    on = (On("name"),)
    message_template = "the name `{expression}` is not defined"
    help_template = "define it, or import it"
    wording = (
        (
            "new-global",
            "`{expression}` is a global variable that does not exist before the first call",
            "define it at the top of the module",
        ),
    )
    escape_hatches = ()
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    try:
        text = unicode  # breaks: GB0354
    except NameError:
        text = str
    return x + len(text("ab"))
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch

try:
    text = unicode
except NameError:
    text = str


def f(x: torch.Tensor) -> torch.Tensor:
    return x + len(text("ab"))
""",
        ),
    )
