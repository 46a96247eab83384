"""The extractor, run on the installed torch if there is one."""

from __future__ import annotations

import json
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from gblint.knowledge.catalog import load
from gblint.knowledge.facts import Fact
from gblint.knowledge.registry import decode, encode
from gblint.knowledge.versions import available_versions, release
from tools.knowledge.build import DATA, SOURCES, BuildError, carried, check_tags, contents
from tools.knowledge.extract import extract
from tools.knowledge.read_torch import version
from tools.knowledge.site import SiteError, open_site


def site_packages() -> Path:
    """Return the folder of the installed torch; skip the test unless there is data for its version."""
    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        pytest.skip("torch is not installed")
    site = Path(spec.origin).parents[1]
    if version(site / "torch") not in available_versions():
        pytest.skip("there are no data for the torch that is installed")
    return site


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_extracted_facts_match_the_installed_torch() -> None:
    found, registry = extract(open_site(site_packages()))
    assert found == read(SOURCES / f"extracted-{found['version']}.json")
    assert registry == decode(read(DATA / "registry.json"))[found["version"]]


def test_every_extracted_version_is_built() -> None:
    assert {path.stem.removeprefix("extracted-") for path in SOURCES.glob("extracted-*")} == set(available_versions())


@pytest.mark.parametrize("version", available_versions())
def test_data_files_match_their_sources(version: str) -> None:
    """If this fails: ``python -m tools.knowledge.extract`` builds the data files again."""
    assert contents(version) == read(DATA / f"torch-{version}.json")


@pytest.mark.parametrize("version", available_versions())
def test_registry_of_each_version(version: str) -> None:
    known = load(version)
    entries = known.registry()
    assert len(entries) > 200
    assert known.gb("GB0124").type == entries["GB0124"].type
    assert "item()" in entries["GB0124"].type
    later = {gb_id for v in available_versions() if release(v) > release(version) for gb_id in load(v).registry()}
    newest = version == available_versions()[-1]
    assert newest or set(entries) - later <= {"GB0060"}, "an id that is retired keeps its place"


def test_unmeasured_version_takes_the_nearest_measurements() -> None:
    assert {version: load(version).measured for version in ("2.8", "2.10", "2.15")} == {
        "2.8": "2.9",
        "2.10": "2.10",
        "2.15": "2.15",
    }


def test_own_files_win_over_measurements_of_another_version() -> None:
    now = {"a": Fact("fold"), "b": Fact("graph"), "new": Fact("graph")}
    before = {"a": Fact("fold"), "b": Fact("fold"), "gone": Fact("graph"), "seen": Fact("graph")}
    known = {
        "a": Fact("break", ("GB0007",)),
        "b": Fact("fold", (), "int"),
        "gone": Fact("graph", (), "tensor"),
        "seen": Fact("break", ("GB0059",)),
    }
    assert carried(now, before, known) == {
        "a": Fact("break", ("GB0007",)),
        "b": Fact("graph", (), "int"),
        "new": Fact("graph"),
        "seen": Fact("break", ("GB0059",)),
    }


def test_registry_file_has_no_repetitions() -> None:
    saved = read(DATA / "registry.json")
    assert encode(decode(saved)) == saved
    assert saved["versions"] == list(available_versions())


def test_wheel_is_read_like_a_folder(tmp_path: Path) -> None:
    wheel = tmp_path / "torch-9.9.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("torch/version.py", "__version__ = '9.9.0+cpu'\n")
    assert version(open_site(wheel) / "torch") == "9.9"
    with pytest.raises(SiteError, match="no torch in"):
        open_site(tmp_path)


def test_tagged_operator_must_break() -> None:
    with pytest.raises(BuildError, match="nonzero"):
        check_tags({"torch.nonzero": Fact("graph")}, {"dynamic_output_shape": "_unique nonzero"})
    check_tags({"torch.nonzero": Fact("dynamic-shape", ("GB0036",))}, {"dynamic_output_shape": "nonzero"})
