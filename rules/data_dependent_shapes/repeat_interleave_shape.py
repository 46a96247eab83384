"""`repeat_interleave` with a tensor of counts returns as many rows as the sum of the counts.

With `output_size=` the shape is known and the call stays in the graph; a Python int as the count is fine too.

**Instead**

- pass `output_size=total`, where the total comes from a shape or from outside the region;
- a Python int as the count, where all counts are the same;
- `torch._dynamo.config.capture_dynamic_output_shape_ops = True`: the result stays in the graph with an unbacked size.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class RepeatInterleaveShape(Rule):
    """GBL304."""

    code = "GBL304"
    name = "repeat-interleave-shape"
    summary = "`repeat_interleave` with a tensor of counts and no `output_size`"
    gb_ids = ("GB0036",)
    on = (On("dynamic-shape", ("torch.repeat_interleave", "torch.Tensor.repeat_interleave")),)
    message_template = "`{expression}` takes the repeat counts from a tensor"
    help_template = "pass `output_size=`, or a Python int as the count"
    recipes = (
        "repeat_interleave.add_output_size",
        "repeat_interleave.take_size_of_operand",
        "branches.capture_config.capture_dynamic_shapes",
    )
    BREAKS = (
        Example(
            """\
import torch


def f(x: torch.Tensor, counts: torch.Tensor) -> tuple[torch.Tensor, ...]:
    y = x + 1
    a = torch.repeat_interleave(y, counts)  # breaks: GB0036
    y = y + 1
    b = y.repeat_interleave(counts, dim=0)  # breaks: GB0036
    y = y + 1
    return y, a, b, torch.repeat_interleave(counts)  # breaks: GB0036
""",
            "(torch.randn(2), torch.tensor([1, 2]))",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x.repeat_interleave(2) + torch.repeat_interleave(x, 2, dim=0)
""",
        ),
    )
    FIXES = (
        FixExample(
            """\
import torch


def f(x: torch.Tensor, parts: list[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    counts = [len(part) for part in parts]
    rows = torch.repeat_interleave(
        torch.arange(len(parts)),
        torch.tensor(counts),
    )
    return rows + x, x.repeat_interleave(torch.tensor([1, 2]), dim=0)
""",
            """\
import torch


def f(x: torch.Tensor, parts: list[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    counts = [len(part) for part in parts]
    rows = torch.repeat_interleave(
        torch.arange(len(parts)),
        torch.tensor(counts),
        output_size=sum(counts),
    )
    return rows + x, x.repeat_interleave(
        torch.tensor([1, 2]), dim=0, output_size=sum([1, 2])
    )
""",
            calls=(
                "(torch.ones(2, 5), [torch.ones(3), torch.ones(2)])",
                "(torch.randn(2, 1, requires_grad=True), [torch.ones(0), torch.ones(2)])",
            ),
            safe=False,
        ),
    )
