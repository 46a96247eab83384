"""`if` on a tensor cannot be traced: the data decides which branch runs.

Dynamo ends the graph at the condition, lets Python evaluate it, and compiles the code of each branch as a graph of its
own. On a GPU the program waits for the device. Under `fullgraph=True` it is an error. A test of `x is None`,
`isinstance`, a shape, a dtype, a device or a Python flag is decided while tracing and costs nothing.

**Instead**

- `torch.where(condition, a, b)`: computes both and selects;
- `torch.clamp`, `torch.nan_to_num`, `masked_fill` and similar functions, where the branch only corrects values;
- `torch.cond(condition, f, g, operands)`: both functions stay in the graph and one runs; they must return tensors of
  the same shapes and dtypes;
- a flag that is known before the call: pass it as a bool; Dynamo compiles one graph for each value;
- a check that only raises: `assert` or `torch._assert_async`.

**Does not help**

- `capture_scalar_outputs = True` and `bool(...)` or `.item()` in the condition: the number stays in the graph, but the
  branch on it breaks.
- `dynamic=True`: it concerns sizes only.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class BranchOnTensor(Rule):
    """GBL201."""

    code = "GBL201"
    name = "branch-on-tensor"
    summary = "`if`, `elif` or a conditional expression on a tensor"
    gb_ids = ("GB0170",)
    on = (On("data-dependent-branch", ("if", "elif", "ternary")),)
    message_template = "`{subject} {expression}` depends on the values of a tensor"
    help_template = (
        "use `torch.where` or `torch.cond`, or test something that does not depend on the data (a shape, a flag)"
    )
    recipes = (
        "constant_folding.math.by_math",
        "buffers.as_number",
        "messages.said_in_eager_runs",
        "branches.where.as_where",
        "bool_or_tensor.by_kind",
        "bool_or_tensor.returned_by_kind",
        "branches.masked_in_place.masked_in_place",
        "branches.where.ternary_as_where",
        "branches.default_argument.asked_if_different",
        "branches.where.number_by_size",
        "branches.empty_mask.unasked",
        "branches.empty_mask.empty_anyway",
        "branches.early_return.returned_early",
        "loops.random_skip.computed_anyway",
        "loops.random_skip.flagged",
        "loops.random_skip.flag_of_tensor",
        "loops.break_from.broken_off",
        "loops.return_from.returned_from_loop",
        "branches.call_both.called_both_ways",
        "identity_memo.the_same_tensor",
        "branches.cond.as_cond",
        "loops.random_skip.taken_anyway",
    )
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:  # breaks: GB0170
        return x + 1
    return x - 1
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch

torch._dynamo.config.capture_scalar_outputs = True


def f(x: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
    n = count.item()
    torch._check(n > 0)
    if n > 0:
        x = x * n
    return x
""",
            inputs="(torch.randn(4), torch.tensor(2))",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    # mirrored or not
    if x.sum() > 0:
        y = x + 1
    else:
        y = x.exp() - 1
    return y * 2
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    # mirrored or not
    y = torch.where(x.sum() > 0, x + 1, x.exp() - 1)
    return y * 2
""",
            calls=("(torch.ones(4),)", "(-torch.ones(4, requires_grad=True),)"),
            safe=False,
            choice="as-where",
        ),
    )
