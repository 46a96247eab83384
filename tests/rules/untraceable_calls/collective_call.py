"""More examples of GBL422, collective-call."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch
import torch.distributed as dist


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        dist.isend(y, 1)  # breaks: GB2696
    except (RuntimeError, ValueError):
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import torch
import torch.distributed as dist


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        dist.batch_isend_irecv([])  # breaks: GB9300
    except (ValueError, IndexError):
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import torch
import torch.distributed as dist

if not dist.is_initialized():
    dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    message = dist.P2POp(dist.isend, x, 0)  # breaks: GB1750
    return y * 2 if message.tag == 0 else y
""",
    ),
    Example(
        """\
import torch
import torch.distributed as dist

if not dist.is_initialized():
    dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
MESSAGE = dist.P2POp(dist.isend, torch.zeros(4), 0)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    MESSAGE.tag = 3  # breaks: GB9860
    return y * 2
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
    out = torch.empty_like(x)
    dist.all_gather_into_tensor(out, x)
    return out * dist.get_world_size() + dist.get_rank()
""",
    ),
    Example(
        """\
import torch
import torch.distributed as dist


def f(x: torch.Tensor) -> torch.Tensor:
    if dist.is_available() and dist.is_initialized():
        dist.all_reduce(x)
    return x + 1
""",
    ),
    Example(
        """\
import torch
import torch.distributed._functional_collectives as collectives
import torch.distributed as dist

if not dist.is_initialized():
    dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())


def f(x: torch.Tensor) -> torch.Tensor:
    return collectives.all_reduce(x + 1, "sum", dist.group.WORLD) * 2
""",
    ),
)
