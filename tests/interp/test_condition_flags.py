"""Variables that hold the outcome of a test, and ``typing.cast``."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks

SOURCE = """
    import torch

    def f(x: torch.Tensor, v: float | torch.Tensor | None = 0.0, w=None):
        {flag}
        {before}
        if {condition}:
            x = x + 1
        return x
    """


@pytest.mark.parametrize(
    ("flag", "condition"),
    [
        ("given = isinstance(v, torch.Tensor)", "given or v != 0"),
        ("given = torch.is_tensor(v) and v.dim() > 0", "given or isinstance(v, torch.Tensor) or v != 0"),
        ("plain = not isinstance(v, torch.Tensor)", "plain and v != 0"),
        ("plain = v is not None and not torch.is_tensor(v)", "plain and v > 0"),
        ("given = v is None or torch.is_tensor(v)", "not given and v > 0"),
    ],
)
def test_flag_tells_the_kind(flag: str, condition: str) -> None:
    assert breaks(SOURCE.format(flag=flag, before="", condition=condition), "f") == []


@pytest.mark.parametrize(
    ("flag", "before", "condition"),
    [
        ("given = isinstance(v, torch.Tensor)", "", "given and v != 0"),
        ("given = isinstance(v, torch.Tensor)", "v = x.sum()", "given or v != 0"),
        ("given = isinstance(v, torch.Tensor)", "given = w", "given or v != 0"),
        ("plain = v is None or not torch.is_tensor(v)", "", "not plain and v != 0"),
        ("plain = v is not None or not torch.is_tensor(v)", "", "plain and v != 0"),
    ],
)
def test_flag_that_does_not(flag: str, before: str, condition: str) -> None:
    source = SOURCE.format(flag=flag, before=before, condition=condition)
    assert breaks(source, "f") == [(7, "data-dependent-branch")]


def test_cast_keeps_the_class() -> None:
    source = """
    import torch
    from typing import Union, cast

    class Metric:
        def __add__(self, other):
            print(other)
            return other

    def f(value: Union[torch.Tensor, Metric], wrong: float):
        tensor = cast(torch.Tensor, value)
        number = cast(int, wrong)
        if number > 0:
            tensor = tensor + 1
        return value + 1, tensor + 1
    """
    assert breaks(source, "f") == [(7, "call")]
