"""Uses of devices, streams and events that Dynamo does not support.

`torch.get_device_module` and `current_stream` take one device, which must be a device type of PyTorch. Code that
catches the error to find out whether a device exists breaks the graph. Dynamo supports `record`, `wait`, `synchronize`
and `query` of an event; `elapsed_time` and `ipc_handle` end the graph.

**Instead** look for devices once, when the module is imported or constructed, and measure around the compiled call.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class DeviceCall(Rule):
    """GBL421."""

    code = "GBL421"
    name = "device-call"
    summary = "a device, a stream or an event used in a way that Dynamo does not support"
    gb_ids = (
        "GB0146",
        "GB0248",
        "GB0249",
        "GB0285",
        "GB0286",
    )
    on = (On("device-call"),)
    message_template = "Dynamo does not support this use of a device, a stream or an event: `{expression}`"
    help_template = "query devices, and measure time with events, outside of the region"
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    try:
        torch.get_device_module("npu")  # breaks: GB0286
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


def f(x: torch.Tensor) -> torch.Tensor:
    module = torch.get_device_module(x.device)
    return x + (1 if module is torch.cpu else 2)
""",
        ),
    )
