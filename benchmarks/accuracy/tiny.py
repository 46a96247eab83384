"""Small configurations of the models of transformers, and inputs for them, found by the names of settings."""

from __future__ import annotations

import dataclasses
import inspect
import re
from typing import Any

import torch
from transformers import PreTrainedConfig, PreTrainedModel
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

VOCABULARY = 128
MOST_PARAMETERS = 80_000_000
BATCH, WORDS, TARGET_WORDS = 2, 12, 7

# The largest allowed value of a setting, by a pattern for its name; the first match counts.  A list keeps its length.
_SIZES: tuple[tuple[str, int], ...] = (
    (r"vocab", VOCABULARY),
    (r"(num|n)_(key_value|kv)_heads|num_key_value_groups", 2),
    (r"experts_per_tok|moe_topk|top_?k_experts|num_selected_experts", 2),
    (r"experts$", 4),
    (r"n_group$|topk_group$", 1),
    (r"(^|_)layers$|(^|_)n_layer$|(^|_)depths?$|num_blocks$", 2),
    (r"image_size|img_size|input_size$", 32),
    (r"patch_size$", 8),
    (r"num_(object_)?queries$", 10),
    (r"num_frames$", 4),
)
_WIDTHS: tuple[tuple[str, int], ...] = (
    (r"head_dim$|d_kv$|kv_channels$|head_size$", 8),
    (r"lora_rank$", 16),
    (r"heads?$|num_heads$", 4),
    (r"intermediate|ffn|mlp_dim|inner_dim|d_ff|feedforward_dim|mlp_hidden", 64),
    (r"max_\w*position|n_positions|n_ctx|(context|sequence|source|target)_length$", 128),
    (r"sliding_window|attention_window|attention_chunk_size|local_attention", 8),
    (
        r"hidden_sizes?|d_model|embed_dims?$|embedding_size|n_embd|(^|_)dim$|hidden_dim|conv_dim|(^|_)width$|d_embed|out_dim",
        32,
    ),
)
# Some models need larger values: a layer of each kind, or wider heads for the sections of rotary embeddings.
_ROOMY: tuple[tuple[str, int], ...] = (
    (r"head_dim$|d_kv$|kv_channels$|head_size$", 128),
    (r"(^|_)layers$|(^|_)n_layer$|(^|_)depths?$|num_blocks$", 4),
    (r"hidden_sizes?|d_model|embed_dims?$|embedding_size|n_embd|(^|_)dim$|hidden_dim|(^|_)width$|out_dim", 512),
)
_RULES = (_SIZES + _WIDTHS, _ROOMY + _SIZES + _WIDTHS, _SIZES)
_TOKEN = re.compile(r"token_(id|index)s?$|_id$|(start|end)_token$")


def config_of(model_class: type[PreTrainedModel], level: int) -> PreTrainedConfig:
    """Return a small configuration: level 0 reduces all settings, level 1 less, level 2 only layers and image sizes."""
    return model_class.config_class(**_shrunk(model_class.config_class, level, {}, {}))


def _shrunk(kind: type[PreTrainedConfig], level: int, given: dict[str, Any], tokens: dict[str, int]) -> dict[str, Any]:
    rules = _RULES[level]
    made = dict(given)
    for field in dataclasses.fields(kind):
        value = given.get(field.name, field.default)
        if value is dataclasses.MISSING and field.default_factory is not dataclasses.MISSING:
            value = field.default_factory()
        smaller = _token(field.name, value, tokens) if _TOKEN.search(field.name) else _size(field.name, value, rules)
        if smaller != value:
            made[field.name] = smaller
    for name, spec in kind.sub_configs_defaults.items():
        part = spec.config_class
        if not dataclasses.is_dataclass(part):
            part = CONFIG_MAPPING[spec.model_type]
        made[name] = {"model_type": part.model_type} | _shrunk(part, level, dict(spec.init_kwargs), tokens)
    return made


def _size(name: str, value: Any, rules: tuple[tuple[str, int], ...]) -> Any:
    if isinstance(value, (list, tuple)) and value and all(type(each) is int for each in value):
        return type(value)(_size(name, each, rules) for each in value)
    if type(value) is not int:
        return value
    if name == "out_indices":
        return value if value < 5 else (value - 1) % 4 + 1
    return next((min(value, size) for pattern, size in rules if re.search(pattern, name)), value)


def _token(name: str, value: Any, tokens: dict[str, int]) -> Any:
    """Return the id of a special token, which must lie in the vocabulary and be unique."""
    if isinstance(value, (list, tuple)):
        return type(value)(_token(name, each, tokens) for each in value)
    if type(value) is not int or value < 90:
        return value
    return tokens.setdefault(name, VOCABULARY - 2 - len(tokens))


class Unfit(Exception):
    """Raised if no small configuration or no inputs are found with which the model runs."""


def model_of(model_class: type[PreTrainedModel], level: int) -> PreTrainedModel:
    """Return the model with random weights."""
    config = config_of(model_class, level)
    with torch.device("meta"):
        size = sum(each.numel() for each in model_class(config).parameters())
    if size > MOST_PARAMETERS:
        raise Unfit(f"{size} parameters")
    torch.manual_seed(0)
    return model_class(config)


def _of(config: Any, name: str, otherwise: Any) -> Any:
    """Return a setting of the configuration or of one of its parts."""
    for part in (config, *(getattr(config, each, None) for each in type(config).sub_configs_defaults)):
        value = getattr(part, name, None)
        if value is not None:
            return value
    return otherwise


def _pair(value: Any) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else (value[0], value[-1])


def inputs_of(model: PreTrainedModel, style: int, images: int) -> dict[str, Any]:
    """Return inputs by name: ``images`` is the number of image tokens, ``style`` selects an order of dimensions."""
    config, given = model.config, inspect.signature(model.forward).parameters
    torch.manual_seed(0)
    made: dict[str, Any] = {}
    for name, parameter in given.items():
        value = _input(name, config, given, style, images)
        if value is not None:
            made[name] = value
        elif parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD:
            raise Unfit(f"no input for the parameter {name}")
    return made


def _input(name: str, config: Any, given: Any, style: int, images: int) -> Any:
    height, width = _pair(_of(config, "image_size", 32))
    channels = _of(config, "num_channels", _of(config, "in_channels", 3))
    patch = _pair(_of(config, "patch_size", 8))[0]
    bins = _of(config, "num_mel_bins", _of(config, "feature_size", 80))
    grid = [[1, 4, 4]] * (1 if images else 2)
    flat = (16 * len(grid), channels * _pair(_of(config, "temporal_patch_size", 1))[0] * patch * patch)
    gridded = any("grid_thw" in each for each in given)
    if name == "input_ids":
        ids = torch.randint(5, 80, (1 if images else BATCH, WORDS + images))
        ids[:, 2 : 2 + images] = _of(config, "image_token_id", _of(config, "image_token_index", 0))
        return ids
    if name == "attention_mask" and "input_ids" in given:
        return torch.ones(1 if images else BATCH, WORDS + images, dtype=torch.long)
    if name == "decoder_input_ids" and config.is_encoder_decoder:
        return torch.randint(5, 80, (BATCH, TARGET_WORDS))
    if name == "pixel_values" or (name == "hidden_states" and gridded):
        batch = 1 if images else BATCH
        if gridded:
            return torch.randn(flat)
        return torch.randn((batch, channels, height, width) if style < 2 else (batch, 4, channels, height, width))
    if name in ("image_grid_thw", "grid_thw"):
        return torch.tensor(grid)
    if name in ("input_features", "audio_values"):
        long = 2 * _of(config, "max_source_positions", 32)
        return torch.randn((BATCH, bins, long) if style % 2 == 0 else (BATCH, long, bins))
    if name == "input_values":
        return torch.randn(((BATCH, 4000), (BATCH, 1, 4000), (BATCH, 64, bins), (BATCH, 1, 64, bins))[style])
    if name == "bbox":
        return torch.tensor([1, 2, 30, 40]).repeat(BATCH, WORDS, 1)
    if name == "mm_token_type_ids" and images:
        ids = torch.zeros(1, WORDS + images, dtype=torch.long)
        ids[:, 2 : 2 + images] = 1
        return ids
    if name == "past_values":
        return torch.randn(BATCH, _of(config, "context_length", 32), _of(config, "num_input_channels", 1))
    return None


def fitting(model_class: type[PreTrainedModel]) -> tuple[int, int, int]:
    """Return the first level, style and number of image tokens with which the model runs."""
    said: dict[str, None] = {}
    for level in range(len(_RULES)):
        try:
            model = model_of(model_class, level).eval()
        except Exception as error:
            said[f"{type(error).__name__}: {error}"[:150]] = None
            continue
        for style in range(4):
            images = 0
            for _ in range(4):
                try:
                    with torch.no_grad():
                        model(**inputs_of(model, style, images))
                    return level, style, images
                except Exception as error:
                    text = f"{type(error).__name__}: {error}"[:200]
                    said[text] = None
                    wanted = _places(text)
                    if wanted is None or wanted == images:
                        break
                    images = wanted
    raise Unfit(" | ".join(list(said)[:3]))


def _places(text: str) -> int | None:
    """Return the number of image tokens that a model wants, read from its error message."""
    expected = re.search(r"[Ff]eatures?\D*(\d+)\D*$", text) if "oken" in text else None
    return min(int(expected[1]), 400) if expected else None


def build(model_class: type[PreTrainedModel], known: dict[type, tuple[int, int, int]] = {}) -> Any:  # noqa: B006
    """Return the model and its inputs for the recorder."""
    if model_class not in known:
        known[model_class] = fitting(model_class)
    level, style, images = known[model_class]
    model = model_of(model_class, level)
    return model, (), inputs_of(model, style, images)
