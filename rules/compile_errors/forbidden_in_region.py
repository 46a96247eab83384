"""`torch.compiler.set_stance`, `torch._dynamo.mark_dynamic` and similar functions raise inside a compiled region.

They configure the compiler from outside, and Dynamo refuses to trace them: the compiled call raises an
`AssertionError`. (`torch._dynamo.mark_static` alone is traced and does nothing.)

**Instead** call them before the compiled function: `mark_dynamic(x, 0)` on the input, `set_stance` around the call. In
code that is also run eagerly, guard them with `if not torch.compiler.is_compiling():`.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class ForbiddenInRegion(Rule):
    """GBL824."""

    code = "GBL824"
    name = "forbidden-in-region"
    summary = "`set_stance` or `mark_dynamic` inside a region"
    category = Category.COMPILE_ERROR
    on = (On("compile-error", ("torch.compiler.*", "torch._dynamo.*")),)
    message_template = "`{name}` is forbidden inside a compiled region: the call raises an error"
    help_template = "call it before the compiled function"
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    torch._dynamo.mark_dynamic(x, 0)  # breaks
    return x + 1
""",
            raises=True,
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


@torch.compile
def step(x: torch.Tensor) -> torch.Tensor:
    return x + 1


def f(x: torch.Tensor) -> torch.Tensor:
    torch._dynamo.mark_dynamic(x, 0)
    return step(x)
""",
        ),
    )
