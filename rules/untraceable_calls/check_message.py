"""The message of `torch._check` must be a function that is defined in the region and uses only constants.

The check and its message go into the graph. The graph cannot keep a string, a function defined at module level, or a
lambda that shows a tensor or its shape object.

**Instead**

- `torch._check(n > 1, lambda: "too short")`;
- read the numbers first: `n = x.shape[0]`, then `lambda: f"{n} rows are too few"`;
- omit the message.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class CheckMessage(Rule):
    """GBL420."""

    code = "GBL420"
    name = "check-message"
    summary = "a message of `torch._check` that Dynamo cannot keep"
    gb_ids = (
        "GB9158",
        "GB9840",
    )
    on = (On("check-message"),)
    message_template = "the message of `{expression}` is not a function that Dynamo can keep"
    help_template = "write a lambda here that closes over sizes and constants only"
    wording = (
        (
            "*-closure",
            "the message of `{expression}` closes over a tensor",
            "read the numbers that it shows first: `n = x.shape[0]`",
        ),
    )
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    torch._check(x.shape[0] > 1, lambda: f"{x} is too short")  # breaks: GB9158
    return x + 1
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    torch._check(x.shape[0] > 1, lambda: "too short")
    return x + 1
""",
        ),
    )
