"""A generator of torch cannot be seeded, read or passed in a graph: its state is not a tensor there.

**Instead**

- let operators use the default generator, and seed it before the compiled call;
- generate noise outside, with a separate generator, and pass it in.

**Fixed by** a custom operator that seeds (`torch.library.custom_op`) and is registered with an effect, so that it is
not removed from the graph and keeps its order. The seed must be a signed 64-bit integer.

**Does not help**

- `torch.manual_seed` in the region, to get the same numbers each time: it breaks the graph too.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import OUTSIDE, On, Rule


class TorchGenerator(Rule):
    """GBL410."""

    code = "GBL410"
    name = "torch-generator"
    summary = "seeding torch, its generator states and `generator=`"
    gb_ids = ("GB0007", "GB7650", "GB0363", "GB0055")
    on = (
        On(
            "call",
            (
                "torch.manual_seed",
                "torch.seed",
                "torch.initial_seed",
                "torch.get_rng_state",
                "torch.set_rng_state",
                "torch.random.*",
                "torch.cuda.manual_seed*",
                "torch.cuda.get_rng_state*",
                "torch.cuda.set_rng_state*",
                "torch.Generator",
                "torch.Generator.*",
                "torch._C.Generator*",
                "generator=",
            ),
        ),
        On("construct", ("torch.Generator",)),
        On("context-manager", ("torch.random.*",)),
    )
    message_template = "`{expression}` uses or changes a random generator"
    help_template = "seed outside the region, and do not pass `generator=`"
    recipes = ("manual_seed.seed_in_graph",)
    escape_hatches = OUTSIDE
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch.manual_seed(0)  # breaks: GB0007
    y = y + torch.rand(4)
    state = torch.get_rng_state()  # breaks: GB0007
    y = y + torch.rand(4)
    torch.set_rng_state(state)  # breaks: GB0007
    return y + torch.rand(4)
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor, generator: torch.Generator | None = None) -> torch.Tensor:
    return x + torch.rand(4) + torch.randn_like(x) + torch.randn(4, generator=generator)
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor, seed: int) -> torch.Tensor:
    y = x + torch.rand(4)
    torch.manual_seed(seed)
    z = torch.nn.functional.dropout(y, 0.5)
    torch.manual_seed(seed + 1)
    return z + torch.rand(4)
""",
            """\
import torch


@torch.library.custom_op("example::manual_seed", mutates_args=())
def _manual_seed(seed: int) -> None:
    torch.manual_seed(seed)


@_manual_seed.register_fake
def _manual_seed_fake(seed: int) -> None:
    return None


# Keep it before the random numbers that are drawn after it.
_manual_seed.register_effect(torch._library.effects.EffectType.ORDERED)


def f(x: torch.Tensor, seed: int) -> torch.Tensor:
    y = x + torch.rand(4)
    _manual_seed(seed)
    z = torch.nn.functional.dropout(y, 0.5)
    _manual_seed(seed + 1)
    return z + torch.rand(4)
""",
            calls=("(torch.ones(4), 7)", "(torch.ones(4), 0)", "(torch.randn(4, requires_grad=True), -3)"),
            safe=False,
            choice="seed-in-graph",
        ),
    )
