"""Dynamo traces nested tensors in the jagged layout only.

`torch.nested.nested_tensor` has the strided layout by default. The call breaks in the region. A strided nested tensor
from outside breaks where the compiled code first uses it, and the rest of the function runs eagerly. In the region the
function also needs a list: it does not accept a single tensor.

**Instead** pass `layout=torch.jagged` to `nested_tensor` and `as_nested_tensor`; use
`torch.nested.nested_tensor_from_jagged` with values and offsets; or use a padded tensor with a mask.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import OUTSIDE, On, Rule


class NestedTensor(Rule):
    """GBL644."""

    code = "GBL644"
    name = "nested-tensor"
    summary = "a nested tensor that is not jagged"
    gb_ids = ("GB0016", "GB0090", "GB0233", "GB0245")
    on = (On("tensor-layout", ("nested",)), On("call", ("torch.nested.*",)))
    message_template = "`{expression}` creates a nested tensor that Dynamo cannot trace"
    help_template = "use a list of tensors and `layout=torch.jagged`"
    wording = (("nested", "`{expression}` uses a strided nested tensor, which cannot enter a graph", help_template),)
    escape_hatches = OUTSIDE
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    nested = torch.nested.nested_tensor([y, y])  # breaks: GB0090
    return nested * 2  # breaks: GB0016
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    nested = torch.nested.as_nested_tensor([y, y], layout=torch.jagged)
    return nested * 2
""",
        ),
    )
