"""The pylint plugin, through the real pylint."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gblint.rules import all_rules

pytest.importorskip("pylint", reason="pylint is in the extra `test`")

Write = Callable[..., Path]

HELPER = "def scale(x):\n    return x.max().item()\n"
TRAIN = "import torch\nfrom helper import scale\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    return x * scale(x)\n"
FILES = {"pyproject.toml": "[tool.gblint]\n", "helper.py": HELPER, "train.py": TRAIN}
# Records each import of the analysis, in all processes.
SPY = """\
import os, sys

class Spy:
    def find_spec(self, name, path=None, target=None):
        if name == "gblint.pipeline.lint":
            with open(os.environ["SPIED"], "a") as file:
                file.write(name + chr(10))

sys.meta_path.insert(0, Spy())
"""


def pylint(folder: Path, *arguments: str, stdin: str = "") -> tuple[list[tuple[Any, ...]], list[str]]:
    """Run pylint with the plugin; return its messages of gblint, and the modules that were imported for them."""
    spy = folder.parent / f"{folder.name}-spy"
    spy.mkdir(exist_ok=True)
    (spy / "sitecustomize.py").write_text(SPY)
    environment = {**os.environ, "PYTHONPATH": str(spy), "SPIED": str(spy / "spied"), "PYLINTHOME": str(spy)}
    environment["GBLINT_CACHE_DIR"] = str(spy)
    done = subprocess.run(
        [sys.executable, "-m", "pylint", "--load-plugins=gblint.editors.pylint", "--output-format=json", *arguments],
        cwd=folder, env=environment, input=stdin, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert not done.stderr, done.stderr
    found = [
        (each["path"], each["line"], each["column"], each["message-id"], each["symbol"], each["message"])
        for each in json.loads(done.stdout)
        if each["message-id"][1] == "8"
    ]
    spied = Path(environment["SPIED"])
    return found, spied.read_text().splitlines() if spied.exists() else []


ITEM = ("helper.py", 2, 11, "W8101", "tensor-item", "`x.max().item()` takes a number out of a tensor")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_break_is_reported_in_its_file_and_the_project_is_analysed_once(project: Write, jobs: str) -> None:
    root = project(FILES)
    found, imported = pylint(root, "-j", jobs, "helper.py", "train.py")
    assert found == [ITEM]
    assert imported == ["gblint.pipeline.lint"]


def test_messages_are_disabled_and_enabled_by_name(project: Write) -> None:
    root = project({**FILES, "helper.py": HELPER.replace("item()", "item()  # pylint: disable=tensor-item")})
    assert pylint(root, "helper.py")[0] == []
    root = project(FILES)
    assert pylint(root, "--disable=all", "--enable=tensor-item", "helper.py")[0] == [ITEM]
    assert pylint(root, "--disable=all", "--enable=tensor-tolist", "helper.py")[0] == []


def test_options_and_disabled_blocks(project: Write) -> None:
    options = '[tool.pylint.gblint]\ngblint-entries = ["helper:scale"]\n[tool.pylint.main]\nload-plugins = []\n'
    root = project({"pyproject.toml": options, "train.py": "import torch\n", "helper.py": HELPER})
    assert pylint(root, "helper.py")[0] == [ITEM]
    block = "def scale(x):\n    # pylint: disable=tensor-item\n    y = x.max().item()\n    return y\n"
    assert pylint(project({"helper.py": block}), "helper.py")[0] == []


def test_text_from_an_editor_replaces_the_file(project: Write) -> None:
    root = project({**FILES, "helper.py": "def scale(x):\n    return x\n"})
    assert pylint(root, "--from-stdin", "helper.py", stdin=HELPER)[0] == [ITEM]


def test_a_mistake_in_an_option_is_one_message(project: Write) -> None:
    root = project(FILES)
    found, _ = pylint(root, "--gblint-min-confidence=sure", "helper.py", "train.py")
    (message,) = found
    assert message[3:5] == ("E8000", "gblint-cannot-run")
    assert message[5].startswith("gblint cannot run: --gblint-min-confidence: 'sure' is not one of certain,")


def test_a_project_without_torch_is_not_analysed(project: Write) -> None:
    root = project({"pyproject.toml": "", "helper.py": HELPER})
    assert pylint(root, "helper.py") == ([], [])


def test_every_rule_has_a_message_of_its_own() -> None:
    from gblint.editors.pylint import message_id

    ids = [message_id(rule)[1:] for rule in all_rules()]
    assert len(set(ids)) == len(ids)
    assert {message_id(rule) for rule in all_rules() if rule.code == "GBL101"} == {"W8101"}
