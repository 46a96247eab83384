"""Dynamo raises at the call of a custom operator that has no fake implementation.

Tracing needs to know what the operator returns for tensors without data. Without `register_fake` Dynamo runs the real
function on them, which fails. This is not a graph break: the call of the compiled function raises `TorchRuntimeError`,
and a `try` around it does not help. An operator that returns nothing and declares its `mutates_args` needs no fake
implementation.

An operator of a `torch.library.Library` (`define` and `impl`) without a fake implementation breaks the graph instead.
So does one without the tag `torch.Tag.pt2_compliant_tag` under the setting `only_allow_pt2_compliant_ops`.

**Instead** register one: `@op.register_fake` with a function of the same arguments that returns, for example,
`torch.empty_like(x)`. If the shape is not known, mark the function `torch.compiler.disable`, which costs a graph break.
"""

from __future__ import annotations

from gblint.diagnostics.break_event import Category
from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class OperatorWithoutFake(Rule):
    """GBL821."""

    code = "GBL821"
    name = "operator-without-fake"
    summary = "a custom operator without a fake implementation"
    gb_ids = ("GB0043", "GB0090", "GB4315")
    category = Category.COMPILE_ERROR
    on = (On("compile-error", ("custom-operator", "library-operator", "non-compliant-operator")),)
    message_template = "`{expression}` calls a custom operator that has no fake implementation"
    help_template = "add one with `register_fake`: it returns a tensor with the shape and dtype of the result"
    wording = (
        (
            "non-compliant-operator",
            "`{expression}` calls an operator without the tag that `only_allow_pt2_compliant_ops` requires",
            "define it with `tags=torch.Tag.pt2_compliant_tag` once it works under `torch.compile`",
        ),
    )
    BREAKS = (
        Example(
            """\
import torch

library = torch.library.Library("gblint_example_library", "FRAGMENT")
library.define("doubled(Tensor x) -> Tensor")


def doubled(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(x.numpy() * 2)


library.impl("doubled", doubled, "CPU")


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.ops.gblint_example_library.doubled(x + 1) * 2  # breaks: GB0090
""",
        ),
    )
    CLEAN = (
        Example(
            """\
import torch

library = torch.library.Library("gblint_example_known", "FRAGMENT")
library.define("doubled(Tensor x) -> Tensor")


def doubled(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(x.numpy() * 2)


library.impl("doubled", doubled, "CPU")


@torch.library.register_fake("gblint_example_known::doubled")
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.ops.gblint_example_known.doubled(x + 1) * 2
""",
        ),
    )
