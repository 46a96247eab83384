"""Values that depend on the build of torch, ``torch.version``, and errors of devices without memory."""

from __future__ import annotations

import pytest

from tests.interp.snippets import confidences, ways

VERSIONS = """\
import torch
from torch.version import hip

IS_HIP = torch.version.hip is not None

def f(x):
    if torch.version.hip is not None:
        print("hip")
    else:
        print("no hip")
    if IS_HIP:
        print("hip")
    if hip:
        print("hip")
    if torch.version.cuda is None:
        print("no cuda")
    else:
        print("cuda")
    return x
"""
HANDLER = """\
import torch

def f(x: torch.Tensor, n: int):
    try:
        if n > 3:
            raise ValueError
        y = x.sin()
    except {error}:
        print("out of memory")
        y = x
    return y
"""


def test_hip_is_an_option_and_cuda_is_not_known() -> None:
    assert {line: reach for line, (reach, _) in ways(VERSIONS, "f").items()} == {
        8: "option",
        10: "default",
        12: "option",
        14: "option",
        16: "input",
        18: "input",
    }
    assert confidences(VERSIONS, "f")[10] == "certain"


def test_an_entry_point_may_be_disabled_for_hip() -> None:
    source = VERSIONS.replace("def f(", "@torch.compile(disable=IS_HIP)\ndef f(")
    assert confidences(source)[11] == "certain"


@pytest.mark.parametrize(
    ("error", "level"),
    [
        ("torch.cuda.OutOfMemoryError", "possible"),
        ("(torch.OutOfMemoryError, torch.cuda.OutOfMemoryError)", "possible"),
        ("(torch.OutOfMemoryError, ValueError)", "likely"),
        ("ValueError", "likely"),
    ],
)
def test_nothing_that_is_traced_runs_out_of_memory(error: str, level: str) -> None:
    assert confidences(HANDLER.format(error=error), "f") == {9: level}
