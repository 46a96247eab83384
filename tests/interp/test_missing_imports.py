"""Imports in the region of modules that the environment lacks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HANDLED = "    try:\n        from {} import f\n    except ImportError:\n        f = None\n"
RAISED = "    try:\n        from {} import f\n    except ImportError as e:\n        raise ValueError('no f') from e\n"


@pytest.mark.parametrize(
    ("code", "module", "confidence"),
    [
        (HANDLED, "not_there_at_all", "likely"),
        (HANDLED, "pack._C", "possible"),
        (RAISED, "not_there_at_all", "possible"),
        ("    from {} import f\n", "not_there_at_all", "possible"),
    ],
    ids=["optional", "extension-of-the-project", "handler-raises", "not-caught"],
)
def test_confidence(
    code: str, module: str, confidence: str, gblint: Callable[..., Any], project: Callable[..., Path]
) -> None:
    """Only an optional package, without which the code goes on, is taken for missing where the program runs."""
    body = code.format(module)
    text = f"import torch\n\n\n@torch.compile\ndef g(x):\n{body}    return x if f is None else f(x)\n"
    project({"pack/__init__.py": "", "m.py": text})
    report = json.loads(gblint("check", "--output-format", "json", "--min-confidence", "possible").out)
    assert [each["confidence"] for each in report["findings"] if each["code"] == "GBL415"] == [confidence]
