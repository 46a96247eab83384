"""Values that library calls return: named tuples, optimizers, dispatch tables."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks
from tests.oracle import record


def test_optimizer_step_sees_parameters_and_defaults() -> None:
    source = """
        import torch
        class Sign(torch.optim.Optimizer):
            def __init__(self, params, lr=1e-3, centered=False):
                super().__init__(params, dict(lr=lr, centered=centered))
            def step(self, closure=None):
                for group in self.param_groups:
                    if group["lr"] > 0:
                        for p in group["params"]:
                            if p.grad is None:
                                continue
                            state = self.state[p]
                            if len(state) == 0:
                                state["sum"] = torch.zeros_like(p)
                            if state["sum"].max() > 1:
                                p.data.add_(p.grad, alpha=-group["lr"])
    """
    assert breaks(source, "Sign.step") == [(15, "data-dependent-branch")]


def test_namedtuple_keeps_its_fields() -> None:
    source = """
        import collections
        import torch
        State = collections.namedtuple("State", "t order", defaults=(4,))
        def f(x: torch.Tensor):
            state = State(x)
            t, order = state
            if order > 3:
                x = x + 1
            if t.sum() > 0:
                x = x - 1
            if state.t.sum() > 0:
                x = x - 1
            return x
    """
    assert breaks(source, "f") == [(10, "data-dependent-branch"), (12, "data-dependent-branch")]


def test_dispatch_table_of_many_classes() -> None:
    classes = "\n".join(f"class S{n}(Base):\n    k = {n}" for n in range(12))
    source = f"""import torch
class Base:
    def __init__(self, x):
        self.x = x
    def run(self):
        if self.x.sum() > self.k:
            return 1
{classes}
TABLE = {{{", ".join(f"'{n}': S{n}" for n in range(12))}}}
def f(x: torch.Tensor, method: str):
    return TABLE[method](x).run()
"""
    assert breaks(source, "f") == [(6, "data-dependent-branch"), (34, "operation")]


def test_random_arrays_of_a_size_are_traced() -> None:
    source = """
        import numpy as np
        import torch
        def f(x: torch.Tensor):
            return x * np.random.rand(1).item()
    """
    assert breaks(source, "f") == [(5, "tensor-to-python")]


def test_methods_of_enum_members_that_are_strings() -> None:
    source = """
        import enum
        import torch
        class Mode(str, enum.Enum):
            FAST = "fast"
            SLOW = "slow"
            def quick(self):
                return self is Mode.FAST
        def f(x: torch.Tensor):
            mode = Mode("slow")
            if isinstance(mode, Mode) and mode == "slow" and mode.value.upper() == "SLOW" and mode.name == "SLOW":
                mode = mode.lower()
                return x.sum()
            return x.item()
    """
    assert breaks(source, "f") == [(12, "call")]


def test_the_source_of_a_scripted_function_is_traced() -> None:
    source = """
        import torch
        @torch.jit.script
        def clip(x: torch.Tensor) -> torch.Tensor:
            if x.sum() > 0:
                return x
            return x + 1
        def other(x: torch.Tensor) -> torch.Tensor:
            if torch.jit.is_scripting():
                print(x)
            return x + x.sum().item()
        scripted = torch.jit.script(other)
        recorded = torch.jit.trace(other, (torch.ones(3),))
        def f(x: torch.Tensor):
            return recorded(scripted(clip(x)))
    """
    assert breaks(source, "f") == [(5, "data-dependent-branch"), (11, "tensor-to-python")]


def test_random_state_of_scikit_learn_is_that_of_numpy() -> None:
    source = """
        import torch
        from sklearn.utils import check_random_state
        class Noise:
            def __init__(self, seed=None):
                self.rng = check_random_state(seed)
            def draw(self):
                return self.rng.uniform(size=3)
        noise = Noise(0)
        def f(x: torch.Tensor, seed=None):
            rng = check_random_state(seed)
            x = x + rng.randint(3)
            return x + torch.as_tensor(noise.draw())
    """
    assert breaks(source, "f") == [(8, "call"), (11, "call"), (12, "call")]


def test_dynamo_fails_where_numba_compiles_in_the_call() -> None:
    """As the rule GBL471 says."""
    pytest.importorskip("numba")
    pytest.importorskip("torch")
    source = """\
import numba
import torch

@numba.njit
def doubled(values):
    return values * 2

def f(x):
    return torch.from_numpy(doubled(x.numpy()))
"""
    (answer,) = record.answers([record.Job("numba", source, "(torch.rand(3),)")])
    assert answer is not None
    assert "exception table entry" in answer["exception"]
    assert breaks(source, "f") == [(9, "call")]
