"""More examples of GBL821, operator-without-fake."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


@torch.library.custom_op("gblint_example::tripled", mutates_args=())
def tripled(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(x.numpy() * 3)


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.ops.gblint_example.tripled(x + 1)  # breaks: GB4315
""",
        raises=True,
    ),
    Example(
        """\
import torch


@torch.library.custom_op("gblint_example::doubled", mutates_args=())
def doubled(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(x.numpy() * 2)


def f(x: torch.Tensor) -> torch.Tensor:
    return doubled(x + 1)  # breaks: GB4315
""",
        raises=True,
    ),
    Example(
        """\
import torch


@torch.library.custom_op("gblint_example::report", mutates_args=())
def report(x: torch.Tensor) -> None:
    print(x.mean())


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    report(y)  # breaks: GB4315
    return y
""",
        raises=True,
    ),
    Example(
        """\
import torch

torch._dynamo.config.only_allow_pt2_compliant_ops = True
library = torch.library.Library("gblint_example_tags", "FRAGMENT")
library.define("sine(Tensor x) -> Tensor")
library.define("cosine(Tensor x) -> Tensor", tags=torch.Tag.pt2_compliant_tag)
library.impl("sine", torch.sin, "CompositeImplicitAutograd")
library.impl("cosine", torch.cos, "CompositeImplicitAutograd")


def f(x: torch.Tensor) -> torch.Tensor:
    y = torch.ops.gblint_example_tags.cosine(x)
    return torch.ops.gblint_example_tags.sine(y) * 2  # breaks: GB0043
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


@torch.library.custom_op("gblint_examples::fill_in_place", mutates_args={"x"})
def fill(x: torch.Tensor, value: float) -> None:
    x.fill_(value)


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    torch.ops.gblint_examples.fill_in_place(y, 2.0)
    return y
""",
    ),
    Example(
        """\
import torch


@torch.library.custom_op("gblint_example::tripled", mutates_args=())
def tripled(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(x.numpy() * 3)


@torch.library.register_fake("gblint_example::tripled")
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


def f(x: torch.Tensor) -> torch.Tensor:
    return tripled(x + 1)
""",
    ),
    Example(
        """\
import torch


@torch.library.custom_op("gblint_example::clear", mutates_args={"x"})
def clear(x: torch.Tensor) -> None:
    x.zero_()


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    clear(y)
    return y
""",
    ),
)
