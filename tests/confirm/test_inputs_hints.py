"""Static hints from the sources; torch is not imported."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

import pytest

from gblint.confirm.inputs import shapes, signature_docs
from gblint.confirm.inputs.call_sites import code_in
from gblint.confirm.inputs.static_hints import gather
from gblint.confirm.inputs.target_facts import CallSite, Hints, Parameter
from gblint.confirm.inputs.values import CallInputs, GroupInput, PlainInput, TensorInput, TextInput, split_inputs
from gblint.project.project import Project

NET = '''"""A model.

>>> net = Net(8)
>>> net(torch.randn(1, 8))
"""
import torch
from torch import nn


class Base(nn.Module):
    def __init__(self, dim: int, *, heads=4):
        super().__init__()
        self.fc = nn.Linear(dim, dim)


class Net(Base):
    def forward(self, x: "Float[Tensor, 'b dim']", mask=None):
        return self.fc(x)

    def encode(self, x):
        return x


def loss(pred, target, reduction="mean"):
    if reduction not in ("mean", "sum"):
        raise ValueError(reduction)
    return (pred - target).abs()
'''


def hints(tmp_path: Path, files: dict[str, str], entry: str = "pkg.net:Net") -> Hints:
    (tmp_path / "pkg").mkdir()
    for name, text in {"pyproject.toml": "", "pkg/__init__.py": "", "pkg/net.py": NET, **files}.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    found = gather(Project([tmp_path / "pkg"], root=tmp_path), entry)
    assert Hints.from_json(json.loads(json.dumps(found.as_json()))) == found
    return found


def called(site: CallSite) -> tuple[str, tuple[str, ...] | None, dict[str, str]]:
    return site.init, site.args, dict(site.kwargs)


def test_a_test_shows_construction_and_call(tmp_path: Path) -> None:
    test = """
import torch
from pkg.net import Net as Model

WIDTH = 16

def test_net():
    batch, width = 2, WIDTH
    model = Model(width, heads=2).to("cpu").eval()
    x = torch.randn(batch, width)
    kwargs = {"mask": torch.ones(batch).bool()}
    assert model(x, **kwargs) is not None
"""
    site = hints(tmp_path, {"tests/test_net.py": test}).sites[0]
    assert called(site) == ("Net(16, heads=2)", ("torch.randn(2, 16)",), {"mask": "torch.ones(2).bool()"})
    assert site.where == "test"
    assert {each.name for each in site.imports} >= {"torch", "Net"}


def test_parametrize_fixtures_and_test_cases(tmp_path: Path) -> None:
    test = """
import pytest, torch, unittest
import pkg.net
from pkg.net import Net

@pytest.fixture
def image():
    return torch.zeros(3, 8)

@pytest.mark.parametrize("dim, heads", [(8, 2), (16, 4)])
def test_fixture(image, dim, heads):
    net = torch.compile(Net(dim, heads=heads))
    net(image)

class TestNet(unittest.TestCase):
    def setUp(self):
        self.net = Net(4)
        self.x = torch.zeros(1, 4)

    def test_it(self):
        self.net(self.x)
        self.net.encode(self.x)
"""
    sites = hints(tmp_path, {"tests/test_net.py": test}).sites
    found = [(called(site), site.method) for site in sites]
    assert (("Net(8, heads=2)", ("torch.zeros(3, 8)",), {}), "") in found
    assert (("Net(4)", ("torch.zeros(1, 4)",), {}), "") in found
    assert (("Net(4)", ("torch.zeros(1, 4)",), {}), "encode") in found


def test_main_blocks_docstrings_and_the_readme(tmp_path: Path) -> None:
    script = """
import torch
if __name__ == "__main__":
    from pkg.net import Net
    net = Net(32)
    out = net(torch.randn(5, 32))
"""
    readme = (
        "# Net\n\n```python\nimport torch\nfrom pkg import Net\nmodel = Net(dim=64)\nmodel(torch.randn(7, 64))\n```\n"
    )
    sites = hints(tmp_path, {"scripts/run.py": script, "README.md": readme}).sites
    assert {(site.where, site.init, site.args) for site in sites if site.args is not None} == {
        ("script", "Net(32)", ("torch.randn(5, 32)",)),
        ("docstring", "Net(8)", ("torch.randn(1, 8)",)),
        ("readme", "Net(dim=64)", ("torch.randn(7, 64)",)),
    }


def test_unknown_names_and_downloads_are_no_call_sites(tmp_path: Path) -> None:
    script = """
import torch
from pkg.net import Net
from other import Net as Another

def main(args):
    Net(args.dim)(torch.randn(1))
    Net(3)(torch.load("batch.pt"))
    Another(3)(torch.randn(1))
    for dim in range(3):
        Net(dim)
"""
    sites = [site for site in hints(tmp_path, {"scripts/run.py": script}).sites if site.where == "script"]
    assert [called(site) for site in sites] == [("Net(3)", None, {})]


def test_a_function_is_called_by_its_name(tmp_path: Path) -> None:
    script = """
import torch
from pkg import net
net.loss(torch.ones(2), target=torch.zeros(2))
from pkg.net import loss
loss(1, 2)
"""
    found = hints(tmp_path, {"scripts/run.py": script}, "pkg.net:loss")
    assert [each.name for each in found.call] == ["pred", "target", "reduction"]
    assert found.call[2].choices == ("mean", "sum")
    assert ("1", "2") in [site.args for site in found.sites]


def test_the_constructor_of_a_base_class(tmp_path: Path) -> None:
    found = hints(tmp_path, {})
    assert [(each.name, each.annotation, each.required) for each in found.init] == [
        ("dim", "int", True),
        ("heads", "", False),
    ]
    assert found.call[0].shapes[0].dims == ("b", "dim")
    assert found.call[1].default == "None"


def test_an_unknown_entry_has_no_hints(tmp_path: Path) -> None:
    assert hints(tmp_path, {}, "pkg.net:Nothing") == Hints("pkg.net:Nothing")


def test_gathering_imports_nothing(tmp_path: Path) -> None:
    before = set(sys.modules)
    hints(tmp_path, {"pkg/bad.py": "raise SystemExit\n"})
    assert not {name for name in set(sys.modules) - before if name.startswith(("pkg", "torch"))}


@pytest.mark.parametrize(
    ("text", "dims"),
    [
        ("input of shape (B, C, H, W)", ("B", "C", "H", "W")),
        ("tensor of shape [batch, seq_len, dim]", ("batch", "seq_len", "dim")),
        ("boxes (Tensor[N, 4]): the boxes", ("N", "4")),
        ("B x C x H x W", ("B", "C", "H", "W")),
        (":math:`(N, C, L)`", ("N", "C", "L")),
        ("shape (B, H*W, C)", ("B", "H*W", "C")),
        ("(optional, default)", None),
        ("a number (int)", None),
    ],
)
def test_shapes_in_text(text: str, dims: tuple[str, ...] | None) -> None:
    found = [shape.dims for shape in shapes.in_text(text, "docstring")]
    assert found[:1] == ([dims] if dims else [])


@pytest.mark.parametrize(
    ("annotation", "dims", "dtype"),
    [
        ('Float[Tensor, "b c h w"]', ("b", "c", "h", "w"), "float32"),
        ('Int[torch.Tensor, "batch seq"]', ("batch", "seq"), "int64"),
        ('TensorType["batch", 4]', ("batch", "4"), ""),
    ],
)
def test_shapes_in_annotations(annotation: str, dims: tuple[str, ...], dtype: str) -> None:
    assert [(shape.dims, shape.dtype) for shape in shapes.in_annotation(annotation)] == [(dims, dtype)]


def described(source: str) -> dict[str, Parameter]:
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    return {each.name: each for each in signature_docs.parameters(function, source)}


def test_uses_of_parameters() -> None:
    found = described('''
def forward(self, x, y, batch, cfg, mode, feats, src, tokens):
    """Does something.

    Args:
        y (torch.LongTensor): ids of shape (batch, n).
    """
    # src = [src len, batch size]
    b, c, h, w = x.shape
    z = rearrange(tokens, "b (h w) c -> b c h w", h=4)
    x = cfg.scale * batch["image"] + batch["depth"]
    n = x.keys
    if mode == "train":
        assert y.ndim == 2
    for each in feats:
        x = x + each
    return x
''')
    assert found["x"].shapes[0].dims == ("b", "c", "h", "w")
    assert found["x"].attributes == ()
    assert {shape.dims for shape in found["y"].shapes} == {("batch", "n"), ("?", "?")}
    assert found["y"].shapes[0].dtype == "int64"
    assert found["batch"].keys == ("image", "depth")
    assert found["cfg"].attributes == ("scale",)
    assert found["mode"].choices == ("train",)
    assert found["feats"].iterated
    assert found["src"].shapes[0].dims == ("src_len", "batch_size")
    assert found["tokens"].shapes[0].dims == ("b", "(h w)", "c")


@pytest.mark.parametrize(
    "doc",
    [
        "Args:\n    x (Tensor): of shape (B, C).\n        More of it.\n    y: nothing",
        "Parameters\n----------\nx : torch.Tensor\n    Of shape (B, C).\ny : int",
        "Does.\n\n:param x: shape (B, C)\n:param y: nothing",
        "x: (B, C)",
        "Inputs:\n    - **x** (`torch.Tensor` of shape `(B, C)`): what goes in\n",
    ],
)
def test_docstring_styles(doc: str) -> None:
    assert [shape.dims for shape in shapes.in_text(signature_docs.doc_entry(doc, "x"), "docstring")][:1] == [("B", "C")]


def test_code_in_docstrings() -> None:
    assert code_in("Example::\n\n    net = Net()\n    net(1)\n\nEnd.").strip() == "net = Net()\nnet(1)"
    assert code_in("```python\nnet = Net()\n```") == "net = Net()\n"
    assert code_in(">>> net = Net(\n...     3)\n4\n") == "net = Net(\n    3)"


def test_specs_equal_their_expressions() -> None:
    call = CallInputs(("x", "mask"), (TensorInput((2, 3)), TensorInput((2,), "bool", "ones")), 1)
    assert call.arguments() == "torch.randn(2, 3), mask=torch.ones(2, dtype=torch.bool)"
    assert call.inputs() == "((torch.randn(2, 3),), {'mask': torch.ones(2, dtype=torch.bool)})"
    assert call.drop("x").inputs() == "{'mask': torch.ones(2, dtype=torch.bool)}"
    assert TensorInput((4,), "int64", "integers", 7).source() == "torch.randint(0, 7, (4,))"
    assert TensorInput((2,), "int64", "full", 5).source() == "torch.full((2,), 5, dtype=torch.int64)"
    assert GroupInput("tuple", (PlainInput(1),)).source() == "(1,)"
    assert GroupInput("call", (PlainInput(1), TextInput("f")), ("", "b"), "A").source() == "A(1, b=f)"
    nested = CallInputs(("x",), (GroupInput("list", (TensorInput((2,)), PlainInput(3))),), 1)
    assert [path for path, _ in nested.leaves()] == [("x", 0), ("x", 1)]
    assert nested.replaced(("x", 1), PlainInput(4)).arguments() == "[torch.randn(2), 4]"


@pytest.mark.parametrize(
    ("value", "args", "kwargs"),
    [
        ((1, 2), (1, 2), {}),
        ({"a": 1}, (), {"a": 1}),
        (((1,), {"a": 2}), (1,), {"a": 2}),
        (({"a": 1},), ({"a": 1},), {}),
        (3, (3,), {}),
    ],
)
def test_inputs_round_trip(value: object, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
    assert split_inputs(value) == (args, kwargs)
