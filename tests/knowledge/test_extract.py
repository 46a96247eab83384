"""The extractor, on an installed torch if there is one."""

from __future__ import annotations

import json
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import pytest

from gblint.knowledge.extract import build, check_tags
from gblint.knowledge.facts import Fact
from gblint.knowledge.read_torch import ExtractionError, version

DATA = Path(str(files("gblint.knowledge") / "data"))


def site_packages() -> Path:
    """Where the installed torch 2.13 lies."""
    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        pytest.skip("torch is not installed")
    site = Path(spec.origin).parents[1]
    if version(site / "torch") != "2.13":
        pytest.skip("another torch is installed")
    return site


def test_data_files_are_what_the_extractor_builds() -> None:
    name, contents, registry = build(site_packages(), DATA)
    assert name == "2.13"
    assert json.loads((DATA / "torch-2.13.json").read_text(encoding="utf-8")) == contents
    saved = json.loads((DATA / "registry-2.13.json").read_text(encoding="utf-8"))
    assert {gb_id: list(entry) for gb_id, entry in registry.items()} == saved


def test_tagged_operator_must_break() -> None:
    with pytest.raises(ExtractionError, match="nonzero"):
        check_tags({"torch.nonzero": Fact("graph")}, {"dynamic_output_shape": {"nonzero", "_unique"}})
    check_tags({"torch.nonzero": Fact("dynamic-shape", ("GB0036",))}, {"dynamic_output_shape": {"nonzero"}})
