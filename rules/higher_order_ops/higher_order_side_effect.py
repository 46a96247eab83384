"""A function that a higher-order operator captures must not change anything outside of it.

`torch.cond`, `while_loop`, `scan`, `map` and `torch.utils.checkpoint.checkpoint` put the function into the graph as a
graph of its own. That graph cannot append to a list of the caller, bind a `nonlocal` or `global` name, or set an
attribute; except under checkpoint, it may not change its tensor arguments in place either (where gradients are off,
`torch.cond` and `while_loop` allow that). Checkpoint falls back to Python: the call breaks the graph. The others raise
`UncapturedHigherOrderOpError`, with or without `fullgraph=True`. An attribute may be set to a constant if the function
restores it before it returns.

**Instead**

- return the values that you want to keep, and store them after the call;
- `x = x + 1` rather than `x += 1` on an argument;
- for counters and statistics, register a buffer and update it outside of the function.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class HigherOrderSideEffect(Rule):
    """GBL622."""

    code = "GBL622"
    name = "higher-order-side-effect"
    summary = "a function given to a higher-order operator or to checkpoint changes something outside of itself"
    gb_ids = (
        "GB0041",
        "GB0067",
        "GB0088",
        "GB4413",
    )
    on = (On("higher-order", ("side-effect", "attribute", "mutation")),)
    message_template = "`{expression}` changes something outside of the function that the operator captures"
    help_template = "return the new value, and store it after the call"
    wording = (
        (
            "attribute",
            "a function given to `{expression}` changes an attribute of an outside object and does not restore it",
            "return the new value, and store it after the call",
        ),
        (
            "mutation",
            "a function given to `{expression}` modifies an argument or a captured tensor in place",
            "work on a copy: `x = x + 1` rather than `x += 1`",
        ),
    )
    escape_hatches = ()
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    seen = []

    def up(x: torch.Tensor) -> torch.Tensor:
        seen.append(1)  # breaks: GB0067
        return x + 1

    return torch.cond(x.sum() > 0, up, lambda x: x - 1, (x,))
""",
            raises=True,
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    seen = []

    def up(x: torch.Tensor) -> torch.Tensor:
        parts = []
        parts.append(x + 1)
        return torch.cat(parts)

    seen.append(1)
    return torch.cond(x.sum() > 0, up, lambda x: x - 1, (x,))
""",
        ),
    )
