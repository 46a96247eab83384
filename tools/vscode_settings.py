"""Write the settings of the VS Code extension, from the keys of the configuration and the server's own settings.

``python -m tools.vscode_settings`` changes ``editors/vscode/package.json``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from gblint.config.keys import KEYS
from gblint.editors.server.settings import NOT_HERE, camel

PACKAGE = Path(__file__).parent.parent / "editors" / "vscode" / "package.json"
_TYPES: dict[str, dict[str, Any]] = {
    "table": {"type": "object"},
    "boolean": {"type": "boolean"},
    "path": {"type": "string"},
    "string": {"type": "string"},
}
_EXTENSION: dict[str, dict[str, Any]] = {
    "enable": {"type": "boolean", "default": True, "description": "Start the server of gblint."},
    "statusBar": {"type": "boolean", "default": True, "description": "Show gblint in the status bar."},
    "server.path": {
        "type": "string",
        "default": "",
        "scope": "machine-overridable",
        "markdownDescription": "The path of `gblint`. Empty: the gblint of the environment that the extension *Python* "
        "has selected, else the one on `PATH`. `~` and `${workspaceFolder}` are replaced.",
    },
    "server.arguments": {
        "type": "array",
        "items": {"type": "string"},
        "default": [],
        "scope": "machine-overridable",
        "markdownDescription": "Further arguments of `gblint server`, such as `--log-level=debug`.",
    },
    "server.trace": {
        "type": "string",
        "enum": ["off", "messages", "verbose"],
        "default": "off",
        "description": "What the output channel shows of the messages between the editor and the server.",
    },
}
_SERVER: dict[str, dict[str, Any]] = {
    "configuration": {"type": "string", "description": "Use this configuration file and no other."},
    "diagnosticMode": {
        "type": "string",
        "enum": ["workspace", "openFiles"],
        "default": "workspace",
        "description": "Show the findings of all files, or those of open files only.",
    },
    "codeLens": {"type": "boolean", "default": True, "description": "Show the number of graph breaks at entry points."},
    "hover": {"type": "boolean", "default": True, "description": "Show details when the mouse is over a finding."},
    "delay": {
        "type": "number",
        "default": 30,
        "description": "Milliseconds between a key stroke and the analysis.",
    },
    "idleDelay": {
        "type": "number",
        "default": 800,
        "description": "Milliseconds without a key stroke before the whole project is analysed.",
    },
}


def properties() -> dict[str, dict[str, Any]]:
    """Return ``contributes.configuration.properties``."""
    found = {**_EXTENSION, **_SERVER}
    for name, setting in KEYS.items():
        if name not in NOT_HERE:
            found[camel(name)] = _property(setting.type, setting.default, setting.meaning)
    return {f"gblint.{name}": each for name, each in found.items()}


def _property(kind: str, default: str, meaning: str) -> dict[str, Any]:
    """Return one key of the configuration as a setting; without a default, since only what is set is sent."""
    choices = re.findall(r'"([\w-]+)"', kind)
    if choices:
        schema: dict[str, Any] = {"type": "string", "enum": choices}
    elif kind.startswith("list"):
        schema = {"type": "array", "items": {"type": "string"}}
    else:
        schema = dict(_TYPES[kind])
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", meaning).replace("below", "see the page on the configuration")
    return {**schema, "markdownDescription": f"{text[:1].upper()}{text[1:]}. Default of gblint: {default}."}


def main() -> None:
    """Write the settings."""
    package = json.loads(PACKAGE.read_text("utf-8"))
    package["contributes"]["configuration"]["properties"] = properties()
    PACKAGE.write_text(json.dumps(package, indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
