"""A graph break between `quiet = torch.no_grad()` and `with quiet:` switches gradients off for good.

After a break Dynamo continues in another function, and makes the objects in variables anew for it. In place of
`torch.no_grad()` it makes `torch.set_grad_enabled(False)`, which takes effect at once and not at the `with`: gradients
are disabled from the break on, also below the `with`, after the call, and in the rest of the process. No error is
raised until `backward()` finds nothing to differentiate.

**Instead** make the context manager in the `with` statement, or remove the break before it.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class NoGradBeforeBreak(Rule):
    """GBL818.  ``GradModeVariable.reconstruct`` in torch/_dynamo/variables/ctx_manager.py."""

    code = "GBL818"
    name = "no-grad-before-break"
    summary = "`torch.no_grad()` that is made before a graph break and entered after it"
    category = Category.DIVERGENCE
    on = (On("divergence", ("no-grad-before-break",)),)
    message_template = "`{expression}` was made before a graph break: gradients stay disabled after this block"
    help_template = "make it in the `with` statement: `with torch.no_grad():`"
    DIVERGES = (
        Example(
            """\
import torch


@torch.compile
def scaled(x: torch.Tensor) -> torch.Tensor:
    quiet = torch.no_grad()
    torch._dynamo.graph_break()  # breaks: GB0025
    with quiet:  # diverges
        factor = x.mean()
    return x * factor


def f(x: torch.Tensor) -> bool:
    with torch.enable_grad():  # restores the mode afterwards
        return scaled(x.detach().requires_grad_()).requires_grad
""",
            others=("GBL801",),
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


@torch.compile
def f(x: torch.Tensor) -> torch.Tensor:
    quiet = torch.no_grad()
    with quiet:
        factor = x.mean()
    return x * factor
""",
        ),
    )
