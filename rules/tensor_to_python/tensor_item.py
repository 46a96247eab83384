"""`.item()` copies a number out of a tensor into Python, and the graph ends there.

Dynamo traces with fake tensors: there is no number to give to Python while it traces. By default it ends the graph,
runs the call, and continues in a new graph; on a GPU the call also waits for the device. Under `fullgraph=True`, or
with `torch._dynamo.config.capture_scalar_outputs = True`, the number stays in the graph as an *unbacked* scalar, and
only a branch on it breaks.

**Instead**

- keep the value in a tensor: `x / x.max()` needs no `.item()`, `torch.where` replaces a branch, and `torch.full((), v)`
  is a number that the graph can hold;
- move the logging of losses out of the compiled region;
- `torch._dynamo.config.capture_scalar_outputs = True`: the number stays in the graph, unbacked; `torch._check` gives
  the compiler its bounds;
- where Python needs the number, a custom operator (`torch.library.custom_op`), or a function with
  `torch._dynamo.decorators.leaf_function`, which the backend inductor refuses.

**Does not help**

- `.detach()`, `.cpu()` or `torch.no_grad()` before it: none of these gives the fake tensor a value.
- `torch.compiler.allow_in_graph` or `nonstrict_trace` on a function that calls it: it gets fake tensors as well.
- `try: ... except` around it: Dynamo raises nothing there, and the whole function then runs eagerly.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class TensorItem(Rule):
    """GBL101."""

    code = "GBL101"
    name = "tensor-item"
    summary = "`.item()` of a tensor"
    gb_ids = ("GB0124",)
    on = (On("tensor-to-python", ("item",)),)
    message_template = "`{expression}` takes a number out of a tensor"
    help_template = "keep the value in a tensor, or set `torch._dynamo.config.capture_scalar_outputs = True`"
    recipes = (
        "constant_folding.trace.compute_at_trace_time",
        "constant_folding.init.compute_in_init",
        "numbers.tensor_instead_of_number",
        "elements.index_with_tensor",
        "elements.keep_tensor",
        "checks.split_assert",
        "checks.assert_in_graph",
        "branches.where.where_instead_of_if",
        "branches.where.where_instead_of_ternary",
        "branches.early_return.where_instead_of_return",
        "branches.capture_config.capture_scalar_outputs",
    )
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    scale = x.max().item()  # breaks: GB0124
    return x / scale
"""
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(())
    for item in {"x": x}.items():
        total = total + item[1].sum()
    return total
"""
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


class Steps:
    def __init__(self, count: int) -> None:
        self.count = count
        self.levels = torch.linspace(-5.0, 5.0, count)

    def last(self, x: torch.Tensor) -> torch.Tensor:
        clipped = torch.searchsorted(self.levels, 0.5)
        last = int((self.count - clipped).item())
        return x[: last - 1]


STEPS = [Steps(12), Steps(6)]


def f(x: torch.Tensor) -> torch.Tensor:
    return STEPS[0].last(x * 2).sum() + STEPS[1].last(x)
""",
            """\
import torch


class Steps:
    def __init__(self, count: int) -> None:
        self.count = count
        self.levels = torch.linspace(-5.0, 5.0, count)
        clipped = torch.searchsorted(self.levels, 0.5)
        self._last = int((self.count - clipped).item())

    def last(self, x: torch.Tensor) -> torch.Tensor:
        last = self._last
        return x[: last - 1]


STEPS = [Steps(12), Steps(6)]


def f(x: torch.Tensor) -> torch.Tensor:
    return STEPS[0].last(x * 2).sum() + STEPS[1].last(x)
""",
            calls=("(torch.ones(9),)", "(torch.randn(4, requires_grad=True),)"),
            safe=False,
            choice="compute-in-init",
        ),
    )
