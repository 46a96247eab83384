"""Attributes that an object has only after a call of another of its methods."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks

SCHEDULE = """
import torch

class Schedule:
    def __init__(self):
        self.steps = None
        self.offset = None

    def set_steps(self, n):
        self.steps = torch.arange(n)

    def step(self, x: torch.Tensor, t: torch.Tensor):
        if self.{attribute} is None:
            raise ValueError("no steps are set")
        return x[t.nonzero()]
"""


@pytest.mark.parametrize(("attribute", "broken"), [("steps", True), ("offset", False)])
def test_attribute_set_by_another_method_may_exist(attribute: str, broken: bool) -> None:
    found = breaks(SCHEDULE.format(attribute=attribute), "Schedule.step")
    assert found == ([(15, "dynamic-shape")] if broken else [])


def test_module_is_called_in_its_initial_state() -> None:
    program = """
    import torch

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.debug = None

        def set_debug(self, value):
            self.debug = value

        def forward(self, x: torch.Tensor):
            if self.debug is not None:
                return x[x.nonzero()]
            return x
    """
    assert breaks(program, "Net") == []
