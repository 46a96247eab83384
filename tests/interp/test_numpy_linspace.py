"""numpy's evenly spaced numbers: Dynamo has no ``endpoint=False``."""

from __future__ import annotations

import pytest

from tests.interp.snippets import breaks


@pytest.mark.parametrize(("options", "lines"), [("", []), (", endpoint=True", []), (", endpoint=False", [7])])
def test_endpoint(options: str, lines: list[int]) -> None:
    source = f"""
    import numpy as np
    import torch

    @torch.compile
    def f(x):
        return x + torch.from_numpy(np.linspace(0, 1, 4{options}))
    """
    assert [line for line, _ in breaks(source)] == lines
