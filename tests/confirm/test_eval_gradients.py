"""Eval mode runs without gradients, unless the call needs them."""

from __future__ import annotations

from typing import Any

import pytest


def test_a_call_gets_the_gradients_that_it_needs() -> None:
    torch = pytest.importorskip("torch")
    from gblint.confirm.entry_call import _eager_call
    from gblint.confirm.targets import TestedCall

    def force(x: Any) -> Any:
        x = x.detach().requires_grad_(True)
        return torch.autograd.grad((x * x).sum(), x)[0]

    def refuses(x: Any) -> Any:
        raise RuntimeError("no gradients" if not torch.is_grad_enabled() else "with gradients")

    def call(function: Any) -> TestedCall:
        return TestedCall(function, lambda: ((torch.ones(3),), {}), None)

    assert _eager_call(call(force), "eval")[1]
    assert not _eager_call(call(torch.sin), "eval")[1]
    assert _eager_call(call(torch.sin), "train")[1]
    with pytest.raises(RuntimeError, match="no gradients"):
        _eager_call(call(refuses), "eval")
