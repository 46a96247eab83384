"""Strict export requires that tensors are inputs, and that outputs are tensors and constants.

`torch.export.export(..., strict=True)` and `torch._dynamo.export` trace as `fullgraph=True` does and then rewrite the
signature. A parameter that has a tensor as its default and is not given has no corresponding input. An output of a
registered class whose context has a function that closes over variables of the region cannot be rebuilt.

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
    summary = "what strict export cannot take in or give out"
    gb_ids = (
        "GB0353",
        "GB4778",
    )
    on = (On("export"),)
    message_template = "`{expression}` cannot be exported: its inputs and outputs have to be tensors and constants"
    help_template = "pass every tensor in, and return tensors"
    wording = (
        (
            "default",
            "a parameter of what is exported has a tensor as its default, and is not given",
            "pass the tensor, or make it a buffer",
        ),
        (
            "closure",
            "what is exported returns a function over variables of the region",
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
