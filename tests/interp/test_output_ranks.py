"""``out=`` with a tensor whose rank differs from that of the result (``call_function`` in variables/torch.py)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interp.snippets import breaks, check_first_break

CASES = {
    "no dimension": "o = torch.tensor(0.)\n    torch.sigmoid(y, out=o)  # breaks",
    "another rank": "o = torch.empty(3)\n    torch.add(y, 1, out=o)  # breaks",
    "a whole sum": "o = torch.empty(3)\n    torch.sum(y, out=o)  # breaks",
    "a pair": "o, i = torch.tensor(0.), torch.tensor(0)\n    torch.sort(y[:, 0], out=(o, i))  # breaks",
    "the same shape": "o = torch.empty(3, 5)\n    torch.sigmoid(y, out=o)",
    "a sum over a dimension": "o = torch.empty(3)\n    torch.sum(y, dim=1, out=o)",
    "an array": "o = np.empty((5, 5))\n    o = np.sin(np.arange(5), out=o)",
    "a pair that fits": "o, i = torch.empty(3), torch.empty(3, dtype=torch.long)\n    torch.max(y, dim=1, out=(o, i))",
}
SOURCE = """\
import numpy as np
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    y = x.detach().unsqueeze(1).expand(3, 5) + 1
    {body}
    return o * 2
"""


@pytest.mark.parametrize("case", CASES)
def test_output_of_another_shape(case: str) -> None:
    source = SOURCE.format(body=CASES[case])
    expected = [number for number, line in enumerate(source.split("\n"), 1) if "# breaks" in line]
    assert [line for line, _ in breaks(source, "f")] == expected


@pytest.mark.parametrize("case", CASES)
def test_dynamo_with_output_of_another_shape(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_first_break(tmp_path, monkeypatch, SOURCE.format(body=CASES[case]), "f")
