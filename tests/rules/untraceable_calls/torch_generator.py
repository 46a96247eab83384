"""More examples of GBL410, torch-generator."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = (
    Example(
        """\
import torch


def f(x: torch.Tensor, generator: torch.Generator, first: bool) -> torch.Tensor:
    noise = torch.empty_like(x).normal_(generator=generator if first else None)  # breaks: GB0055
    return x + noise
""",
        "(torch.randn(4), torch.Generator(), True)",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    y = x + 1
    return y + torch.randn(4, generator=generator)  # breaks: GB0055
""",
        "(torch.randn(4), torch.Generator())",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    y = x + 1
    generator.manual_seed(0)  # breaks: GB7650
    return y * 2
""",
        "(torch.randn(4), torch.Generator())",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> tuple[torch.Tensor, torch.Generator]:
    y = x + 1
    generator = torch.Generator()  # breaks: GB0363
    return y * 2, generator
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    with torch.random.fork_rng():  # breaks: GB0142, GB0208
        y = y + torch.rand(4)
    return y
""",
    ),
    Example(
        """\
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    state = torch.default_generator.get_state()  # breaks: GB7650
    y = x + torch.rand(4)
    torch.default_generator.set_state(state)  # breaks: GB7650
    return y + torch.rand(4)
""",
    ),
)
CLEAN = (
    Example(
        """\
import torch


def options(generator: torch.Generator | None) -> dict[str, torch.Generator]:
    return {} if generator is None else {"generator": generator}


def noise(x: torch.Tensor, generator: torch.Generator | None) -> torch.Tensor:
    given = {"device": x.device}
    given.update(options(generator))
    return torch.rand(3, **given) + torch.rand(3, **{"device": x.device, **options(generator)})


def f(x: torch.Tensor, generator: torch.Generator | None = None) -> torch.Tensor:
    return x + noise(x, generator) + torch.randn(3, **options(generator))
""",
        "(torch.ones(3),)",
    ),
    Example(
        """\
import torch

torch.manual_seed(0)


def f(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.dropout(x, 0.5) + torch.bernoulli(x.sigmoid())
""",
    ),
    Example(
        """\
import torch

torch.manual_seed(0)


def f(x: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.dropout(x, 0.5) + torch.randn(4) + noise
""",
        inputs="(torch.randn(4), torch.randn(4))",
    ),
)
