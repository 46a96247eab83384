"""Models that need more than sizes to be made, and inputs for them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

Made = tuple[Any, tuple[Any, ...], dict[str, Any]]


def _reformer(kind: Any, torch: Any) -> Made:
    sizes = {"hidden_size": 32, "attention_head_size": 16, "num_attention_heads": 2, "feed_forward_size": 64}
    chunks = {"lsh_attn_chunk_length": 8, "local_attn_chunk_length": 8, "attn_layers": ["local", "lsh"]}
    places = {"axial_pos_shape": (4, 8), "axial_pos_embds_dim": (16, 16), "max_position_embeddings": 32}
    config = kind.config_class(vocab_size=128, **sizes, **chunks, **places)
    return kind(config), (), {"input_ids": torch.randint(5, 80, (2, 32))}


def _time_series(kind: Any, torch: Any) -> Made:
    lengths = {"prediction_length": 4, "context_length": 8, "lags_sequence": [1, 2], "num_time_features": 1}
    config = kind.config_class(**lengths, d_model=16, encoder_layers=2, decoder_layers=2)
    past = {"past_values": torch.rand(2, 10), "past_time_features": torch.rand(2, 10, 1)}
    future = {"future_values": torch.rand(2, 4), "future_time_features": torch.rand(2, 4, 1)}
    return kind(config), (), {**past, "past_observed_mask": torch.ones(2, 10), **future}


MAKERS: dict[str, Callable[[Any, Any], Made]] = {
    "ReformerModel": _reformer,
    "TimeSeriesTransformerModel": _time_series,
}


def build(entry: str) -> Made:
    """The model of an entry of transformers, and its inputs: one of those here, or any in small."""
    module, _, name = entry.partition(":")
    if name in MAKERS:
        return MAKERS[name](getattr(importlib.import_module(module), name), importlib.import_module("torch"))
    return importlib.import_module("transformers_targets")._build(entry)  # type: ignore[no-any-return]
