"""``torch.compile(m).forward(...)`` is compiled, and ``torch.compile(m)._orig_mod(...)`` is not."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks

SOURCE = """\
import torch

class Filled(torch.nn.Module):
    def forward(self, x, value):
        return torch.full_like(x, value)

model = torch.compile(Filled(), backend="eager")
"""


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("model.forward(torch.ones(3), 1.5)", set()),
        ("model(torch.ones(3), 0.5); model._orig_mod(torch.ones(3), torch.tensor(2.5))", set()),
        ("model.forward(torch.ones(3), value=torch.tensor(2.5))", {5}),
    ],
)
def test_calls_of_forward_are_those_of_the_compiled_module(call: str, found: set[int]) -> None:
    assert {line for line, _ in breaks(SOURCE + call)} == found


def test_dynamo_compiles_the_forward_of_a_compiled_module() -> None:
    torch = pytest.importorskip("torch")
    graphs = []

    class Doubled(torch.nn.Module):  # type: ignore[misc]
        def forward(self, x: object) -> object:
            return x * 2  # type: ignore[operator]

    def backend(module: object, inputs: object) -> object:
        graphs.append(module)
        return module

    model = torch.compile(Doubled(), backend=backend)
    model._orig_mod(torch.ones(3))
    assert graphs == []
    model.forward(torch.ones(3))
    assert len(graphs) == 1
