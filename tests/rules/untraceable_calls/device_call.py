"""More examples of GBL421, device-call."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        torch.accelerator.current_stream("npu")  # breaks: GB0249
    except RuntimeError:
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        torch.accelerator.current_stream("cpu", 0)  # breaks: GB0285
    except TypeError:
        y = y * 2
    return y
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    module = torch.get_device_module("cpu", 0)  # breaks: GB0248
    return x + module.device_count()
""",
        raises=True,
    ),
    Example(
        """\
import torch

START = torch.Event(device="cpu")


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        START.ipc_handle()  # breaks: GB0146
    except RuntimeError:
        y = y * 2
    return y
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch

DEVICE = "cpu"


def f(x: torch.Tensor) -> torch.Tensor:
    module = torch.get_device_module(DEVICE)
    return x + (1 if module is torch.cpu else 2)
""",
    ),
    Example(
        """\
import torch

START = torch.Event(device="cpu")


def f(x: torch.Tensor) -> torch.Tensor:
    return x + (1 if START is not None else 2)
""",
    ),
)
