"""Models that need more than sizes to be created, and inputs for them."""

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
    # Makes the random seeds reproducible.
    torch.seed = _seed
    ids = torch.randint(5, 80, (2, 32))
    return kind(config), (), {"input_ids": ids, "attention_mask": torch.ones_like(ids)}


def _seed() -> int:
    return 7


def _time_series(kind: Any, torch: Any) -> Made:
    lengths = {"prediction_length": 4, "context_length": 8, "lags_sequence": [1, 2], "num_time_features": 1}
    config = kind.config_class(**lengths, d_model=16, encoder_layers=2, decoder_layers=2)
    past = {"past_values": torch.rand(2, 10), "past_time_features": torch.rand(2, 10, 1)}
    future = {"future_values": torch.rand(2, 4), "future_time_features": torch.rand(2, 4, 1)}
    return kind(config), (), {**past, "past_observed_mask": torch.ones(2, 10), **future}


def _seamless(kind: Any, torch: Any) -> Made:
    sizes = {"hidden_size": 32, "vocab_size": 128, "feature_projection_input_dim": 16}
    heads = dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads", "speech_encoder_attention_heads"), 4)
    wide = dict.fromkeys(("encoder_ffn_dim", "decoder_ffn_dim", "speech_encoder_intermediate_size"), 64)
    units = {"t2u_vocab_size": 128, "unit_hifi_gan_vocab_size": 128, "unit_embed_dim": 16, "lang_embed_dim": 8}
    voice = {"spkr_embed_dim": 8, "vocoder_num_langs": 4, "vocoder_num_spkrs": 4, "upsample_initial_channel": 32}
    t2u = {f"t2u_{side}_{what}": size for side in ("encoder", "decoder") for what, size in _SIDE.items()}
    layers = dict.fromkeys(("encoder_layers", "decoder_layers", "speech_encoder_layers"), 2)
    config = kind.config_class(**sizes, **heads, **wide, **units, **voice, **t2u, **layers)
    return (
        kind(config),
        (),
        {"input_ids": torch.randint(5, 80, (2, 12)), "decoder_input_ids": torch.randint(5, 80, (2, 7))},
    )


_SIDE = {"layers": 2, "attention_heads": 4, "ffn_dim": 64}


def _video_llama(kind: Any, torch: Any) -> Made:
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = kind.config_class(**sizes, patch_size=8)
    grid, merge = torch.tensor([[1, 4, 4], [1, 4, 4]]), torch.tensor([2, 2])
    return kind(config), (), {"pixel_values": torch.randn(32, 3 * 8 * 8), "grid_thw": grid, "merge_sizes": merge}


def _bart(kind: Any, torch: Any) -> Made:
    sizes = {"d_model": 16, "decoder_layers": 2, "decoder_attention_heads": 2, "decoder_ffn_dim": 32, "vocab_size": 64}
    config = kind.config_class(**sizes, decoder_layerdrop=0.3, max_position_embeddings=32)
    return kind(config), (), {"input_ids": torch.randint(5, 60, (2, 8))}


def _musicgen(kind: Any, torch: Any) -> Made:
    small = importlib.import_module("tiny").config_of(kind, 0)
    small.layerdrop = 0.3
    model = kind(small)
    ids = torch.randint(5, 60, (2 * small.num_codebooks, 8))
    return model, (), {"input_ids": ids, "encoder_hidden_states": torch.randn(2, 5, small.hidden_size)}


def _fast_speech(kind: Any, torch: Any) -> Made:
    sizes = {"encoder_layers": 1, "decoder_layers": 1, "encoder_linear_units": 32, "decoder_linear_units": 32}
    config = kind.config_class(**sizes, hidden_size=32, num_mel_bins=8, vocab_size=32)
    # Three texts of five letters; each letter lasts for two frames.
    frames = {"spectrogram_labels": torch.randn(3, 10, 8), "duration_labels": torch.full((3, 5), 2)}
    letters = {"pitch_labels": torch.randn(3, 5, 1), "energy_labels": torch.randn(3, 5, 1)}
    ids = {"input_ids": torch.randint(5, 30, (3, 5)), "attention_mask": torch.ones(3, 5, dtype=torch.long)}
    return kind(config), (), {**ids, **frames, **letters}


def _speech(kind: Any, torch: Any) -> Made:
    transformers = importlib.import_module("transformers")
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    waves = {"conv_dim": (16, 16), "conv_stride": (5, 4), "conv_kernel": (10, 4), "num_conv_pos_embeddings": 4}
    groups = {"num_conv_pos_embedding_groups": 2, "layerdrop": 0.3}
    encoder = transformers.Wav2Vec2Config(**sizes, **waves, **groups, num_feat_extract_layers=2, vocab_size=32)
    decoder = transformers.BertConfig(**sizes, vocab_size=64, is_decoder=True, add_cross_attention=True)
    config = kind.config_class.from_encoder_decoder_configs(encoder, decoder)
    return kind(config), (), {"input_values": torch.randn(2, 2000), "decoder_input_ids": torch.randint(5, 60, (2, 7))}


def _phi_audio(kind: Any, torch: Any) -> Made:
    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_blocks": 2, "num_attention_heads": 4, "input_size": 80}
    channels = ("nemo_conv_channels", "ext_pw_out_channel", "depthwise_separable_out_channel")
    config = kind.config_class(**sizes, **dict.fromkeys(channels, 32), chunk_size=4, left_chunk=2)
    return kind(config), (), {"hidden_states": torch.randn(2, 100, 80), "mask": None}


MAKERS: dict[str, Callable[[Any, Any], Made]] = {
    "Phi4MultimodalAudioModel": _phi_audio,
    "ReformerModel": _reformer,
    "TimeSeriesTransformerModel": _time_series,
    "BartForCausalLM": _bart,
    "FastSpeech2ConformerModel": _fast_speech,
    "MusicgenModel": _musicgen,
    "MusicgenMelodyModel": _musicgen,
    "SpeechEncoderDecoderModel": _speech,
    "SeamlessM4TModel": _seamless,
    "SeamlessM4Tv2Model": _seamless,
    "VideoLlama3VisionModel": _video_llama,
}


def build(entry: str) -> Made:
    """Return the model of an entry of transformers and its inputs: one of this file, or a small model."""
    module, _, name = entry.partition(":")
    if name in MAKERS:
        return MAKERS[name](getattr(importlib.import_module(module), name), importlib.import_module("torch"))
    return importlib.import_module("transformers_targets")._build(entry)  # type: ignore[no-any-return]
