"""A mask given to `nn.TransformerEncoder`, `nn.TransformerDecoder` or `nn.Transformer` without `is_causal`.

Their `forward` compares the mask with a causal one, to choose a faster kernel, and reads the result as a bool
(`_detect_is_causal_mask` in torch/nn/modules/transformer.py). The layers (`nn.TransformerEncoderLayer`) do not.

**Instead** say whether the mask is causal: `encoder(x, mask=mask, is_causal=False)`, `decoder(x, memory, tgt_mask=mask,
tgt_is_causal=False)`, `transformer(x, y, src_mask=a, tgt_mask=b, src_is_causal=False, tgt_is_causal=False)`. `False` is
right for every mask, since the mask is applied; for a causal one `True` allows the faster kernel.

**Does not help** `torch._dynamo.config.capture_scalar_outputs = True`: the attention then branches on the bool, and the
graph ends there.
"""

from __future__ import annotations

from gblint.rules.examples import Example, FixExample
from gblint.rules.rule import On, Rule


class AttentionMaskRead(Rule):
    """GBL111."""

    code = "GBL111"
    name = "attention-mask-read"
    summary = "a mask given to `nn.TransformerEncoder` or `nn.TransformerDecoder` without `is_causal`"
    gb_ids = ("GB0124",)
    on = (On("tensor-to-python", ("causal-mask",)),)
    message_template = "`{expression}` compares its mask with a causal one and reads the result as a bool"
    help_template = "say whether the mask is causal: `is_causal=False`, or `src_is_causal` and `tgt_is_causal`"
    recipes = ("attention_masks.say_whether_causal",)
    BREAKS = (
        Example(
            """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[0])
        return self.encoder(x, mask=mask)  # breaks: GB0124
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
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[0])
        return self.encoder(x, mask=mask, is_causal=True)
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
decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8, dropout=0.0), 1)


def f(x: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
    mask = torch.ones(3, 3).tril() < 1
    return decoder(x, memory, tgt_mask=mask)
""",
            """\
import torch
from torch import nn

torch.manual_seed(0)
decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8, dropout=0.0), 1)


def f(x: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
    mask = torch.ones(3, 3).tril() < 1
    return decoder(x, memory, tgt_mask=mask, tgt_is_causal=False)
""",
            ("(torch.randn(3, 1, 4), torch.randn(2, 1, 4))",),
            safe=False,
        ),
    )
