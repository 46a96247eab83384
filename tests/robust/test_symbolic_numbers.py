"""Expressions of captured numbers take bounded work, however often a variable occurs in later ones."""

from __future__ import annotations

from tests.interp.snippets import breaks


def test_numbers_that_double_in_each_line() -> None:
    lines = "".join(f"    a{n} = a{n - 1} + a{n - 1}\n" for n in range(1, 41))
    source = (
        "import torch\n\ntorch._dynamo.config.capture_scalar_outputs = True\n\n\n@torch.compile\n"
        f"def f(x: torch.Tensor):\n    a0 = x.sum().int().item()\n{lines}"
        "    if a40 > 3:\n        x = x + 1\n    return x\n"
    )
    assert [line for line, _ in breaks(source)] == [49]
