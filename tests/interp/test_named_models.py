"""Models that a library chooses by a name, and functions of torch that return the module they are given."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter
from gblint.knowledge.catalog import load
from gblint.project.project import Project
from tests.interp.snippets import breaks, run_whole
from tests.interp.test_compiled_entries import HEAD, found

TIMM = {
    "__init__.py": "from .models import create_model\n",
    "models/__init__.py": "from ._factory import create_model\nfrom .resnet import *\n",
    "models/_factory.py": """\
def create_model(model_name, pretrained=False, checkpoint_path=None, **kwargs):
    return _entrypoints[model_name](pretrained=pretrained, **kwargs)
""",
    "models/resnet.py": """\
import torch

__all__ = ["ResNet"]

class ResNet(torch.nn.Module):
    def forward(self, x):
        return x

def _create(variant, pretrained, **kwargs):
    if pretrained:
        raise OSError
    return ResNet()

@register_model
def resnet18(pretrained=False, **kwargs) -> ResNet:
    return _create("resnet18", pretrained, **kwargs)
""",
}


@pytest.mark.parametrize(
    ("call", "known"),
    [
        ('timm.create_model("resnet18")', True),
        ('timm.create_model("hf_hub:timm/resnet18.a1_in1k", pretrained=True, num_classes=3)', True),
        ("timm.create_model(model_name=NAME, checkpoint_path='x')", True),
        ("timm.create_model(args.model)", None),
        ('timm.create_model("resnet19")', False),
        ("timm.create_model(open('name').read())", False),
    ],
)
def test_model_of_timm(tmp_path: Path, call: str, known: bool | None) -> None:
    for name, text in TIMM.items():
        place = tmp_path / "site" / "timm" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    source = f"""\
import argparse
import timm
import torch

NAME = "resnet18"

def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="resnet18")
    return parser.parse_args()

args = parse()
model = {call}
torch.compile(model)
"""
    (tmp_path / "main.py").write_text(source)
    project = Project([tmp_path / "main.py"], root=tmp_path, src=[tmp_path / "site"], follow=["timm"])
    search = find_entries(new_interpreter(project, load("2.13"), {}), assume="never")
    names = [each.point.name for each in search.entries]
    assert names == ([] if known is False else ["timm.models.resnet:ResNet"])
    # The default of an option is one of several names.
    assert [each.partly for each in search.unresolved] == ([] if known else [known is None])


CHANGED = [
    "nn.utils.weight_norm(part)",
    "nn.utils.spectral_norm(part)",
    "nn.utils.remove_weight_norm(nn.utils.weight_norm(part))",
    "nn.utils.skip_init(nn.Linear, 3, 3)",
    "nn.utils.parametrizations.weight_norm(part)",
    "nn.utils.parametrizations.spectral_norm(part)",
    "nn.utils.parametrizations.orthogonal(part)",
    "parametrize.register_parametrization(part, 'weight', nn.Identity())",
    "parametrize.remove_parametrizations(nn.utils.parametrizations.weight_norm(part), 'weight')",
    "nn.utils.fuse_linear_bn_eval(part.eval(), nn.BatchNorm1d(3).eval())",
    "prune.l1_unstructured(part, 'weight', amount=0.3)",
    "prune.remove(prune.identity(part, 'weight'), 'weight')",
]
NET = """\
from torch.nn.utils import parametrize, prune

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        part = nn.Linear(3, 3)
        self.part = {expression}

    def forward(self, x):
        return self.part(x)

net = Net()
"""


@pytest.mark.parametrize("expression", CHANGED)
def test_changed_part_is_known(tmp_path: Path, expression: str) -> None:
    (tmp_path / "m.py").write_text(f"{HEAD}{NET.format(expression=expression)}torch.compile(net)\n")
    search = find_entries(new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {}), assume="never")
    assert [each.point.name for each in search.entries] == ["m:Net"]
    assert search.unresolved == []


@pytest.mark.parametrize("expression", CHANGED)
def test_dynamo_compiles_the_changed_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expression: str) -> None:
    source = f"{HEAD}{NET.format(expression=expression)}def batch(x):\n    return net(x.reshape(1, 3))\n"
    run_whole(tmp_path, monkeypatch, source, "batch")


def test_skipped_initialisation_of_a_class_of_the_project(tmp_path: Path) -> None:
    assert found(tmp_path, "torch.compile(nn.utils.skip_init(A))\n") == {"A"}


def test_skipped_initialisation_in_a_region_breaks() -> None:
    source = """
    import torch
    from torch import nn

    def f(x: torch.Tensor):
        return nn.utils.skip_init(nn.Linear, 3, 3)(x)
    """
    assert breaks(source, "f") == [(6, "call")]
