"""Search for inputs of small modules in the style of public code."""

from __future__ import annotations

import ast
import importlib.util
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gblint.confirm.inputs.search import FoundCall, SearchFailure, find_call  # noqa: E402
from gblint.confirm.inputs.target_facts import CallSite, Hints, Imported  # noqa: E402
from gblint.confirm.inputs.values import split_inputs  # noqa: E402

MODULES = Path(__file__).with_name("modules")
ENTRIES = {
    "anchor_targets": "assign_targets",
    "audio_net": "WaveEncoder",
    "config_model": "GPT",
    "contrastive_loss": "SupConLoss",
    "conv_net": "SmallResNet",
    "detection_head": "FCOSHead",
    "dict_batch": "ClickModel",
    "diffusion_block": "TinyUNet",
    "encoder": "TransformerClassifier",
    "feature_pyramid": "FPN",
    "forecaster": "DLinearForecaster",
    "functional": "soft_nms",
    "gan_discriminator": "ProjectionDiscriminator",
    "gated_graph": "GCN",
    "graph_net": "GraphSAGE",
    "keyword_only": "FiLMGenerator",
    "masked_decoder": "Decoder",
    "memory_network": "MemN2N",
    "moe": "SparseMoE",
    "multimodal": "CaptionModel",
    "named_tuple_input": "ActorCritic",
    "neural_ode": "ODEBlock",
    "ohem_loss": "OhemCrossEntropy",
    "optional_masks": "RelativeAttention",
    "packed_rnn": "BiLSTMTagger",
    "point_net": "PointNetSeg",
    "reversible_blocks": "ReversibleSequence",
    "rope_attention": "LlamaAttention",
    "seq2seq": "Seq2Seq",
    "spectral": "FNO2d",
    "speech_ctc": "CTCModel",
    "unet3d": "UNet3D",
    "vae": "VAE",
    "vector_quantizer": "VectorQuantizer",
    "video_transformer": "VideoTransformer",
    "window_block": "SwinBlock",
}


@pytest.fixture
def load() -> Iterator[Any]:
    names: list[str] = []

    def load_module(name: str, path: Path) -> ModuleType:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        names.append(name)
        spec.loader.exec_module(module)
        return module

    yield load_module
    for name in names:
        del sys.modules[name]


def run(call: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    with torch.no_grad():
        return call(*args, **kwargs)


def test_every_module_has_an_entry() -> None:
    assert sorted(ENTRIES) == sorted(path.stem for path in MODULES.glob("*.py"))


@pytest.mark.parametrize("name", ENTRIES)
def test_inputs_are_found_and_their_expressions_rebuild_them(name: str, load: Any) -> None:
    module = load(f"gblint_sample_{name}", MODULES / f"{name}.py")
    found = find_call(getattr(module, ENTRIES[name]), None, run, seconds=60)
    assert isinstance(found, FoundCall), found
    run(found.call, found.args, found.kwargs)
    names = {**vars(module), "torch": torch}
    call = eval(found.init, names) if found.init else getattr(module, ENTRIES[name])
    args, kwargs = split_inputs(eval(found.inputs, names))
    run(call, args, kwargs)
    assert all(each.numel() <= 1 << 20 for each in _tensors([*args, *kwargs.values()]))


def _tensors(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)
        elif isinstance(value, dict):
            yield from _tensors(value.values())


def test_the_same_target_gets_the_same_call(load: Any) -> None:
    module = load("gblint_sample_again", MODULES / "named_tuple_input.py")
    first, second = (find_call(module.ActorCritic, None, run, seconds=60) for _ in range(2))
    assert isinstance(first, FoundCall)
    assert isinstance(second, FoundCall)
    assert (first.init, first.inputs, first.tries) == (second.init, second.inputs, second.tries)


def test_a_call_site_of_the_project_comes_first(load: Any) -> None:
    module = load("gblint_sample_site", MODULES / "encoder.py")
    site = CallSite(
        init="TransformerClassifier(50, 16, 2, 1, 3)",
        args=("torch.randint(0, 50, (3, 7))",),
        kwargs=(("src_key_padding_mask", "torch.zeros(3, 7).bool()"),),
        imports=(Imported("torch", "torch"),),
        where="test",
        path="tests/test_encoder.py",
        line=1,
    )
    found = find_call(module.TransformerClassifier, Hints(sites=(site,)), run, seconds=30)
    assert isinstance(found, FoundCall)
    assert found.init == site.init
    assert found.inputs == ("((torch.randint(0, 50, (3, 7)),), {'src_key_padding_mask': torch.zeros(3, 7).bool()})")


def test_a_call_site_that_fails_is_skipped(load: Any) -> None:
    module = load("gblint_sample_stale", MODULES / "encoder.py")
    site = CallSite("TransformerClassifier(nothing=1)", ("load_batch()",), (), (), "script", "train.py", 1)
    found = find_call(module.TransformerClassifier, Hints(sites=(site,)), run, seconds=30)
    assert isinstance(found, FoundCall)


def test_a_method_is_called_on_an_instance(load: Any) -> None:
    module = load("gblint_sample_method", MODULES / "vae.py")
    found = find_call(module.VAE.decode, None, run, seconds=30)
    assert isinstance(found, FoundCall)
    assert found.method == "decode"
    assert found.args[0].shape[-1] == found.call.__self__.latent_dim


def test_an_instance_needs_no_constructor(load: Any) -> None:
    module = load("gblint_sample_instance", MODULES / "spectral.py")
    found = find_call(module.FNO2d(4, 8), None, run, seconds=30)
    assert isinstance(found, FoundCall)
    assert found.init == ""


def test_a_failed_search_writes_a_stub(tmp_path: Path, load: Any) -> None:
    path = tmp_path / "hard.py"
    path.write_text(
        "import torch\n"
        "class Net(torch.nn.Module):\n"
        "    def __init__(self, dim: int):\n"
        "        super().__init__()\n"
        "        self.fc = torch.nn.Linear(dim, 2)\n"
        "    def forward(self, x, key: str):\n"
        "        '''x: (batch, dim)'''\n"
        "        if key != 'open' + 'sesame':\n"
        "            raise PermissionError('not with this key')\n"
        "        return self.fc(x)\n"
    )
    module = load("gblint_sample_hard", path)
    began = time.monotonic()
    given_up = find_call(module.Net, None, run, seconds=2)
    assert time.monotonic() - began < 8
    assert isinstance(given_up, SearchFailure)
    assert "not with this key" in given_up.reason
    tree = ast.parse(given_up.stub)
    assert any(isinstance(node, ast.FunctionDef) and node.name == "make" for node in tree.body)
    assert "return model, args, kwargs" in given_up.stub
    assert "(batch, dim)" in given_up.stub
    names: dict[str, Any] = {}
    exec(compile(given_up.stub, "stub.py", "exec"), names)
    model, _, _ = names["make"]()
    assert isinstance(model, module.Net)


def test_a_call_that_never_ends_is_stopped(tmp_path: Path, load: Any) -> None:
    path = tmp_path / "endless.py"
    path.write_text("import torch\ndef f(x):\n    while True:\n        x = torch.relu(x)\n")
    module = load("gblint_sample_endless", path)
    began = time.monotonic()
    assert isinstance(find_call(module.f, None, run, seconds=2), SearchFailure)
    assert time.monotonic() - began < 8
