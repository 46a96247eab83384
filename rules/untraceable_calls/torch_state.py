"""Functions of torch that set or read its state cannot be put into a graph.

`torch.set_num_threads`, `torch.cuda.device_count`, `torch.cuda.memory_allocated`, `torch.result_type`,
`pack_padded_sequence`, ... end the graph. `torch.is_grad_enabled`, `torch.cuda.is_available`,
`torch.get_default_dtype`, `torch.finfo` and other values that Dynamo guards on do not.

**Instead**

- read and set it outside the region, and pass the values in: `COUNT = torch.cuda.device_count()` at the top of the
  module;
- keep values that Dynamo guards on: `torch.is_grad_enabled()`, `torch.get_default_dtype()`, `torch.finfo(x.dtype)`.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class TorchState(Rule):
    """GBL418."""

    code = "GBL418"
    name = "torch-state"
    summary = "a torch function that does not return a tensor, or changes a setting"
    gb_ids = (
        "GB0007",
        "GB0046",
        "GB0098",
        "GB0208",
        "GB0234",
    )
    on = (On("call", ("torch.*",)),)
    message_template = "`{subject}` is not an operator that a graph can hold"
    help_template = "call it outside the region"
    recipes = ("printing.omit_when_compiling",)
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if torch.is_inference_mode_enabled():  # breaks: GB0046
        return x + 1
    return x * 2
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if torch.is_grad_enabled() and torch.cuda.is_available():
        x = x + 1
    return x.to(torch.get_default_dtype()) * torch.finfo(x.dtype).eps + torch.numel(x)
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch.set_num_threads(1)
    return y * 2
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    if not torch.compiler.is_compiling():
        torch.set_num_threads(1)
    return y * 2
""",
            safe=False,
        ),
    )
