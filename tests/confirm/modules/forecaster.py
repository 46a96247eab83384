from dataclasses import dataclass
from typing import Optional

import torch
from torch import nn


@dataclass
class ForecastBatch:
    past_values: torch.Tensor  # (batch, context_length, num_series)
    past_time_features: torch.Tensor  # (batch, context_length, n_time)
    static_cat: torch.Tensor  # (batch,) ids of the series
    past_observed_mask: Optional[torch.Tensor] = None


class DLinearForecaster(nn.Module):
    def __init__(self, context_length: int, prediction_length: int, num_series: int, n_time: int, cardinality: int):
        super().__init__()
        self.context_length = context_length
        self.num_series = num_series
        self.n_time = n_time
        self.avg = nn.AvgPool1d(5, stride=1, padding=2)
        self.trend = nn.Linear(context_length, prediction_length)
        self.seasonal = nn.Linear(context_length, prediction_length)
        self.time = nn.Linear(n_time, num_series)
        self.series = nn.Embedding(cardinality, num_series)

    def forward(self, batch: ForecastBatch) -> torch.Tensor:
        x = batch.past_values + self.time(batch.past_time_features)
        if batch.past_observed_mask is not None:
            x = x * batch.past_observed_mask
        loc = x.mean(dim=1, keepdim=True)
        scale = x.std(dim=1, keepdim=True) + 1e-5
        x = ((x - loc) / scale).transpose(1, 2)
        trend = self.avg(x)
        y = self.trend(trend) + self.seasonal(x - trend)
        return y.transpose(1, 2) * scale + loc + self.series(batch.static_cat)[:, None]
