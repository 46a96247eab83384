"""More examples of GBL470, run-time-type-check."""

from __future__ import annotations

from gblint.rules.examples import Example

BREAKS = tuple(
    Example(
        f"""\
import torch
import beartype
from beartype.typing import Any, Dict, Iterable, Optional, Sequence, Tuple, Union


@beartype.beartype(conf=beartype.BeartypeConf())
def scaled(x: torch.Tensor, *, by: {hint} = None):
    return x * 2


def f(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return scaled(y)  # breaks: GB0007
""",
        needs=("beartype",),
    )
    for hint in ("Optional[Sequence[int]]", "Union[None, Dict[str, list[int]]]", "Tuple[int, ...] | None")
)
CLEAN = tuple(
    Example(
        f"""\
import torch
from beartype import beartype
from beartype.typing import Any, Callable, Dict, List, Optional, Set, Tuple


class Net(torch.nn.Module):
    @beartype
    def __init__(self, sizes: List[int] = [1]) -> None:
        super().__init__()

    @beartype
    def forward(self, x: torch.Tensor, by: {hint} = None):
        return x + 1


net = Net()


def f(x: torch.Tensor) -> torch.Tensor:
    return net(x)
""",
        needs=("beartype",),
    )
    for hint in ("Optional[Dict[str, int]]", "Set[int] | None", "Optional[List[Any]]", "Tuple[int, int] | None")
)
