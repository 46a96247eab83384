"""A tensor used where Python needs an integer index: a slice bound, a list index, or one element of a tensor.

`x[:n]` with a tensor `n`, `layers[i]` with a tensor `i` and `x[x.argmax()]` all call `__index__` of the tensor, which
is `.item()`. Dynamo cannot resume after a break at a slice bound: the rest of the function runs eagerly.

**Instead** select with tensors: `torch.where(torch.arange(len(x)) < n, x, 0)` for a prefix, `x.index_select(0, i)` or
`x[i.unsqueeze(0)].squeeze(0)` for one element, `torch.narrow` with Python numbers. Stack the items of the list and
index the stack.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class TensorAsIndex(Rule):
    """GBL104."""

    code = "GBL104"
    name = "tensor-as-index"
    summary = "a tensor as a slice bound, a list index or a scalar index"
    gb_ids = ("GB0124", "GB0033")
    on = (On("tensor-to-python", ("slice-bound", "list-index", "tensor-index")),)
    message_template = "`{expression}` uses a tensor as an index"
    help_template = "use `x.index_select(dim, i)` with a 1-d index, or a Python int from outside the region"
    wording = (
        (
            "slice-bound",
            "`{expression}` has a tensor as a slice bound",
            "mask with `torch.arange(size) < n` instead of slicing, or pass the bound as a Python int",
        ),
        (
            "list-index",
            "`{expression}` indexes a Python sequence with a tensor",
            "stack the items and use `index_select`, or pass the index as a Python int",
        ),
    )
    recipes = (
        "gathers.index_instead_of_stack",
        "masks.fill_by_truth",
        "masks.update_full_shape",
        "masks.assign_full_shape",
        "elements.index_with_tensor",
        "index_grids.use_itertools_product",
    )
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    return x[:n]  # breaks: GB0124
""",
            "(torch.randn(4), torch.tensor(2))",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    return x[rows] + x.index_select(0, rows)
""",
            "(torch.randn(4), torch.tensor([0, 2]))",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    scores = x.softmax(0)
    return scores[x.argmax()] + x
""",
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    scores = x.softmax(0)
    return scores[x.argmax().reshape(1)][0] + x
""",
            calls=(
                "(torch.rand(4),)",
                "(torch.rand(2, requires_grad=True),)",
            ),
            safe=False,
            choice="index-with-tensor",
        ),
    )
