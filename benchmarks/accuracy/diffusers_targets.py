"""Small models and schedulers of diffusers, each with the settings that create it and its inputs."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from typing import Any

import torch

Made = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]

_UNET = "diffusers.models.unets"
_DIT = "diffusers.models.transformers"
_VAE = "diffusers.models.autoencoders"
_CONTROL = "diffusers.models.controlnets"
_STEP = torch.tensor([7, 7])

_ATTENTION = {"num_layers": 2, "num_attention_heads": 2, "attention_head_dim": 16}
_BLOCKS = {"block_out_channels": (8, 16), "layers_per_block": 1, "norm_num_groups": 4}
_FLUX = _ATTENTION | {"patch_size": 1, "in_channels": 4, "num_single_layers": 1, "joint_attention_dim": 32}


def _noise(*shape: int) -> torch.Tensor:
    return torch.randn(shape)


def _flux_inputs() -> dict[str, Any]:
    return {
        "hidden_states": _noise(2, 16, 4),
        "encoder_hidden_states": _noise(2, 7, 32),
        "timestep": torch.tensor([0.5, 0.5]),
        "img_ids": torch.zeros(16, 3),
        "txt_ids": torch.zeros(7, 3),
    }


def _dit(*latent: int, width: int = 32, step: torch.Tensor = _STEP) -> dict[str, Any]:
    return {"hidden_states": _noise(*latent), "encoder_hidden_states": _noise(2, 7, width), "timestep": step}


def _masked(given: dict[str, Any], name: str = "encoder_attention_mask") -> dict[str, Any]:
    return given | {name: torch.ones(2, 7, dtype=torch.bool)}


def _models() -> list[tuple[str, dict[str, Any], Callable[[], dict[str, Any]]]]:
    """Return for each model its entry, its settings and its inputs."""
    down, up = ("DownBlock2D", "CrossAttnDownBlock2D"), ("CrossAttnUpBlock2D", "UpBlock2D")
    down3, up3 = ("CrossAttnDownBlock3D", "DownBlock3D"), ("UpBlock3D", "CrossAttnUpBlock3D")
    encoder = {"down_block_types": ("DownEncoderBlock2D",) * 2, "up_block_types": ("UpDecoderBlock2D",) * 2}
    cross = _BLOCKS | {"cross_attention_dim": 32, "attention_head_dim": 4}
    conditions: Callable[[], dict[str, Any]] = lambda: {  # noqa: E731
        "sample": _noise(2, 4, 16, 16),
        "timestep": _STEP,
        "encoder_hidden_states": _noise(2, 7, 32),
    }
    image: Callable[[], dict[str, Any]] = lambda: {"sample": _noise(2, 3, 32, 32)}  # noqa: E731
    video: Callable[[], dict[str, Any]] = lambda: {"sample": _noise(1, 3, 9, 16, 16)}  # noqa: E731
    return [
        (
            f"{_UNET}.unet_2d_condition:UNet2DConditionModel",
            cross | {"sample_size": 16, "down_block_types": down, "up_block_types": up},
            conditions,
        ),
        (
            f"{_UNET}.unet_2d:UNet2DModel",
            _BLOCKS
            | {"attention_head_dim": 4, "down_block_types": ("DownBlock2D", "AttnDownBlock2D")}
            | {"up_block_types": ("AttnUpBlock2D", "UpBlock2D"), "sample_size": 16},
            lambda: {"sample": _noise(2, 3, 16, 16), "timestep": _STEP},
        ),
        (
            f"{_UNET}.unet_1d:UNet1DModel",
            {"block_out_channels": (8, 8, 16), "in_channels": 4, "out_channels": 4, "extra_in_channels": 16},
            lambda: {"sample": _noise(2, 4, 64), "timestep": _STEP},
        ),
        (
            f"{_UNET}.unet_3d_condition:UNet3DConditionModel",
            cross | {"sample_size": 16, "down_block_types": down3, "up_block_types": up3},
            lambda: conditions() | {"sample": _noise(2, 4, 4, 16, 16)},
        ),
        (
            f"{_UNET}.unet_motion_model:UNetMotionModel",
            _BLOCKS
            | {"down_block_types": ("CrossAttnDownBlockMotion", "DownBlockMotion"), "cross_attention_dim": 32}
            | {"up_block_types": ("UpBlockMotion", "CrossAttnUpBlockMotion"), "num_attention_heads": 2}
            | {"motion_num_attention_heads": 2},
            lambda: conditions() | {"sample": _noise(2, 4, 4, 16, 16)},
        ),
        (
            f"{_UNET}.unet_spatio_temporal_condition:UNetSpatioTemporalConditionModel",
            {"block_out_channels": (32, 64), "layers_per_block": 1, "cross_attention_dim": 32, "num_attention_heads": 4}
            | {"down_block_types": ("CrossAttnDownBlockSpatioTemporal", "DownBlockSpatioTemporal")}
            | {"up_block_types": ("UpBlockSpatioTemporal", "CrossAttnUpBlockSpatioTemporal"), "num_frames": 2}
            | {"projection_class_embeddings_input_dim": 32, "addition_time_embed_dim": 32},
            lambda: (
                conditions()
                | {"sample": _noise(2, 2, 8, 16, 16), "encoder_hidden_states": _noise(2, 1, 32)}
                | {"added_time_ids": torch.tensor([[6.0], [6.0]])}
            ),
        ),
        (
            f"{_UNET}.uvit_2d:UVit2DModel",
            {"hidden_size": 32, "encoder_hidden_size": 32, "cond_embed_dim": 32, "micro_cond_encode_dim": 8}
            | {"micro_cond_embed_dim": 128, "block_out_channels": 32, "in_channels": 32, "num_hidden_layers": 1}
            | {"num_attention_heads": 2, "intermediate_size": 64, "vocab_size": 32, "codebook_size": 32}
            | {"use_bias": False, "hidden_dropout": 0.0, "attention_dropout": 0.0, "num_res_blocks": 1},
            lambda: {
                "input_ids": torch.randint(0, 30, (2, 4, 4)),
                "encoder_hidden_states": _noise(2, 7, 32),
                "pooled_text_emb": _noise(2, 32),
                "micro_conds": torch.ones(2, 11),
            },
        ),
        (
            f"{_CONTROL}.controlnet:ControlNetModel",
            cross | {"down_block_types": down, "conditioning_embedding_out_channels": (8, 16)},
            lambda: conditions() | {"controlnet_cond": _noise(2, 3, 32, 32)},
        ),
        (
            f"{_CONTROL}.controlnet_flux:FluxControlNetModel",
            _FLUX | {"pooled_projection_dim": 32, "axes_dims_rope": [4, 4, 8]},
            lambda: _flux_inputs() | {"pooled_projections": _noise(2, 32), "controlnet_cond": _noise(2, 16, 4)},
        ),
        (f"{_VAE}.autoencoder_kl:AutoencoderKL", _BLOCKS | encoder, image),
        (
            f"{_VAE}.autoencoder_asym_kl:AsymmetricAutoencoderKL",
            encoder
            | {"down_block_out_channels": (8, 16), "up_block_out_channels": (8, 16), "norm_num_groups": 4}
            | {"layers_per_down_block": 1, "layers_per_up_block": 1},
            lambda: image() | {"mask": torch.ones(2, 1, 32, 32)},
        ),
        (
            f"{_VAE}.autoencoder_tiny:AutoencoderTiny",
            {"encoder_block_out_channels": (8, 8), "decoder_block_out_channels": (8, 8)}
            | {"num_encoder_blocks": (1, 2), "num_decoder_blocks": (2, 1)},
            image,
        ),
        (f"{_VAE}.vq_model:VQModel", _BLOCKS | encoder | {"latent_channels": 3}, image),
        (
            f"{_VAE}.autoencoder_kl_temporal_decoder:AutoencoderKLTemporalDecoder",
            {"block_out_channels": (32, 64), "layers_per_block": 1, "latent_channels": 4}
            | {"down_block_types": ("DownEncoderBlock2D",) * 2},
            lambda: image() | {"num_frames": 2},
        ),
        (
            f"{_VAE}.autoencoder_kl_wan:AutoencoderKLWan",
            {"base_dim": 4, "dim_mult": [1, 1, 1, 1], "num_res_blocks": 1, "temperal_downsample": [False, True, True]},
            video,
        ),
        (
            f"{_VAE}.autoencoder_kl_cogvideox:AutoencoderKLCogVideoX",
            {"block_out_channels": (8, 8, 8, 8), "norm_num_groups": 2, "layers_per_block": 1, "latent_channels": 4},
            video,
        ),
        (
            f"{_VAE}.autoencoder_kl_hunyuan_video:AutoencoderKLHunyuanVideo",
            {"block_out_channels": (8, 8, 8, 8), "norm_num_groups": 4, "layers_per_block": 1, "latent_channels": 4},
            video,
        ),
        (
            f"{_VAE}.autoencoder_kl_mochi:AutoencoderKLMochi",
            {"encoder_block_out_channels": (32, 32, 32, 32), "decoder_block_out_channels": (32, 32, 32, 32)}
            | {"layers_per_block": (1, 1, 1, 1, 1)},
            lambda: {"sample": _noise(1, 3, 7, 16, 16)},
        ),
        (
            f"{_VAE}.autoencoder_oobleck:AutoencoderOobleck",
            {"encoder_hidden_size": 12, "decoder_channels": 12}
            | {"decoder_input_channels": 6, "audio_channels": 2, "downsampling_ratios": [2, 4]}
            | {"channel_multiples": [1, 2]},
            lambda: {"sample": _noise(2, 2, 64)},
        ),
        (
            f"{_DIT}.transformer_flux:FluxTransformer2DModel",
            _FLUX | {"pooled_projection_dim": 32, "axes_dims_rope": [4, 4, 8], "guidance_embeds": True},
            lambda: _flux_inputs() | {"pooled_projections": _noise(2, 32), "guidance": torch.ones(2)},
        ),
        (
            f"{_DIT}.transformer_flux2:Flux2Transformer2DModel",
            _FLUX | {"timestep_guidance_channels": 32, "axes_dims_rope": [4, 4, 4, 4]},
            lambda: (
                _flux_inputs()
                | {"guidance": torch.ones(2), "img_ids": torch.zeros(16, 4), "txt_ids": torch.zeros(7, 4)}
            ),
        ),
        (
            f"{_DIT}.transformer_chroma:ChromaTransformer2DModel",
            _FLUX | {"axes_dims_rope": [4, 4, 8], "approximator_hidden_dim": 32, "approximator_layers": 1},
            _flux_inputs,
        ),
        (
            f"{_DIT}.transformer_sd3:SD3Transformer2DModel",
            _ATTENTION
            | {"sample_size": 16, "in_channels": 4, "out_channels": 4, "patch_size": 2, "joint_attention_dim": 32}
            | {"caption_projection_dim": 32, "pooled_projection_dim": 64},
            lambda: _dit(2, 4, 16, 16) | {"pooled_projections": _noise(2, 64)},
        ),
        (
            f"{_DIT}.transformer_wan:WanTransformer3DModel",
            _ATTENTION | {"in_channels": 4, "out_channels": 4, "text_dim": 32, "freq_dim": 256, "ffn_dim": 32},
            lambda: _dit(2, 4, 2, 16, 16),
        ),
        (
            f"{_DIT}.cogvideox_transformer_3d:CogVideoXTransformer3DModel",
            _ATTENTION
            | {"in_channels": 4, "out_channels": 4, "time_embed_dim": 8, "text_embed_dim": 32, "sample_width": 8}
            | {"sample_height": 8, "sample_frames": 9, "max_text_seq_length": 7},
            lambda: _dit(2, 3, 4, 8, 8),
        ),
        (
            f"{_DIT}.dit_transformer_2d:DiTTransformer2DModel",
            _ATTENTION | {"in_channels": 4, "out_channels": 8, "sample_size": 8},
            lambda: {"hidden_states": _noise(2, 4, 8, 8), "timestep": _STEP, "class_labels": torch.tensor([1, 2])},
        ),
        (
            f"{_DIT}.pixart_transformer_2d:PixArtTransformer2DModel",
            _ATTENTION
            | {"in_channels": 4, "out_channels": 8, "sample_size": 8, "caption_channels": 32, "cross_attention_dim": 32}
            | {"use_additional_conditions": False},
            lambda: _dit(2, 4, 8, 8) | {"added_cond_kwargs": {"aspect_ratio": None, "resolution": None}},
        ),
        (
            f"{_DIT}.hunyuan_transformer_2d:HunyuanDiT2DModel",
            _ATTENTION
            | {"in_channels": 4, "patch_size": 2, "sample_size": 8, "hidden_size": 32, "cross_attention_dim": 32}
            | {"cross_attention_dim_t5": 32, "pooled_projection_dim": 4, "text_len": 7, "text_len_t5": 7}
            | {"use_style_cond_and_image_meta_size": False, "mlp_ratio": 2.0},
            lambda: (
                _masked(_masked(_dit(2, 4, 8, 8), "text_embedding_mask"), "text_embedding_mask_t5")
                | {"encoder_hidden_states_t5": _noise(2, 7, 32), "image_rotary_emb": (_noise(16, 16), _noise(16, 16))}
            ),
        ),
        (
            f"{_DIT}.transformer_ltx:LTXVideoTransformer3DModel",
            _ATTENTION | {"in_channels": 8, "out_channels": 8, "cross_attention_dim": 32, "caption_channels": 32},
            lambda: _masked(_dit(2, 32, 8)) | {"num_frames": 2, "height": 4, "width": 4},
        ),
        (
            f"{_DIT}.transformer_mochi:MochiTransformer3DModel",
            _ATTENTION | {"in_channels": 4, "pooled_projection_dim": 16, "text_embed_dim": 32, "time_embed_dim": 8},
            lambda: _masked(_dit(2, 4, 2, 16, 16)),
        ),
        (
            f"{_DIT}.sana_transformer:SanaTransformer2DModel",
            _ATTENTION
            | {"in_channels": 4, "out_channels": 4, "num_cross_attention_heads": 2, "cross_attention_head_dim": 16}
            | {"cross_attention_dim": 32, "caption_channels": 32, "sample_size": 8},
            lambda: _dit(2, 4, 8, 8),
        ),
        (
            f"{_DIT}.transformer_qwenimage:QwenImageTransformer2DModel",
            _ATTENTION | {"in_channels": 16, "out_channels": 4, "joint_attention_dim": 32, "axes_dims_rope": (8, 4, 4)},
            lambda: (
                _masked(_dit(2, 16, 16, step=torch.tensor([0.5, 0.5])), "encoder_hidden_states_mask")
                | {"img_shapes": [(1, 4, 4)] * 2}
            ),
        ),
        (
            f"{_DIT}.auraflow_transformer_2d:AuraFlowTransformer2DModel",
            {"sample_size": 16, "num_mmdit_layers": 1, "num_single_dit_layers": 1, "attention_head_dim": 8}
            | {"num_attention_heads": 4, "caption_projection_dim": 32, "joint_attention_dim": 32}
            | {"pos_embed_max_size": 256},
            lambda: _dit(2, 4, 16, 16),
        ),
        (
            f"{_DIT}.transformer_hunyuan_video:HunyuanVideoTransformer3DModel",
            _ATTENTION
            | {"in_channels": 4, "out_channels": 4, "num_single_layers": 1, "num_refiner_layers": 1}
            | {"text_embed_dim": 32, "pooled_projection_dim": 8, "rope_axes_dim": (4, 4, 8)},
            lambda: (
                _masked(_dit(2, 4, 2, 8, 8))
                | {"pooled_projections": _noise(2, 8), "guidance": torch.tensor([1.0, 1.0])}
            ),
        ),
        (
            f"{_DIT}.transformer_cogview4:CogView4Transformer2DModel",
            _ATTENTION
            | {"in_channels": 4, "out_channels": 4, "text_embed_dim": 32, "time_embed_dim": 8, "condition_dim": 4}
            | {"rope_axes_dim": (8, 8), "sample_size": 16},
            lambda: (
                _dit(2, 4, 8, 8)
                | {each: torch.tensor([[8, 8]] * 2) for each in ("original_size", "target_size", "crop_coords")}
            ),
        ),
        (
            f"{_DIT}.transformer_lumina2:Lumina2Transformer2DModel",
            {"sample_size": 16, "in_channels": 4, "hidden_size": 24, "num_layers": 1, "num_refiner_layers": 1}
            | {"num_attention_heads": 3, "num_kv_heads": 1, "multiple_of": 2, "axes_dim_rope": (4, 2, 2)}
            | {"axes_lens": (128, 128, 128), "cap_feat_dim": 32},
            lambda: _masked(_dit(2, 4, 16, 16)),
        ),
        (
            f"{_DIT}.transformer_z_image:ZImageTransformer2DModel",
            {"in_channels": 4, "dim": 32, "n_layers": 1, "n_refiner_layers": 1, "n_heads": 2, "n_kv_heads": 2}
            | {"cap_feat_dim": 32, "axes_dims": [8, 4, 4], "axes_lens": [256, 32, 32]},
            lambda: {
                "x": [_noise(4, 1, 8, 8), _noise(4, 1, 8, 8)],
                "t": torch.tensor([0.5, 0.5]),
                "cap_feats": [_noise(7, 32), _noise(7, 32)],
            },
        ),
        (
            f"{_DIT}.latte_transformer_3d:LatteTransformer3DModel",
            _ATTENTION
            | {"in_channels": 4, "sample_size": 8, "patch_size": 2, "norm_type": "ada_norm_single", "video_length": 2}
            | {"caption_channels": 32, "cross_attention_dim": 32, "norm_elementwise_affine": False},
            lambda: _dit(2, 4, 2, 8, 8),
        ),
        (
            f"{_DIT}.prior_transformer:PriorTransformer",
            _ATTENTION | {"embedding_dim": 8, "num_embeddings": 7, "additional_embeddings": 4},
            lambda: {
                "hidden_states": _noise(2, 8),
                "timestep": _STEP,
                "proj_embedding": _noise(2, 8),
                "encoder_hidden_states": _noise(2, 7, 8),
            },
        ),
        (
            f"{_DIT}.stable_audio_transformer:StableAudioDiTModel",
            _ATTENTION
            | {"sample_size": 16, "in_channels": 4, "out_channels": 4, "num_key_value_attention_heads": 2}
            | {"cross_attention_dim": 32, "cross_attention_input_dim": 32, "global_states_input_dim": 8},
            lambda: (
                _dit(2, 4, 16) | {"global_hidden_states": _noise(2, 1, 8), "rotary_embedding": (_noise(17, 8),) * 2}
            ),
        ),
    ]


_SCHEDULERS = """
    ddim:DDIM ddpm:DDPM euler_discrete:EulerDiscrete euler_ancestral_discrete:EulerAncestralDiscrete pndm:PNDM
    dpmsolver_singlestep:DPMSolverSinglestep lms_discrete:LMSDiscrete heun_discrete:HeunDiscrete lcm:LCM tcd:TCD
    unipc_multistep:UniPCMultistep deis_multistep:DEISMultistep k_dpm_2_discrete:KDPM2Discrete sasolver:SASolver
    edm_euler:EDMEuler flow_match_euler_discrete:FlowMatchEulerDiscrete ipndm:IPNDM
    dpmsolver_multistep:DPMSolverMultistep flow_match_heun_discrete:FlowMatchHeunDiscrete
    edm_dpmsolver_multistep:EDMDPMSolverMultistep
""".split()


def _model(entry: str, sizes: dict[str, Any], inputs: Callable[[], dict[str, Any]]) -> Made:
    module, _, name = entry.partition(":")
    return getattr(importlib.import_module(module), name)(**sizes), (), inputs()


def _scheduler(module: str, name: str) -> Made:
    scheduler = getattr(importlib.import_module(module), name)()
    scheduler.set_timesteps(4)
    sample = _noise(2, 4, 8, 8)
    return scheduler.step, (sample, scheduler.timesteps[0], sample), {}


def targets() -> Iterator[tuple[str, Callable[[], Made]]]:
    """Yield each entry with the function that creates it."""
    for entry, sizes, inputs in _models():
        yield entry, functools.partial(_model, entry, sizes, inputs)
    for each in _SCHEDULERS:
        file, _, kind = each.partition(":")
        module, name = f"diffusers.schedulers.scheduling_{file}", f"{kind}Scheduler"
        yield f"{module}:{name}.step", functools.partial(_scheduler, module, name)
