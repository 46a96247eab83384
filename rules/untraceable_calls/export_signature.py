"""Strict export requires that tensors are inputs, and that outputs are tensors and constants.

`torch.export.export(..., strict=True)` and `torch._dynamo.export` trace as `fullgraph=True` does and then rewrite the
signature. If no argument is passed for a parameter whose default is a tensor, there is no corresponding input. An
output of a registered class cannot be rebuilt if its context contains a function that closes over variables of the
region.

**Instead** pass the tensor, or register it as a buffer; return the tensors that the function needs, and build it
outside.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class ExportSignature(Rule):
    """GBL428."""

    code = "GBL428"
    name = "export-signature"
    summary = "an input or output that strict export does not support"
    gb_ids = (
        "GB0353",
        "GB4778",
    )
    on = (On("export"),)
    message_template = "`{expression}` cannot be exported: its inputs and outputs must be tensors and constants"
    help_template = "pass every tensor in, and return tensors"
    wording = (
        (
            "default",
            "a parameter of the exported function has a tensor as its default, and no argument is passed for it",
            "pass the tensor, or register it as a buffer",
        ),
        (
            "closure",
            "the exported function returns a function that uses variables of the region",
            "return the tensors, and build the function outside",
        ),
    )
    escape_hatches = ()
    BREAKS = (
        Example(
            """\
import torch
import torch._dynamo

WEIGHT = torch.ones(4)


def scaled(x: torch.Tensor, weight: torch.Tensor = WEIGHT) -> torch.Tensor:
    return x * weight


def f(x: torch.Tensor) -> object: return torch._dynamo.export(scaled)(x)  # breaks: GB0353
""",
            raises=True,
        ),
    )
    CLEAN = (
        Example(
            """\
import torch

WEIGHT = torch.ones(4)


def scaled(x: torch.Tensor, weight: torch.Tensor = WEIGHT) -> torch.Tensor:
    return x * weight


def f(x: torch.Tensor) -> torch.Tensor:
    return scaled(x) + 1
""",
        ),
    )
