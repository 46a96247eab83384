"""Synchronous collectives are traced; asynchronous ones and point-to-point messages are not.

`all_reduce`, `all_gather_into_tensor`, `reduce_scatter_tensor` and `all_to_all_single` are traced as functional
collectives. With `async_op=True` they return a handle, which a graph cannot hold. `isend`, `irecv`, `batch_isend_irecv`
and `P2POp` break the graph unless `torch._dynamo.config.enable_p2p_compilation` is set; an existing `P2POp` cannot be
changed in a region in any case.

**Instead**

- omit `async_op=True`: in a graph, the compiler overlaps communication with computation by itself;
- set `torch._dynamo.config.enable_p2p_compilation = True` for messages from peer to peer;
- communicate between two regions.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import OUTSIDE, On, Rule


class CollectiveCall(Rule):
    """GBL422."""

    code = "GBL422"
    name = "collective-call"
    summary = "a call of `torch.distributed` that stays out of the graph"
    gb_ids = (
        "GB0172",
        "GB1750",
        "GB2696",
        "GB9300",
        "GB9860",
    )
    on = (On("collective"),)
    message_template = "Dynamo cannot put `{subject}` into the graph"
    help_template = (
        "use the functions of `torch.distributed._functional_collectives`, or communicate outside of the region"
    )
    wording = (
        ("*P2POp.attribute", "Dynamo cannot change a `P2POp`", "create a new one with the right arguments"),
        (
            "*send*",
            "Dynamo does not trace `{name}`",
            "set `torch._dynamo.config.enable_p2p_compilation`, or send outside of the region",
        ),
        (
            "*P2POp",
            "Dynamo does not trace `P2POp`",
            "set `torch._dynamo.config.enable_p2p_compilation`, or send outside of the region",
        ),
        (
            "torch.distributed.[ar]*",
            "`{name}` with `async_op=True` returns a handle, which a graph cannot hold",
            "omit `async_op=True`: the compiler overlaps communication and computation by itself",
        ),
    )
    escape_hatches = OUTSIDE
    BREAKS = (
        Example(
            """\
import torch
import torch.distributed as dist

if not dist.is_initialized():
    dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())


def f(x: torch.Tensor) -> object:
    y = x + 1
    work = dist.all_reduce(y, async_op=True)  # breaks: GB0172
    return y * 2, work
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch
import torch.distributed as dist

if not dist.is_initialized():
    dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    dist.all_reduce(y)
    return y * 2
""",
        ),
    )
