"""`torch.as_tensor` and `torch.asarray` of a list of tensors raise under `torch.compile`.

In eager mode they read each tensor as a number. Dynamo fails while it makes the fake tensor, and the call of the
compiled function raises. `torch.tensor([t, u])` is traced (Dynamo turns it into a stack), and so is `np.array([t, u])`.

**Instead** use `torch.stack(list_of_tensors)`, which also keeps the gradients; or `torch.tensor`.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class TensorFromTensors(Rule):
    """GBL822."""

    code = "GBL822"
    name = "tensor-from-tensors"
    summary = "`torch.as_tensor` or `torch.asarray` of tensors computed in the region"
    gb_ids = ("GB4315",)
    category = Category.COMPILE_ERROR
    on = (On("compile-error", ("torch.as_tensor", "torch.asarray")),)
    message_template = "`{expression}` reads tensors as numbers, and Dynamo raises an error"
    help_template = "use `torch.stack`"
    recipes = ("equivalents.use_torch_tensor",)
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    losses = [x.sum(), x.abs().max()]
    return torch.as_tensor(losses).mean()  # breaks: GB4315
""",
            raises=True,
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    losses = [x.sum(), x.abs().max()]
    return torch.stack(losses).mean() + torch.tensor(losses).sum()
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    losses = [x.sum(), (x * x).sum()]
    return torch.as_tensor(losses, dtype=torch.float64).mean()
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    losses = [x.sum(), (x * x).sum()]
    return torch.tensor(losses, dtype=torch.float64).mean()
""",
        ),
    )
