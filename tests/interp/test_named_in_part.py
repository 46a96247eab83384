"""``getattr`` with a name that is known in part takes only the attributes that may have it."""

from __future__ import annotations

from tests.interp.snippets import breaks

SOURCE = """\
import torch
from torch import nn

class Weighted(nn.Module):
    def __init__(self, names, k):
        super().__init__()
        self.module = nn.LSTM(3, 3)
        self.names, self.k = names, k
        for name in names:
            self.register_parameter(f"{name}_raw", nn.Parameter(torch.ones(3)))
        for i in range(k):
            setattr(self, f"cell{i}", nn.GRU(3, 3))
        self.head1 = nn.Linear(3, 3)

    def forward(self, x):
        for name in self.names:
            x = x * getattr(self, f"{name}_raw").clone()
        for i in range(self.k):
            x = getattr(self, "head" + str(i))(x)
        for i in range(self.k):
            x = getattr(self, f"module")(x)[0]
        for i in range(self.k):
            x = getattr(self, f"cell{i}")(x)[0]
        return x
"""


def test_only_attributes_with_the_known_part_are_taken() -> None:
    source = SOURCE.replace('            setattr(self, f"cell{i}", nn.GRU(3, 3))\n', "            pass\n")
    assert [line for line, _ in breaks(source, "Weighted")] == [21]


def test_what_has_an_unknown_name_may_be_meant() -> None:
    assert 23 in [line for line, _ in breaks(SOURCE, "Weighted")]
