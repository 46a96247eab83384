"""Callables that are compiled: ``Function.apply``, and functions under a decorator that is a partial function."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import breaks, check_first_break

APPLY = """
import torch

class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, size=3):
        if size == 4:
            print("other")
        if size == 3:
            print("called")  # breaks
        return x * size

    @staticmethod
    def backward(ctx, gradient):
        return gradient, None

net = Scale.apply
"""
DECORATED = """
import functools
import torch

def maybe_compile(function=None, *, enabled=True, **options):
    if function is None:
        return functools.partial(maybe_compile, enabled=enabled, **options)
    if not enabled:
        return function
    return torch.compile(function, **options)

@maybe_compile
def plain(x):
    print("plain")  # breaks
    return x

@maybe_compile(dynamic=True)
def with_options(x):
    print("with options")  # breaks
    return x

@maybe_compile(enabled=False)
def not_compiled(x):
    print("not compiled")
    return x
"""


def _marked(source: str) -> set[int]:
    return {number for number, line in enumerate(source.split("\n"), 1) if "# breaks" in line}


def test_apply_of_an_autograd_function() -> None:
    found = breaks(APPLY + "\ntorch.compile(net)(torch.ones(3), 3)\n")
    assert {line for line, _ in found} == _marked(APPLY)


def test_dynamo_compiles_apply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_first_break(tmp_path, monkeypatch, APPLY.replace("x, size=3", "x").replace("size", "3"), "net")


def test_decorator_that_is_a_partial_function() -> None:
    assert {line for line, _ in breaks(DECORATED)} == _marked(DECORATED)
