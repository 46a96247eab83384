"""Inductor and the functions that fixes put into graphs: it compiles operators, but no leaf functions."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(
    shutil.which("g++") is None and shutil.which("clang++") is None, reason="inductor needs a compiler"
)


def host(x: Any) -> Any:
    return torch.as_tensor([sum(x.tolist())])


def run(inner: Any) -> Any:
    inner.register_fake(lambda x: torch.empty(1))
    torch._dynamo.reset()
    return torch.compile(lambda x: inner(x * 2) + 1, fullgraph=True)(torch.ones(3))


def test_leaf_function_is_refused() -> None:
    """Inductor refuses leaf functions, so that ``FixContext.opt_in_applicability`` makes them a choice."""

    @torch._dynamo.decorators.leaf_function
    def inner(x: torch.Tensor) -> torch.Tensor:
        return host(x)

    with pytest.raises(Exception, match="AssertionError"):
        run(inner)


def test_custom_op_is_compiled() -> None:
    def inner(x: torch.Tensor) -> torch.Tensor:
        return host(x)

    inner.__annotations__ = {"x": torch.Tensor, "return": torch.Tensor}
    made = torch.library.custom_op(
        "gblint_tests::inner", inner, mutates_args=(), tags=(torch.Tag.nondeterministic_seeded,)
    )
    assert run(made).tolist() == [7.0]


@torch._dynamo.config.patch(allow_rnn=True)
def test_lstm_with_gradients_is_refused() -> None:
    """Inductor refuses an LSTM with gradients, so that ``allow_rnn`` has to be chosen in the configuration."""
    torch._dynamo.reset()
    inner = torch.nn.LSTM(4, 4)
    compiled = torch.compile(lambda x: inner(x * 2)[0] + 1, backend="aot_eager", fullgraph=True)
    with pytest.raises(Exception, match="tensors_saved"):
        compiled(torch.ones(2, 3, 4))
