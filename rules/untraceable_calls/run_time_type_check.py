"""A call of a function under `@beartype`, whose wrapper Dynamo cannot trace to its end.

beartype generates a wrapper that checks the arguments and the result. Of a `list[...]`, a `Sequence[...]` or a
`tuple[..., ...]` it checks one item, which `random.getrandbits` picks, also where the argument is not passed; for the
types of jaxtyping it looks up names that Dynamo does not know. The wrapper runs eagerly from there on, and the function
in it is compiled alone. Hints such as `torch.Tensor`, `int`, `dict[str, int]` and `tuple[int, int]` are traced.

**Instead**

- annotate the parameter with the bare class: `list` in place of `list[int]`;
- check where the data come in, outside the compiled region, and leave the decorator out in it;
- `@beartype(conf=BeartypeConf(strategy=BeartypeStrategy.O0))` switches the checks off.
"""

from __future__ import annotations

from gblint.rules.examples import Example
from gblint.rules.rule import On, Rule


class RunTimeTypeCheck(Rule):
    """GBL470."""

    code = "GBL470"
    name = "run-time-type-check"
    summary = "a function under `@beartype` with a hint whose check Dynamo cannot trace"
    gb_ids = ("GB0007", "GB0156")
    on = (On("call", ("beartype.beartype",)),)
    message_template = "Dynamo cannot trace the checks of beartype (`{expression}`)"
    help_template = "use hints without the type of the items (`list`), or check the arguments outside the region"
    BREAKS = (
        Example(
            """\
import torch
from beartype import beartype


@beartype
def scaled(x: torch.Tensor, by: list[int] | None = None) -> torch.Tensor:
    return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return scaled(y)  # breaks: GB0007
""",
            needs=("beartype",),
        ),
    )
    CLEAN = (
        Example(
            """\
import torch
from beartype import beartype


@beartype
def scaled(x: torch.Tensor, by: list | None = None, sizes: tuple[int, int] = (1, 2)) -> torch.Tensor:
    return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    return scaled(x + 1)
""",
            needs=("beartype",),
        ),
    )
