from typing import Tuple

import torch
from torch import Tensor, nn


class Conv2dSubsampling(nn.Module):
    """Convolutional 2D subsampling to 1/4 length."""

    def __init__(self, idim: int, odim: int) -> None:
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, odim, 3, 2), nn.ReLU(), nn.Conv2d(odim, odim, 3, 2), nn.ReLU())
        self.out = nn.Linear(odim * (((idim - 1) // 2 - 1) // 2), odim)

    def forward(self, x: Tensor, x_mask: Tensor) -> Tuple[Tensor, Tensor]:
        """Subsample x.

        Args:
            x: Input tensor (#batch, time, idim).
            x_mask: Input mask (#batch, 1, time).
        """
        x = self.conv(x.unsqueeze(1))
        b, c, t, f = x.size()
        return self.out(x.transpose(1, 2).contiguous().view(b, t, c * f)), x_mask[:, :, :-2:2][:, :, :-2:2]


class CTCModel(nn.Module):
    def __init__(self, input_size: int, output_size: int, vocab_size: int, blank_id: int = 0):
        super().__init__()
        self.embed = Conv2dSubsampling(input_size, output_size)
        layer = nn.TransformerEncoderLayer(output_size, 4, 64, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1)
        self.proj = nn.Linear(output_size, vocab_size)
        self.loss = nn.CTCLoss(blank=blank_id, zero_infinity=True)

    def forward(self, speech: Tensor, speech_lengths: Tensor, text: Tensor, text_lengths: Tensor) -> Tensor:
        """Frontend + Encoder + CTC.

        Args:
            speech: (Batch, Length, ...)
            speech_lengths: (Batch, )
            text: (Batch, Length)
            text_lengths: (Batch,)
        """
        assert text_lengths.dim() == 1, text_lengths.shape
        assert speech.shape[0] == speech_lengths.shape[0] == text.shape[0] == text_lengths.shape[0]
        mask = (torch.arange(speech.size(1), device=speech.device)[None] < speech_lengths[:, None]).unsqueeze(1)
        h, mask = self.embed(speech, mask)
        h = self.encoder(h, src_key_padding_mask=~mask.squeeze(1))
        logp = self.proj(h).log_softmax(-1).transpose(0, 1)
        return self.loss(logp, text, mask.squeeze(1).sum(1), text_lengths)
