"""Functions under the decorators of beartype and jaxtyping."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks
from tests.oracle import record

JAXTYPED = """\
import torch
from beartype import beartype
from jaxtyping import Float, jaxtyped

@{decorator}
def scaled(x: Float[torch.Tensor, "n"]):
    return x * 2

def f(x):
    y = x + 1
    return scaled(y)
"""
DECORATORS = {
    "jaxtyped(typechecker=beartype)": {11},
    "beartype": {11},
    "jaxtyped(typechecker=None)": set[int](),
}
ENTRY = """\
import torch
from beartype import beartype

{on_class}
class Net(torch.nn.Module):
    {on_method}
    def forward(self, x: torch.Tensor, by: {hint} = None):
        return x * 2

net = torch.compile(Net())
"""


@pytest.mark.parametrize("decorator", DECORATORS)
def test_types_of_jaxtyping(decorator: str) -> None:
    assert {line for line, _ in breaks(JAXTYPED.format(decorator=decorator), "f")} == DECORATORS[decorator]


def test_dynamo_agrees_on_types_of_jaxtyping() -> None:
    for package in ("torch", "beartype", "jaxtyping"):
        pytest.importorskip(package)
    jobs = [record.Job(each, JAXTYPED.format(decorator=each), "(torch.rand(3),)") for each in DECORATORS]
    for answer, expected in zip(record.answers(jobs), DECORATORS.values(), strict=True):
        assert answer is not None
        assert {line for line, _ in answer["breaks"]} - {0} == expected


@pytest.mark.parametrize(
    ("on_class", "on_method", "hint", "found"),
    [
        ("", "@beartype", "list[int] | None", [6]),
        ("@beartype", "", "list[int] | None", [4]),
        ("", "@beartype", "dict[str, int] | None", []),
        ("", "@torch.no_grad()", "list[int] | None", []),
    ],
)
def test_an_entry_point_breaks_at_its_decorator(on_class: str, on_method: str, hint: str, found: list[int]) -> None:
    source = ENTRY.format(on_class=on_class, on_method=on_method, hint=hint)
    assert [line for line, _ in breaks(source)] == found
