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
    wording = (("ternary", "`... if {expression} else ...` depends on the values of a tensor", help_template),)
    recipes = (
        "constant_folding.math.use_math",
        "buffers.number_instead_of_buffer",
        "messages.report_in_eager_runs",
        "branches.where.where_instead_of_if",
        "bool_or_tensor.where_if_tensor",
        "bool_or_tensor.return_where_if_tensor",
        "branches.masked_in_place.add_condition_to_mask",
        "branches.where.where_instead_of_ternary",
        "branches.default_argument.skip_test_for_default",
        "branches.where.min_max_instead_of_test",
        "branches.empty_mask.skip_empty_check",
        "branches.empty_mask.remove_empty_return",
        "branches.early_return.where_instead_of_return",
        "loops.random_skip.where_instead_of_continue",
        "loops.random_skip.where_instead_of_flag",
        "loops.random_skip.tensor_flag",
        "loops.break_from.where_instead_of_break",
        "loops.return_from.where_instead_of_loop_return",
        "branches.call_both.call_with_both_values",
        "identity_memo.compare_identity",
        "branches.cond.use_cond",
        "loops.random_skip.run_branch_always",
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
            choice="where-instead-of-if",
        ),
    )
