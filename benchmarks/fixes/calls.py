"""Calls of library functions and modules: how they are created, and arguments that take the recorded path."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


class _Torch:
    """A stand-in for the module torch, which is imported on first use."""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module("torch"), name)


torch: Any = _Torch()
Made = tuple[Any, tuple[Any, ...], dict[str, Any]]
Make = Callable[[], Made]


def _of(entry: str) -> Any:
    """Return the function or class of an entry, or the class that has the method."""
    module, _, name = entry.partition(":")
    return getattr(importlib.import_module(module), name.partition(".")[0])


def _module(entry: str, inputs: Callable[[], tuple[Any, ...]], *args: Any, **settings: Any) -> tuple[str, Make]:
    """Return a call of a module created with some settings, or of the method that the entry names."""

    def make() -> Made:
        made = _of(entry)(*args, **settings)
        method = entry.partition(":")[2].partition(".")[2]
        return getattr(made, method) if method else made, inputs(), {}

    return entry, make


def _function(entry: str, inputs: Callable[[], tuple[Any, ...]], **settings: Any) -> tuple[str, Make]:
    return entry, lambda: (_of(entry), inputs(), settings)


def _optimizer(name: str, **settings: Any) -> tuple[str, Make]:
    """Return a call that runs one step and returns the parameters."""

    def make() -> Made:
        model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Linear(8, 2))
        optimizer = getattr(importlib.import_module("torch_optimizer"), name)(model.parameters(), **settings)
        model(torch.randn(3, 4)).square().sum().backward()

        def step() -> list[Any]:
            optimizer.step()
            return [each.detach().clone() for each in model.parameters()]

        return step, (), {}

    return f"torch_optimizer:{name}.step", make


def _ode(method: str, **options: Any) -> tuple[str, Make]:
    entry = "torchdiffeq._impl.odeint:odeint"

    def make() -> Made:
        slope = torch.nn.Linear(3, 3)
        times = torch.linspace(0.0, 0.3, 3)
        return (
            _of(entry),
            # A method, not ``torch.tanh``: ``torch`` in this file is a stand-in, which would break the graph.
            (lambda t, y: slope(y).tanh(), torch.randn(2, 3), times),
            {"method": method, "rtol": 1e-1, "atol": 1e-1, "options": options or None},
        )

    return entry, make


def _images(*shape: int) -> Callable[[], tuple[Any, ...]]:
    return lambda: (torch.rand(shape),)


def _diffusion() -> Made:
    home = importlib.import_module("denoising_diffusion_pytorch.denoising_diffusion_pytorch")
    unet = home.Unet(8, dim_mults=(1, 2), flash_attn=False)
    diffusion = home.GaussianDiffusion(unet, image_size=16, timesteps=20, sampling_timesteps=3)
    return diffusion.sample, (), {"batch_size": 2}


def _distribution() -> tuple[Any, ...]:
    gpytorch = importlib.import_module("gpytorch")
    return (gpytorch.distributions.MultivariateNormal(torch.zeros(4), torch.eye(4)),)


def _rbf() -> Any:
    return importlib.import_module("gpytorch").kernels.ScaleKernel(
        importlib.import_module("gpytorch").kernels.RBFKernel()
    )


def _extractor() -> Made:
    vit = _of("vit_pytorch.vit:ViT")(**_VIT)
    return _of("vit_pytorch.extractor:Extractor")(vit), (torch.randn(2, 3, 16, 16),), {}


def _dropping_layers() -> Made:
    home = importlib.import_module("x_transformers.x_transformers")
    layers = home.Decoder(dim=16, depth=2, heads=2, attn_dim_head=8, layer_dropout=0.3)
    model = home.TransformerWrapper(num_tokens=32, max_seq_len=16, attn_layers=layers)
    return model, (torch.randint(0, 32, (2, 8)),), {}


def _two() -> tuple[Any, ...]:
    """Return the same points twice, as a kernel gets them from training data."""
    points = torch.randn(5, 2)
    return points, points.clone()


def _system() -> tuple[Any, ...]:
    root = torch.randn(6, 6)
    return (root @ root.mT + 6 * torch.eye(6)).matmul, torch.randn(6, 2)


def _boxes() -> tuple[Any, ...]:
    corners = torch.rand(6, 2) * 10
    return torch.cat([corners, corners + torch.rand(6, 2) * 10 + 1], 1), torch.rand(6), 0.3


def _pipeline(scheduler: str) -> tuple[str, Make]:
    """Return a call of Stable Diffusion with small parts, from prompt embeddings to images."""
    home = "diffusers.pipelines.stable_diffusion.pipeline_stable_diffusion:StableDiffusionPipeline"

    def make() -> Made:
        diffusers = importlib.import_module("diffusers")
        blocks = {"block_out_channels": (8, 16), "layers_per_block": 1, "norm_num_groups": 4}
        unet = diffusers.UNet2DConditionModel(
            **blocks,
            sample_size=8,
            cross_attention_dim=16,
            attention_head_dim=4,
            down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
            up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        )
        vae = diffusers.AutoencoderKL(
            **blocks, down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2
        )
        steps = getattr(diffusers, scheduler)()
        given = dict.fromkeys(("text_encoder", "tokenizer", "safety_checker", "feature_extractor"))
        pipeline = _of(home)(vae=vae, unet=unet, scheduler=steps, requires_safety_checker=False, **given)
        prompts = {name: torch.randn(1, 7, 16) for name in ("prompt_embeds", "negative_prompt_embeds")}
        return pipeline.__call__, (), {**prompts, "num_inference_steps": 3, "output_type": "pil"}

    return f"{home}.__call__", make


def _generation() -> Made:
    home = importlib.import_module("transformers.models.t5.modeling_t5")
    sizes = {"vocab_size": 64, "d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 2, "num_heads": 2}
    config = importlib.import_module("transformers").T5Config(**sizes, decoder_start_token_id=0)
    model = home.T5ForConditionalGeneration(config).eval()
    return model.generate, (), {"input_ids": torch.randint(5, 60, (2, 7)), "max_new_tokens": 4, "do_sample": False}


# These models import torchvision, but nothing here calls it.
WITHOUT_TORCHVISION = ("denoising_diffusion_pytorch", "vit_pytorch")
_VIT = {"image_size": 16, "patch_size": 4, "num_classes": 3, "dim": 16, "depth": 2, "heads": 2, "mlp_dim": 16}
_KERNELS = "gpytorch.kernels"
_CALLS: list[tuple[str, Make]] = [
    _module("demucs.demucs:BLSTM", _images(2, 4, 20), 4, layers=1, max_steps=8, skip=True),
    _module("demucs.demucs:DConv", _images(2, 8, 20), 8, lstm=True),
    _module("demucs.demucs:Demucs", _images(1, 2, 2048), ["drums", "bass"], channels=4, depth=2, lstm_layers=1),
    _module("demucs.augment:Remix", _images(4, 2, 2, 8), proba=0.5, group_size=2),
    _module("demucs.augment:Scale", _images(4, 2, 2, 8), proba=0.5),
    ("denoising_diffusion_pytorch.denoising_diffusion_pytorch:GaussianDiffusion.sample", _diffusion),
    _module("gpytorch.likelihoods.gaussian_likelihood:GaussianLikelihood", _distribution),
    _module(
        f"{_KERNELS}.hamming_kernel:HammingIMQKernel.forward",
        lambda: (torch.eye(3)[[0, 1, 2, 0]].view(2, 6), torch.eye(3)[[0, 1, 2, 0]].view(2, 6)),
        vocab_size=3,
    ),
    _module(f"{_KERNELS}.matern_kernel:MaternKernel.forward", _two, nu=2.5),
    _module(f"{_KERNELS}.piecewise_polynomial_kernel:PiecewisePolynomialKernel.forward", _two),
    _module(f"{_KERNELS}.rbf_kernel:RBFKernel.forward", _two),
    _module(f"{_KERNELS}.rff_kernel:RFFKernel.forward", _two, num_samples=3, num_dims=2),
    _module(f"{_KERNELS}.rq_kernel:RQKernel.forward", _two),
    (f"{_KERNELS}.scale_kernel:ScaleKernel", lambda: (_rbf(), _two(), {})),
    _function("linear_operator.utils.linear_cg:linear_cg", _system, max_iter=20),
    _function("gpytorch.functions:log_normal_cdf", lambda: (torch.tensor([-8.0, -2.0, -0.01, 0.0, 0.02, 1.0, 3.0]),)),
    _module(
        "kornia.augmentation._2d.intensity.color_jitter:ColorJitter", _images(2, 3, 8, 8), 0.3, 0.3, 0.3, 0.1, p=1.0
    ),
    _module("kornia.feature.disk.disk:DISK", _images(1, 3, 32, 32), desc_dim=8),
    _function("kornia.filters.canny:canny", _images(1, 3, 16, 16)),
    _function(
        "kornia.contrib.histogram_matching:histogram_matching",
        lambda: ((torch.rand(8, 8) * 9).round(), (torch.rand(8, 8) * 9).round()),
    ),
    _function("kornia.feature.matching:match_snn", lambda: (torch.randn(6, 8), torch.randn(7, 8)), th=0.95),
    _function("kornia.geometry.bbox:nms", _boxes),
    _module(
        "monai.losses.unified_focal_loss:AsymmetricUnifiedFocalLoss",
        lambda: (torch.rand(1, 2, 8, 8), torch.randint(0, 2, (1, 1, 8, 8))),
        to_onehot_y=True,
    ),
    _module(
        "monai.losses.focal_loss:FocalLoss",
        lambda: (torch.randn(2, 3, 8, 8), torch.randint(0, 3, (2, 1, 8, 8))),
        to_onehot_y=True,
        weight=(0.5, 1.0, 1.5),
    ),
    _module("monai.networks.layers.simplelayers:GaussianFilter", _images(1, 1, 8, 8), 2, 0.7),
    _module(
        "monai.losses.tversky:TverskyLoss",
        lambda: (torch.rand(2, 1, 8, 8), torch.randint(0, 2, (2, 1, 8, 8)).float()),
        sigmoid=True,
    ),
    _module("monai.networks.blocks.warp:Warp", lambda: (torch.rand(1, 1, 8, 8), torch.rand(1, 2, 8, 8))),
    (
        "monai.inferers.utils:sliding_window_inference",
        lambda: (
            _of("monai.inferers.utils:sliding_window_inference"),
            (torch.rand(1, 1, 12, 12), (8, 8), 2, torch.nn.Conv2d(1, 1, 3, padding=1)),
            {},
        ),
    ),
    *(_optimizer(name) for name in ("AccSGD", "AdamP", "Lamb", "NovoGrad", "SWATS", "Shampoo")),
    *(_ode(method) for method in ("dopri5", "explicit_adams", "rk4")),
    _ode("midpoint", step_size=0.1),
    ("vit_pytorch.extractor:Extractor", _extractor),
    _module("vit_pytorch.na_vit:NaViT", lambda: ([torch.randn(3, 16, 16), torch.randn(3, 8, 16)],), **_VIT),
    _module("vit_pytorch.ats_vit:ViT", _images(2, 3, 16, 16), **_VIT, max_tokens_per_depth=(8, 4)),
    ("x_transformers.x_transformers:TransformerWrapper", _dropping_layers),
    *(_pipeline(each) for each in ("DPMSolverMultistepScheduler", "EulerDiscreteScheduler", "DDIMScheduler")),
    ("transformers.models.t5.modeling_t5:T5ForConditionalGeneration.generate", _generation),
]

CALLS: dict[str, list[Make]] = {}
for _entry, _make in _CALLS:
    CALLS.setdefault(_entry, []).append(_make)
