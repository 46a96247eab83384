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
    site = tmp_path / "site-packages"
    (site / "transformers").mkdir(parents=True)
    (site / "transformers" / "__init__.py").write_text(LIBRARY)
    main = tmp_path / "project" / "main.py"
    main.parent.mkdir()
    main.write_text(
        f"import torch\nfrom transformers import AutoModel\ntorch.compile(AutoModel.from_pretrained({checkpoint!r}))\n"
    )
    environment = Environment(None, (3, 12), (site,))
    interpreter = new_interpreter(Project([main], root=main.parent, environment=environment), load("2.13"), {})
    found = find_entries(interpreter, assume="never").entries
    assert [each.point.name for each in found] == [f"transformers:{expected}"]
