"""A hook of a tensor, or the `backward` of an autograd function, that reads properties of a gradient too early.

Dynamo traces the hook of `y.register_hook(hook)` if `y` was computed in the region, and the `backward` of a
`torch.autograd.Function`, before any gradient exists. `gradient.layout`, `is_neg()`, `is_conj()` and `is_pinned()` are
not known then; in a hook, `is_contiguous()`, `stride()` and `storage_offset()` are not known either. A hook must not
change anything outside of it, and the handle cannot be returned or stored in a global variable. Dynamo registers a hook
on an *input* of the region without tracing it.

**Instead** compute with the gradient only: `gradient.contiguous()` needs no test before it. Keep the handle in a local
variable or on an object. Register hooks that read gradients (logging, checks) on inputs or on parameters, outside the
region.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import OUTSIDE, On, Rule

_WITH_GRADIENT = "(torch.randn(4, requires_grad=True),)"


class TensorHook(Rule):
    """GBL641."""

    code = "GBL641"
    name = "tensor-hook"
    summary = "a hook of a tensor, or a backward pass, that cannot be traced"
    gb_ids = ("GB0102", "GB0068", "GB7444", "GB0100", "GB0101")
    on = (On("tensor-hook"),)
    message_template = "`{name}` of a gradient is not known while the backward pass is traced"
    help_template = "write code that works for every layout of the gradient"
    wording = (
        ("layout", "the hook of `{expression}` reads the strides of a gradient", "call `.contiguous()` on it"),
        ("global-handle", "the handle of a hook is stored in the global `{expression}`", "keep the handle elsewhere"),
        (
            "returned-handle",
            "`{expression}` is or has the handle of a hook on a tensor that was computed here",
            "register the hook outside the region, on the result",
        ),
    )
    escape_hatches = OUTSIDE
    BREAKS = (
        Example(
            """\
import torch


def unflip(gradient: torch.Tensor) -> torch.Tensor:
    if gradient.is_neg():  # breaks: GB0102
        return gradient.resolve_neg()
    return gradient


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    y.register_hook(unflip)
    return y * 2
""",
            _WITH_GRADIENT,
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def dense(gradient: torch.Tensor) -> torch.Tensor:
    return gradient.contiguous().clamp(-1, 1)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    handle = y.register_hook(dense)
    return y * 2
""",
            _WITH_GRADIENT,
        ),
    )
