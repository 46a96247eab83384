"""Tests of the VS Code extension: its settings, and its own tests where its packages are installed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from gblint import __version__
from gblint.config.keys import KEYS
from gblint.editors.server.settings import Settings, camel
from tools.vscode_settings import PACKAGE, properties

EXTENSION = PACKAGE.parent


def test_settings_are_those_of_the_server() -> None:
    package = json.loads(PACKAGE.read_text("utf-8"))
    assert package["contributes"]["configuration"]["properties"] == properties(), "run python -m tools.vscode_settings"
    assert {"gblint.minConfidence", "gblint.codeLens", "gblint.server.path"} < set(properties())
    assert package["version"] == __version__


def test_the_server_takes_every_setting_that_is_sent() -> None:
    own = re.search(r"new Set\(\[(.*)\]\)", (EXTENSION / "src" / "settings.ts").read_text("utf-8"))
    assert own is not None
    kept_back = set(re.findall(r'"(\w+)"', own[1]))
    values = {"array": ["a"], "boolean": True, "number": 3, "object": {}}
    sent = {}
    for name, schema in properties().items():
        key = name.removeprefix("gblint.")
        if key.partition(".")[0] not in kept_back:
            sent[key] = schema["enum"][0] if "enum" in schema else values.get(schema["type"], "2.13")
    sent["select"] = ["GBL101"]
    assert len(sent) > len(KEYS)
    problems = [problem for problem in Settings.of(sent)[1] if "there is no such setting" in problem]
    assert problems == []
    assert camel("extend-per-file-ignores") == "extendPerFileIgnores"


def test_commands_of_the_palette_are_registered() -> None:
    package = json.loads(PACKAGE.read_text("utf-8"))
    source = (EXTENSION / "src" / "extension.ts").read_text("utf-8")
    registered = set(re.findall(r'registerCommand\("([\w.]+)"', source))
    assert {each["command"] for each in package["contributes"]["commands"]} == registered


IS_INSTALLED = shutil.which("npm") is not None and (EXTENSION / "node_modules").exists()


@pytest.mark.skipif(not IS_INSTALLED, reason="npm ci was not run in editors/vscode")
def test_extension_compiles_and_passes_its_tests() -> None:
    for step in ("compile", "test"):
        run = subprocess.run(["npm", "run", step], cwd=EXTENSION, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
