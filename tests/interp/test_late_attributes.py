"""Attributes that an object has only after a call of another of its methods."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter, trace
from gblint.knowledge.catalog import load
from gblint.project.project import Project
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


HISTORY = """
import numpy as np
import torch

class Accountant:
    def __init__(self):
        self.history = []
        self.best = None

    def {filler}(self, value: float):
        {fills}

    def get_best(self, x: torch.Tensor):
        if not self.history:
            return x
        for value in self.history:
            if np.isinf(value):
                return x
        return x * 2
"""


@pytest.mark.parametrize(
    ("filler", "fills", "broken"),
    [
        ("step", "self.history.append(value)", True),
        ("step", "self.history = [value]", True),
        ("step", "self.best = value", False),
        ("__len__", "return len(self.history)", False),
    ],
)
def test_container_filled_by_an_earlier_call_is_not_empty(filler: str, fills: str, broken: bool) -> None:
    found = breaks(HISTORY.format(filler=filler, fills=fills), "Accountant.get_best")
    assert found == ([(17, "data-dependent-branch")] if broken else [])


def test_filled_attribute_has_the_value_that_the_method_stores() -> None:
    program = """
    import torch

    class Schedule:
        def __init__(self):
            self.sigmas = None

        def set_sigmas(self, n: int):
            self.sigmas = torch.linspace(1, 0, n)

        def step(self, x: torch.Tensor):
            if self.sigmas is None:
                raise ValueError("no sigmas are set")
            if self.sigmas[1].abs() < 1e-8:
                return x
            return x * 2
    """
    assert breaks(program, "Schedule.step") == [(14, "data-dependent-branch")]


def test_package_that_is_not_installed_is_not_a_folder_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "inner" / "scipy").mkdir(parents=True)
    for folder in ("inner", "inner/scipy"):
        (tmp_path / folder / "__init__.py").write_text("")
    net = tmp_path / "net.py"
    net.write_text(
        "import torch\nfrom scipy import special\n\n"
        "def f(x: torch.Tensor):\n    y = x + 1\n    return y * float(special.gamma(2.5))\n"
    )
    files = [net, *sorted(tmp_path.glob("inner/**/*.py"))]
    interp = new_interpreter(Project(files, root=tmp_path), load("2.13"), {})
    found = trace(interp, find_entries(interp, ["net:f"]).entries)
    assert [item.event.subject for item in found] == ["scipy.special.gamma"]


LOOP = """
import torch

class Schedule:
    def __init__(self, n: int = 4):
        self.alphas = torch.linspace(0, 1, n)
        self.timesteps = torch.arange(n)

    def step(self, x: torch.Tensor, timestep: int):
        return self._scaled(x, timestep)

    def _scaled(self, x: torch.Tensor, t: int):
        if t > 0:
            return x * self.alphas[0]
        return x

def denoise(x, schedule: Schedule):
    for i, t in enumerate({items}):
        x = schedule.step(x, {given})
    return x
"""


@pytest.mark.parametrize(
    ("items", "given", "broken"),
    [
        ("schedule.timesteps", "t", True),
        ("schedule.timesteps", "timestep=t", True),
        ("schedule.timesteps", "3", False),
        ("range(4)", "t", False),
    ],
)
def test_loop_over_a_tensor_of_the_object_outweighs_the_annotation(items: str, given: str, broken: bool) -> None:
    found = breaks(LOOP.format(items=items, given=given), "Schedule.step")
    assert found == ([(13, "data-dependent-branch")] if broken else [])


@pytest.mark.parametrize(("given", "broken"), [("x, timestep", True), ("x, timestep=timestep", True), ("x, 3", False)])
def test_a_method_passes_the_items_on(given: str, broken: bool) -> None:
    passed_on = f"    def half(self, x: torch.Tensor, timestep: int):\n        return self.step({given})\n\ndef denoise"
    source = LOOP.format(items="schedule.timesteps", given="t").replace("def denoise", passed_on)
    source = source.replace("schedule.step(x, t)", "schedule.half(x, t)")
    assert breaks(source, "Schedule.step") == ([(13, "data-dependent-branch")] if broken else [])


FLAG = """
import torch

class Runner:
    def __init__(self):
        self.ready = False
        self.closed = False

    def prepare(self):
        self.ready = {ready}

    def run(self, x: torch.Tensor):
        if self.ready:
            print("ready")
        if self.closed:
            print("closed")
        return x * 2

runner = Runner()
fast = torch.compile(runner.run)
fast(torch.ones(3))
runner.prepare()
fast(torch.ones(3))
"""


@pytest.mark.parametrize(("ready", "found"), [("True", [(14, "call")]), ("False", []), ("None", [])])
def test_flag_set_by_another_method(ready: str, found: list[tuple[int, str]]) -> None:
    """A flag that another method sets may be set, in a method of a known object, too."""
    assert breaks(FLAG.format(ready=ready)) == found
    assert breaks(FLAG.format(ready=ready).partition("runner =")[0], "Runner.run") == found


@pytest.mark.parametrize(("ready", "fails"), [("True", True), ("False", False)])
def test_dynamo_sees_the_flag(ready: str, fails: bool) -> None:
    torch = pytest.importorskip("torch")
    torch._dynamo.reset()
    names: dict[str, Any] = {}
    exec(FLAG.format(ready=ready).partition("runner =")[0], names)
    runner = names["Runner"]()
    compiled = torch.compile(runner.run, backend="eager", fullgraph=True)
    compiled(torch.ones(3))
    runner.prepare()
    if fails:
        with pytest.raises(torch._dynamo.exc.Unsupported):
            compiled(torch.ones(3))
    else:
        compiled(torch.ones(3))


@pytest.mark.parametrize(("value", "broken"), [("0", True), ("n", True), ("None", False), ("False", False)])
def test_zero_fills_an_attribute(value: str, broken: bool) -> None:
    """None and False are what an attribute has before it is filled; a zero is a value."""
    program = SCHEDULE.replace("torch.arange(n)", value).format(attribute="steps")
    assert breaks(program, "Schedule.step") == ([(15, "dynamic-shape")] if broken else [])
