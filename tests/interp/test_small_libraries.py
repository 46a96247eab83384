"""Constructs that occur in small libraries."""

from __future__ import annotations

from tests.interp.snippets import breaks
from tests.oracle import dynamo


def test_forward_of_an_autograd_function_as_a_class_method() -> None:
    source = """
    import torch

    class Threshold(torch.autograd.Function):
        @classmethod
        def forward(cls, ctx, x, dim=-1):
            ctx.dim = dim
            return x.cumsum(dim)

    def f(x: torch.Tensor):
        return Threshold.apply(x, 1)
    """
    assert breaks(source, "f") == []


def test_mask_without_dimensions_is_read_as_a_number() -> None:
    source = """
    import torch

    def f(x: torch.Tensor):
        gain = x.sum() * x
        empty = gain.sum() == 0
        gain[empty] = 0
        return gain[empty]
    """
    assert breaks(source, "f") == [(7, "tensor-to-python"), (8, "tensor-to-python")]


def test_autocast_made_by_a_partial() -> None:
    source = """
    import torch
    from contextlib import nullcontext
    from functools import partial
    from torch.amp import autocast

    class Net(torch.nn.Module):
        def __init__(self, full=True):
            super().__init__()
            self.full = full

        def forward(self, x):
            precision = partial(autocast, "cuda", enabled=False) if self.full else nullcontext
            with precision():
                return x + 1
    """
    assert breaks(source, "Net") == []


def test_short_name_for_temperature_is_not_a_tensor() -> None:
    source = """
    import torch

    def f(x: torch.Tensor, sample_temp=None):
        temp = 1.0 if sample_temp is None else sample_temp
        if temp > 0:
            x = x / temp
        return x
    """
    assert breaks(source, "f") == []


def test_methods_found_by_a_formatted_name() -> None:
    source = """
    import torch

    class Net(torch.nn.Module):
        def of_pair(self, x):
            return x[x > 0]

        def of_one(self, x):
            return x.item()

        def forward(self, x, y=True):
            kind = "pair" if x.shape[0] > 3 else "one"
            return getattr(self, "of_{}".format(kind))(x), getattr(self, f"of_{kind}")(x)
    """
    assert breaks(source, "Net") == [(6, "dynamic-shape"), (9, "tensor-to-python")]


def test_class_of_a_plain_value() -> None:
    source = """
    import torch

    def f(x: torch.Tensor):
        many = [x, x]
        if many.__class__ is list and x.__class__ is torch.Tensor:
            return x + 1
        return x.item()
    """
    assert breaks(source, "f") == []


def test_unique_with_counts() -> None:
    source = """
    import torch

    def f(x: torch.Tensor):
        _, where, counts = torch.unique(x.flatten(), return_inverse=True, return_counts=True)
        ends = counts.cumsum(dim=0) - 1
        return ends[0], x[where], x[ends[0]]
    """
    assert breaks(source, "f") == [(5, "dynamic-shape"), (7, "tensor-to-python")]


def test_wraps_called_as_a_function_gives_the_wrapper_back() -> None:
    source = """
        import functools
        import torch
        def counted(f):
            def inner(*args):
                return f(*args)
            return functools.wraps(f)(inner)
        @counted
        def pick(x):
            return x.nonzero()
        @torch.compile
        def main(x: torch.Tensor):
            return pick(x)
    """
    assert breaks(source) == [(10, "dynamic-shape")]


COUNTS = """\
import torch
from torch.distributions import Distribution, constraints


class Counts(Distribution):
    arg_constraints = {"rate": constraints.positive}

    def __init__(self, rate, validate_args=None):
        self.rate = rate
        super().__init__(validate_args=validate_args)

    def log_prob(self, value):
        if self._validate_args and value.min().item() < 0:
            raise ValueError
        return value * self.rate


def f(x: torch.Tensor):
    y = x + 1
    return Counts(x, GIVEN).log_prob(y)
"""


def test_validation_in_a_distribution_of_the_project_as_dynamo_judges() -> None:
    """The first ``torch.compile`` switches it off where it is not asked for."""
    givens = ("", "validate_args=None", "validate_args=False", "validate_args=True")
    sources = [COUNTS.replace("GIVEN", given) for given in givens]
    verdicts = dynamo.verdicts([(source, "(torch.ones(3),)") for source in sources])
    assert [13 in verdict.breaks for verdict in verdicts] == [False, False, False, True]
    found = [[line for line, _ in breaks(source, "f")] for source in sources]
    assert [13 in lines for lines in found] == [False, False, False, True]
    assert found[:3] == [[], [], []]


def test_optimizer_derived_from_one_of_torch_has_groups_of_parameters() -> None:
    source = """
    import torch

    class Old(torch.optim.RMSprop):
        def scale(self, x):
            for group in self.param_groups:
                for p in group["params"]:
                    state = self.state[p]
                    if len(state) == 0:
                        state["average"] = torch.zeros_like(p.data)
                    if state["average"].sum() > 0:
                        return x
            return x + 1
    """
    assert breaks(source, "Old.scale") == [(11, "data-dependent-branch")]
