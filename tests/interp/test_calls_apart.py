"""Calls of a compiled object whose arguments differ are traced one by one, too."""

from __future__ import annotations

import pytest

from gblint.interp import tracer
from gblint.runtime.mypyc import is_compiled
from tests.interp.snippets import breaks, ways

HEAD = """
import torch
def add(pair):
    first, second = pair
    return first + second
compiled = torch.compile(add)
x = torch.ones(3)
compiled([x, x])
"""


def test_the_finding_names_the_call() -> None:
    assert ways(f"{HEAD}compiled([x, x, x])\n") == {4: ("input", ["call compiled([x, x, x]) holds"])}


def test_a_break_in_every_call_is_reached_always() -> None:
    source = HEAD.replace("first + second", "(first + second).item()")
    assert ways(f"{source}compiled((x, x))\n")[5] == ("always", [])


def test_calls_with_arguments_of_one_kind_are_one() -> None:
    assert breaks(f"{HEAD}compiled([x + 1, x])\ncompiled([x, x - 1])\n") == []


def test_methods_get_their_receiver_first() -> None:
    source = """
        import torch
        class Net(torch.nn.Module):
            @torch.compile
            def forward(self, pair):
                first, second = pair
                return first + second
        x = torch.ones(3)
        Net()([x, x])
        Net()([x, x, x])
    """
    assert breaks(source) == [(6, "uncaught")]


def test_unpacked_arguments_are_joined_only() -> None:
    assert breaks(f"{HEAD}compiled(*[[x, x, x]])\ncompiled(*x)\n") in ([], [(4, "uncaught")])


@pytest.mark.skipif(is_compiled(), reason="replaces constants")
def test_not_after_a_long_first_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracer, "MAX_STEPS_TO_CALL_AGAIN", 1)
    assert breaks(f"{HEAD}compiled([x, x, x])\n") == []
