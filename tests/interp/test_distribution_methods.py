"""Methods of ``torch.distributions`` that call methods of the project's classes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import breaks, check_first_break

HEAD = """
import torch
from torch.distributions import Distribution, Transform

class Flow(Distribution):
    def __init__(self, state):
        self.state = state
        super().__init__(batch_shape=state.shape[:1], validate_args=False)

    def {method}(self, *args):
        print("here")  # breaks
        return self.state

class Shift(Transform):
    def _call(self, x):
        {shift}
        return x + 1

def f(x):
    return {call}
"""
CALLS = {
    "sample": ("rsample", "Flow(x).sample()"),
    "perplexity": ("entropy", "Flow(x).perplexity()"),
}


@pytest.mark.parametrize(("method", "call"), CALLS.values(), ids=CALLS)
def test_dynamo_runs_the_method_that_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, call: str
) -> None:
    source = HEAD.format(method=method, call=call, shift="pass")
    check_first_break(tmp_path, monkeypatch, source, "f")
    assert (11, "call") in breaks(source, "f")


def test_dynamo_runs_the_code_of_a_transform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = HEAD.format(method="rsample", call="Shift()(x)", shift='print("here")').replace("  # breaks", "", 1)
    source = source.replace('print("here")\n        return x', 'print("here")  # breaks\n        return x')
    check_first_break(tmp_path, monkeypatch, source, "f")
    assert breaks(source, "f") == [(16, "call")]


def test_other_methods_return_tensors() -> None:
    source = HEAD.format(method="rsample", call="x if Flow(x).log_prob(x).sum() > 0 else Flow(x).mean", shift="pass")
    assert breaks(source, "f") == [(20, "data-dependent-branch")]
