"""More examples of GBL111, attention-mask-read."""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample

BREAKS = (
    Example(
        """\
import torch
from torch import nn

decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8), 1)
mask = torch.zeros(3, 3)


def f(x: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
    return decoder(x, memory, mask, memory_is_causal=False)  # breaks: GB0124
""",
        "(torch.randn(3, 1, 4), torch.randn(2, 1, 4))",
    ),
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.both = nn.Transformer(4, 2, 1, 1, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mask = self.both.generate_square_subsequent_mask(3)
        y = self.both(x, x, src_mask=mask, src_is_causal=True, memory_mask=mask)
        y = self.both.encoder(y, mask, is_causal=None)  # breaks: GB0124
        return self.both(x, y, None, mask)  # breaks: GB0124
""",
        "(torch.randn(3, 1, 4),)",
    ),
)
CLEAN = (
    Example(
        """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(4, 2, 8)
        self.encoder = nn.TransformerEncoder(self.layer, 1, enable_nested_tensor=False)
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8), 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mask = torch.zeros(3, 3)
        x = self.layer(x, mask)
        x = self.encoder(x, src_key_padding_mask=torch.zeros(1, 3))
        x = self.encoder(x, mask.expand(2, 3, 3))
        return self.decoder(x, x, None, mask)
""",
        "(torch.randn(3, 1, 4),)",
    ),
)
FIXES = (
    FixExample(
        """\
import torch
from torch import nn

torch.manual_seed(0)
both = nn.Transformer(4, 2, 1, 1, 8, dropout=0.0)


def f(x: torch.Tensor) -> torch.Tensor:
    mask = both.generate_square_subsequent_mask(3)
    return both(
        x,
        x,
        mask,
        tgt_mask=mask,
    )
""",
        """\
import torch
from torch import nn

torch.manual_seed(0)
both = nn.Transformer(4, 2, 1, 1, 8, dropout=0.0)


def f(x: torch.Tensor) -> torch.Tensor:
    mask = both.generate_square_subsequent_mask(3)
    return both(
        x,
        x,
        mask,
        tgt_mask=mask,
        src_is_causal=False,
        tgt_is_causal=False,
    )
""",
        ("(torch.randn(3, 1, 4),)",),
        safe=False,
    ),
)
