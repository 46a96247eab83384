"""Arguments of constructors from the project's configuration files."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from gblint.entrypoints.search import EntrySearch, find_entries
from gblint.interp import Interpreter, new_interpreter, trace
from gblint.interp.domain import configured_objects
from gblint.knowledge.catalog import load
from gblint.project.project import Project

NETS = """
    import torch
    from torch import nn

    class Encoder(nn.Module):
        def __init__(self, trunk, depth=2):
            super().__init__()
            self.trunk, self.depth = trunk, depth

        def forward(self, x):
            return self.trunk(x)

    class Trunk(nn.Module):
        def forward(self, x):
            return x

    class Net(nn.Module):
        def __init__(self, encoder, parts=None):
            super().__init__()
            self.encoder, self.parts = encoder, parts
            self.encoder.forward = torch.compile(self.encoder.forward)

    class Video(Net):
        def __init__(self, size=3, **kwargs):
            super().__init__(**kwargs)

        def compile(self):
            torch.compile(self.encoder.trunk)
            for part in self.parts:
                part.compile()
    """
MAIN = "from hydra.utils import instantiate\ndef main(cfg):\n    return instantiate(cfg.model)\n"


def searched(folder: Path) -> tuple[Interpreter, EntrySearch]:
    """Return the search for the entry points of the project in a folder, and its interpreter."""
    interp = new_interpreter(Project([folder], root=folder), load("2.13"), {})
    return interp, find_entries(interp, assume="never")


def compiled(tmp_path: Path, main: str = MAIN, **configurations: str) -> list[str]:
    """Return the names of what a project with these configuration files compiles."""
    (tmp_path / "nets.py").write_text(dedent(NETS))
    (tmp_path / "train.py").write_text(main)
    for name, text in configurations.items():
        (tmp_path / f"{name}.yaml").write_text(dedent(text))
    return sorted({entry.point.name for entry in searched(tmp_path)[1].entries})


HYDRA = """
    model:
      _target_: nets.Net
      encoder:
        _target_: nets.Encoder
        trunk:
          _target_: nets.Trunk
      parts:
        - _target_: nets.Trunk
        - _target_: nets.Encoder
          trunk: null
    """
OTHER_FORMS = {
    "torchtune": "model:\n  _component_: nets.Net\n  encoder:\n    _component_: nets.Encoder\n",
    "lightning": "model:\n  class_path: nets.Net\n  init_args:\n    encoder:\n      class_path: nets.Encoder\n",
    "diffusion": "model:\n  target: nets.Net\n  params:\n    encoder:\n      target: nets.Encoder\n",
}


def test_nested_objects(tmp_path: Path) -> None:
    expected = ["nets:Encoder", "nets:Encoder.forward", "nets:Trunk"]
    assert compiled(tmp_path, base=HYDRA) == expected


@pytest.mark.parametrize("form", OTHER_FORMS)
def test_other_forms(tmp_path: Path, form: str) -> None:
    assert "nets:Encoder.forward" in compiled(tmp_path, base=OTHER_FORMS[form])


def test_all_files_count(tmp_path: Path) -> None:
    other = "model:\n  _target_: nets.Net\n  encoder:\n    _target_: nets.Trunk\n"
    found = compiled(tmp_path, base=HYDRA, small=other)
    assert {"nets:Encoder.forward", "nets:Trunk.forward"} <= set(found)


@pytest.mark.parametrize(
    "text",
    [
        "model: [",
        "model:\n  _target_: nets.Net\n  encoder: ${encoder}\n",
        "model:\n  _target_: nets.Net\n  encoder:\n    _target_: other.Encoder\n",
        "model:\n  _target_: other.Net\n  encoder:\n    _target_: nets.Encoder\n",
        "model:\n  _target_: nets.Net\n  _partial_: true\n  encoder:\n    _target_: nets.Encoder\n",
    ],
)
def test_unknown_objects(tmp_path: Path, text: str) -> None:
    assert compiled(tmp_path, base=text) == []


def test_code_that_reads_no_configuration(tmp_path: Path) -> None:
    assert compiled(tmp_path, "print('nothing is read')\n", base=HYDRA) == []


def test_class_within_itself(tmp_path: Path) -> None:
    text = "model:\n  _target_: nets.Net\n  encoder:\n    _target_: nets.Net\n    encoder: null\n"
    assert compiled(tmp_path, base=text) == []


def test_bound_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(configured_objects, "MAX_FILES_PER_CLASS", 1)
    empty = "model:\n  _target_: nets.Net\n"
    assert compiled(tmp_path, base=empty, other=HYDRA) == []


def test_constants_are_what_is_usual(tmp_path: Path) -> None:
    """A flag that a configuration sets decides how far a line is reached, and hides no other one."""
    (tmp_path / "nets.py").write_text(
        dedent(
            """
            import torch
            from torch import nn

            class Net(nn.Module):
                def __init__(self, debug, sizes):
                    super().__init__()
                    self.debug, self.sizes = debug, sizes

                def forward(self, x):
                    if self.debug:
                        print("debug")
                    else:
                        torch._dynamo.graph_break()
                    return x
            """
        )
    )
    main = "import torch\nfrom nets import Net\n" + MAIN + "def run(net: Net):\n    torch.compile(net)(torch.ones(3))\n"
    (tmp_path / "train.py").write_text(main)
    (tmp_path / "conf.yaml").write_text("model:\n  _target_: nets.Net\n  debug: false\n  sizes: [1, 2]\n")
    interp, search = searched(tmp_path)
    found = trace(interp, search.entries)
    assert sorted((each.event.span.line, each.reach) for each in found) == [(12, "option"), (14, "default")]
