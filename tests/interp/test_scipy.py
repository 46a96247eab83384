"""Calls of SciPy: Dynamo traces its Python source, and breaks where it calls compiled code."""

from __future__ import annotations

import pytest

from tests.interp.snippets import confidences
from tests.oracle import record

SOURCE = """\
import scipy.linalg
import scipy.special
import torch

def f(x):
    return x * {call}
"""
CALLS = {
    "torch.from_numpy(scipy.linalg.hadamard(4))[0, 0]": "likely",
    "float(scipy.special.gamma(3.0))": "certain",
}


@pytest.mark.parametrize("call", CALLS)
def test_only_calls_of_compiled_functions_are_certain(call: str) -> None:
    assert confidences(SOURCE.format(call=call), "f") == {6: CALLS[call]}


def test_dynamo_traces_the_functions_without_compiled_parts() -> None:
    pytest.importorskip("scipy")
    pytest.importorskip("torch")
    answers = record.answers([record.Job(call, SOURCE.format(call=call), "(torch.rand(3),)") for call in CALLS])
    assert [bool(answer and answer["breaks"]) for answer in answers] == [False, True]
