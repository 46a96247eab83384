"""More examples of GBL902, unknown-setting."""

from __future__ import annotations

from gblint.rules.examples import Example

ADVISES = (
    Example(
        """\
import torch


@torch.compile
def g(x: torch.Tensor) -> torch.Tensor:
    return x + 1


def f(x: torch.Tensor) -> torch.Tensor:
    with torch._dynamo.config.patch(automatic_dynamic=False):  # advises
        return g(x)
""",
        raises=True,
        instead="""\
import torch


@torch.compile
def g(x: torch.Tensor) -> torch.Tensor:
    return x + 1


def f(x: torch.Tensor) -> torch.Tensor:
    with torch._dynamo.config.patch(automatic_dynamic_shapes=False):
        return g(x)
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch
import torch._dynamo

if hasattr(torch._dynamo.config, "a_setting_of_another_torch"):
    torch._dynamo.config.a_setting_of_another_torch = True
if torch.__version__ < "2.0":
    torch._dynamo.config.a_setting_of_an_older_torch = True


def f(x: torch.Tensor) -> torch.Tensor:
    return x + 1
""",
    ),
    Example(
        """\
import torch
from torch._dynamo import config

try:
    torch._dynamo.config.a_setting_of_an_older_torch = True
except AttributeError:
    pass


def search(x: torch.Tensor) -> torch.Tensor:
    from torch._inductor import config

    with config.patch({"epilogue_fusion": False}):
        return x + 1


def f(x: torch.Tensor) -> torch.Tensor:
    return x + 1
""",
    ),
)
