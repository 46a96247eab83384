"""Configuration files that a program reads decide which model it builds, and how."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

from gblint.diagnostics.break_event import Confidence
from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter, trace
from gblint.knowledge.catalog import load
from gblint.project.project import Project
from gblint.project.setting_formats import MAX_SETTINGS, parse

MODELS = """\
import torch
from torch import nn
class Small(nn.Module):
    def forward(self, x):
        return x.sum().item()
class Large(nn.Module):
    def __init__(self, wide=False, depth=1):
        super().__init__()
        self.wide, self.body = wide, Small()
    def forward(self, x):
        if self.wide:
            print("wide")
        return x
"""
JSON = '{"name": "Large", "options": {"wide": true, "depth": 3}, "parts": ["body"]}'
YAML = "name: Large\noptions: {wide: true}\nparts: [body]\n"
TOML = 'name = "Large"\nparts = ["body"]\n[options]\nwide = true\n'
FILES = {"conf/base.json": JSON, "conf/base.yaml": YAML, "conf/base.toml": TOML, "models.py": MODELS}
BUILD = 'torch.compile(getattr(models, config["name"])(**config["options"]))(torch.ones(3))'
COMMAND_LINE = """
import argparse, json, torch, models
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="conf/base.json")
    args = parser.parse_args()
    with open(args.config) as file:
        config = json.load(file)
    net = getattr(models, config["name"])(**config["options"])
    torch.compile(net)(torch.ones(3))
main()
"""
PARTS = """
import json, torch, models
class Solver:
    def __init__(self, config):
        self.net = getattr(models, config["name"])()
        for name in config["parts"]:
            setattr(self.net, name, torch.compile(getattr(self.net, name)))
if __name__ == "__main__":
    Solver(json.load(open("conf/base.json")))
"""


def found(folder: Path, source: str, files: Mapping[str, str] = {}) -> set[tuple[int, str, str]]:
    """Return the lines of the models that break, with the confidence and the reach of each."""
    for name, text in {**FILES, **files, "main.py": source}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    interp = new_interpreter(Project([folder], root=folder), load("2.13"), {})
    reached = trace(interp, find_entries(interp, assume="never").entries)
    return {
        (item.event.span.line, item.event.confidence.value, item.reach)
        for item in reached
        if item.event.confidence is not Confidence.POSSIBLE
    }


@pytest.mark.parametrize(
    "read",
    [
        'json.load(open("conf/base.json"))',
        'json.loads(Path("conf/base.json").read_text())',
        'json.loads((Path(__file__).parent / "conf" / "base.json").read_text())',
        'json.load(Path(__file__).resolve().parent.joinpath("conf", "base.json").open())',
        'json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "conf", "base.json")))',
        'json.load(open(f"{folder}/base.json"))',
        'yaml.safe_load(open("conf/base.yaml"))',
        'yaml.load(open("conf/base.yaml"), Loader=yaml.FullLoader)',
        'yaml.safe_load(Path("conf/base.toml").with_suffix(".yaml").read_text())',
        'tomllib.load(open("conf/base.toml", "rb"))',
        'tomllib.loads(Path("conf/base.toml").read_text())',
    ],
)
@pytest.mark.parametrize("inside", [False, True])
def test_a_file_of_a_known_name_decides_the_model(tmp_path: Path, read: str, inside: bool) -> None:
    head = 'import json, os, tomllib, yaml, torch, models\nfrom pathlib import Path\nfolder = "conf"\n'
    body = f"config = {read}\n{BUILD}\n"
    if inside:
        body = "def main():\n" + "".join(f"    {line}\n" for line in body.splitlines()) + "main()\n"
    assert [line for line, _, _ in found(tmp_path, head + body)] == [12]


@pytest.mark.parametrize("inside", [False, True])
def test_an_open_file_of_a_with_statement(tmp_path: Path, inside: bool) -> None:
    body = f'with open("conf/base.json") as file:\n    config = json.load(file)\n{BUILD}\n'
    if inside:
        body = "def main():\n" + "".join(f"    {line}\n" for line in body.splitlines()) + "main()\n"
    assert [line for line, _, _ in found(tmp_path, f"import json, torch, models\n{body}")] == [12]


def test_the_file_of_a_default_is_what_the_defaults_choose(tmp_path: Path) -> None:
    assert found(tmp_path, COMMAND_LINE) == {(12, "certain", "default")}


def test_the_file_that_a_command_line_names_is_read(tmp_path: Path) -> None:
    passing = COMMAND_LINE.replace("def main():", "def main(argv=None):").replace("parse_args()", "parse_args(argv)")
    passing = passing.replace("conf/base.json", "conf/small.json").replace("json, torch", "json, pathlib, torch")
    passing = passing.replace("default=", "type=pathlib.Path, default=")
    passing = passing.replace("\nmain()", '\nmain(["--config", "conf/base.json"])')
    small = {"conf/small.json": '{"name": "Small", "options": {}}'}
    assert (12, "certain", "default") in found(tmp_path, passing, small)


def test_a_flag_of_a_file_is_a_default(tmp_path: Path) -> None:
    source = """
        import json, torch, models
        def main():
            config = json.load(open("conf/base.json"))
            net = models.Small()
            if config["fast"] and config["other"] is not None:
                net = torch.compile(net)
            net(torch.ones(3))
        main()
    """
    files = {"conf/base.json": '{"fast": false, "other": null}'}
    assert found(tmp_path, textwrap.dedent(source), files) == {(5, "certain", "always")}


@pytest.mark.parametrize("test", ['config.get("fast", False)', 'config["inner"].get("fast")', '"fast" in config'])
def test_another_file_may_have_more_settings(tmp_path: Path, test: str) -> None:
    source = f"""
        import json, torch, models
        def main():
            config = json.load(open("conf/base.json"))
            net = models.Small()
            if {test}:
                net = torch.compile(net)
            net(torch.ones(3))
        main()
    """
    assert [line for line, _, _ in found(tmp_path, textwrap.dedent(source), {"conf/base.json": '{"inner": {}}'})] == [5]


def test_names_in_a_file_tell_which_parts_are_compiled(tmp_path: Path) -> None:
    assert [line for line, _, _ in found(tmp_path, PARTS)] == [5]


@pytest.mark.parametrize(
    "source",
    [
        COMMAND_LINE.replace("base.json", "missing.json"),
        COMMAND_LINE.replace("base.json", "base.toml"),
        f'import json, torch, models\nconfig = json.load(open("/etc/base.json"))\n{BUILD}\n',
        f'import json, torch, models\nconfig = json.load(open("../base.json"))\n{BUILD}\n',
        f"import json, torch, models\nconfig = json.load(open(unknown))\n{BUILD}\n",
    ],
)
def test_without_a_readable_file_any_model_may_be_compiled(tmp_path: Path, source: str) -> None:
    (tmp_path / "base.json").write_text(JSON, encoding="utf-8")
    assert found(tmp_path / "project", source) == {(5, "certain", "always"), (12, "likely", "option")}


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("{", "json"),
        ("[" * 100_000, "json"),
        ("9" * 5_000, "json"),
        ("a: [", "yaml"),
        ("!!python/object/apply:os.system ['true']", "yaml"),
        ("a = ", "toml"),
        (f"[{'1,' * MAX_SETTINGS}1]", "json"),
        (
            "\n".join(
                [
                    "a0: &a0 [x, x, x, x, x, x, x, x, x]",
                    *(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 30)),
                ]
            ),
            "yaml",
        ),
        ("a: &a [*a]", "yaml"),
        ('{"a":' * 60 + "1" + "}" * 60, "json"),
    ],
)
def test_damaged_and_endless_contents_are_unknown(text: str, form: str) -> None:
    assert parse(text, form) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "path",
    [
        '"a\\0b.json"',
        '"loop/base.json"',
        '"pipe.json"',
        '"' + "x" * 5_000 + '.json"',
        'Path("").with_suffix(".json")',
        'os.path.join(name, "base.json")',
    ],
)
def test_odd_paths_are_unknown(tmp_path: Path, path: str) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.json")
    head = "import json, os, torch, models\nfrom pathlib import Path\nname = 'abcd'\n"
    growing = "name = os.path.join(name, name)\n" * 40
    source = f"{head}{growing}def main():\n    config = json.load(open({path}))\n    {BUILD}\nmain()\n"
    assert found(tmp_path, source) == {(5, "certain", "always"), (12, "likely", "option")}
