"""Models of transformers that are loaded by the name of a checkpoint."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter
from gblint.knowledge.catalog import load
from gblint.project.environment import Environment
from gblint.project.project import Project

TYPES = {
    "vit": "ViTModel",
    "vits": "VitsModel",
    "dinov3_vit": "DINOv3ViTModel",
    "gemma": "GemmaModel",
    "gemma2": "Gemma2Model",
}
CLASSES = "".join(
    f"class {name}(torch.nn.Module):\n    def forward(self, x):\n        return x\n\n" for name in TYPES.values()
)
LIBRARY = f"""\
from collections import OrderedDict
import torch

{CLASSES}
MODEL_MAPPING_NAMES = OrderedDict({list(TYPES.items())!r})
MODEL_MAPPING = _LazyAutoMapping(CONFIG_MAPPING_NAMES, MODEL_MAPPING_NAMES)

class AutoModel:
    _model_mapping = MODEL_MAPPING

    def __init__(self):
        raise OSError("use from_pretrained")

    @classmethod
    def from_pretrained(cls, name):
        return load_file(name)

    @classmethod
    def from_config(cls, config):
        return look_up(cls._model_mapping, config)(config)

class Gemma2Config:
    model_type = "gemma2"

    def __init__(self, layers=2, **kwargs):
        self.layers = layers

CONFIG_MAPPING_NAMES = OrderedDict([("gemma2", "Gemma2Config")])

class AutoConfig:
    @classmethod
    def for_model(cls, model_type, **kwargs):
        return CONFIG_MAPPING[model_type](**kwargs)
"""

OPTIONS = """
import os
def family(kind="gemma2"):
    return kind
def options():
    given = {}
    if "KIND" in os.environ:
        given["kind"] = os.environ["KIND"]
    return given
"""


@pytest.mark.parametrize(
    ("checkpoint", "expected"),
    [
        ("google/vit-base-patch16-224", "ViTModel"),
        ("facebook/dino-vits16", "ViTModel"),
        ("facebook/dinov3-vits16-pretrain-lvd1689m", "DINOv3ViTModel"),
        ("kakao-enterprise/vits-ljs", "VitsModel"),
        ("google/gemma-2b", "GemmaModel"),
        ("google/gemma-2-9b", "Gemma2Model"),
    ],
)
def test_the_name_of_a_checkpoint_tells_the_type(tmp_path: Path, checkpoint: str, expected: str) -> None:
    assert found(tmp_path, f"AutoModel.from_pretrained({checkpoint!r})") == [f"transformers:{expected}"]


@pytest.mark.parametrize("config", ["Gemma2Config()", "(lambda kind: AutoConfig.for_model(kind, layers=1))('gemma2')"])
def test_a_configuration_tells_the_type(tmp_path: Path, config: str) -> None:
    assert found(tmp_path, f"AutoModel.from_config({config})") == ["transformers:Gemma2Model"]


def test_an_unknown_type_of_configuration_tells_nothing(tmp_path: Path) -> None:
    assert found(tmp_path, "AutoModel.from_config(AutoConfig.for_model('unheard'))") == []


def test_an_option_that_the_environment_may_set_has_its_default(tmp_path: Path) -> None:
    model = "AutoModel.from_config(AutoConfig.for_model(family(**options())))"
    assert found(tmp_path, model, OPTIONS) == ["transformers:Gemma2Model"]


def found(folder: Path, model: str, before: str = "") -> list[str]:
    """Return the names of the compiled models of a script that compiles ``model``, after other statements."""
    site = folder / "site-packages"
    (site / "transformers").mkdir(parents=True)
    (site / "transformers" / "__init__.py").write_text(LIBRARY)
    main = folder / "project" / "main.py"
    main.parent.mkdir()
    main.write_text(f"import torch\nfrom transformers import *\n{before}torch.compile({model})\n")
    environment = Environment(None, (3, 12), (site,))
    interpreter = new_interpreter(Project([main], root=main.parent, environment=environment), load("2.13"), {})
    return [each.point.name for each in find_entries(interpreter, assume="never").entries]
