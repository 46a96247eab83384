"""`exec`, `compile`, `globals()` and `eval` of anything but a constant expression cannot be traced.

**Instead**

- a dict of functions, looked up by a name: it is traced;
- build the function outside the region, and pass it in;
- `getattr(module, name)` with a constant name, in place of `globals()[name]`.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import UNSEEN, On, Rule


class DynamicCode(Rule):
    """GBL506."""

    code = "GBL506"
    name = "dynamic-code"
    summary = "`exec`, `eval` and `compile`"
    gb_ids = ("GB0059",)
    on = (
        On("construct", ("exec", "eval", "compile", "globals")),
        On("call", ("builtins.exec", "builtins.eval", "builtins.compile", "builtins.globals")),
    )
    message_template = "`{expression}` runs code or looks up names given as text"
    help_template = "write the code out, or create the function outside the region"
    escape_hatches = UNSEEN
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    exec("a = 1")  # breaks: GB0059
    y = y + 1
    code = compile("1", "name", "eval")  # breaks: GB0059
    return y * 2, code
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * eval("2") + getattr(torch, "abs")(x)
""",
        ),
    )
