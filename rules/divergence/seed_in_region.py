"""`torch.seed()` in a compiled region is traced, and gives the same number every time.

Dynamo calls it while it traces and keeps the result as a constant; the returned number is not the seed that is used
afterwards. (`torch.manual_seed` breaks the graph instead.)

**Instead** seed outside of the compiled region.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class SeedInRegion(Rule):
    """GBL815."""

    code = "GBL815"
    name = "seed-in-region"
    summary = "`torch.seed()` in a region"
    category = Category.DIVERGENCE
    on = (On("divergence", ("torch.seed",)),)
    message_template = "`{expression}` is a constant under Dynamo"
    help_template = "seed outside of the compiled region"
    DIVERGES = (
        Example(
            """\
import torch


@torch.compile
def draw(x: torch.Tensor) -> tuple[torch.Tensor, int]:
    seed = torch.seed()  # diverges
    return x + 1, seed


def f(x: torch.Tensor) -> bool:
    return draw(x)[1] == draw(x)[1]
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


@torch.compile
def draw(x: torch.Tensor) -> torch.Tensor:
    return x + torch.rand_like(x)


def f(x: torch.Tensor) -> torch.Tensor:
    torch.manual_seed(7)
    return draw(x)
""",
        ),
    )
