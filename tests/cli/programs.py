"""A program for the tests of ``gblint check``, and the codes of its findings."""

from __future__ import annotations

BEFORE = """\
import torch


@torch.compile
def f(x):
    positive = x.is_signed()
    return x[: x.sum().item()]
"""
ITEM, SIGNED = "GBL101", "GBL610"
