"""Version checks; the snippet ``versions_of_torch_python_and_packages`` shows Dynamo's treatment of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.checks.configuration import check_configuration
from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter, trace
from gblint.knowledge.catalog import load
from gblint.project.environment import Environment
from gblint.project.project import Project

SOURCE = """\
import importlib.metadata
import sys
import torch
from packaging.version import Version, parse

@torch.compile
def f(x):
    if {condition}:
        x.item()
    return x
"""


def breaks(folder: Path, condition: str, installed: str | None, python: tuple[int, int] | None) -> bool:
    """Return whether the branch under ``condition`` may be taken."""
    site = folder / "site"
    (folder / "project").mkdir()
    (folder / "project" / "main.py").write_text(SOURCE.format(condition=condition))
    # The source of packaging is not needed and not read.
    (site / "packaging").mkdir(parents=True)
    (site / "packaging" / "__init__.py").write_text("")
    (site / "packaging" / "version.py").write_text("class Version: ...\ndef parse(version): ...\n")
    if installed is not None:
        (site / f"torch-{installed.partition('+')[0]}.dist-info").mkdir()
        (site / "torch").mkdir()
        (site / "torch" / "__init__.py").write_text("")
        (site / "torch" / "version.py").write_text(f"__version__ = {installed!r}\n")
    root = folder / "project"
    m = new_interpreter(Project([root], root=root, environment=Environment(None, python, (site,))), load("2.13"), {})
    return bool(list(trace(m, find_entries(m, []).entries)))


@pytest.mark.parametrize(
    ("condition", "answer"),
    [
        ("torch.__version__ < '2.2'", False),
        ("torch.__version__ > '2.2'", True),
        ("torch.__version__ <= '2.13.0'", False),
        ("torch.__version__ >= '2.13.1+cpu'", True),
        ("torch.__version__ < 'none at all'", True),
        ("'+cu' in torch.__version__", False),
        ("'+cpu' not in torch.__version__", False),
        ("importlib.metadata.version('torch') == torch.__version__", False),
        ("Version('1.0').replace()", True),
        ("parse(torch.__version__) < Version('2.2')", False),
        ("parse('none at all') < Version('2.2')", True),
        ("parse('1' * 9_999) < Version('2.2')", True),
        ("parse('" + "1" * 5_000 + "') < Version('2.2')", True),
        ("Version(torch.__version__).major == 1", False),
        ("Version(torch.__version__).release[:2] == (2, 13)", True),
        ("Version(torch.__version__).local == 'cu126'", False),
        ("importlib.metadata.version('torch').startswith('1')", False),
        ("importlib.metadata.version('numpy').startswith('1')", True),
        ("isinstance(parse('1.0'), str)", False),
        ("str(parse('1.00')) == '1.00'", False),
        ("sys.version_info < (3, 12)", False),
        ("sys.version_info <= (3, 12)", False),
        ("sys.version_info < (3, 12, 4)", True),
        ("sys.version_info[0] == 2", False),
        ("sys.version_info.minor < 12", False),
        ("sys.version_info.micro < 4", True),
    ],
)
def test_versions_of_the_environment_decide_conditions(tmp_path: Path, condition: str, answer: bool) -> None:
    assert breaks(tmp_path, condition, "2.13.1+cpu", (3, 12)) is answer


@pytest.mark.parametrize("installed", [None, "2.9.0", "2", "unknown"])
@pytest.mark.parametrize(
    ("condition", "answer"),
    [
        ("torch.__version__ < '2.2'", False),
        ("parse(torch.__version__.split('+')[0]) < parse('2.13')", False),
        ("Version(importlib.metadata.version('torch')).release[:2] != (2, 13)", False),
        ("torch.__version__ >= '2.13'", True),
        ("torch.__version__ >= '2.13.1'", True),
        ("torch.__version__ < '2.13.1'", True),
        ("torch.__version__ == '2.13.0'", True),
        ("'+cpu' in torch.__version__", True),
        ("'+cpu' not in torch.__version__", True),
    ],
)
def test_without_the_linted_torch_its_release_is_known(
    tmp_path: Path, condition: str, answer: bool, installed: str | None
) -> None:
    assert breaks(tmp_path, condition, installed, (3, 12)) is answer


def test_unknown_python_version_leaves_conditions_open(tmp_path: Path) -> None:
    assert breaks(tmp_path, "sys.version_info < (3, 8)", "2.13.1", None)


def test_a_setting_in_a_branch_on_the_version_without_torch(tmp_path: Path) -> None:
    """The exact version is not known then, so that neither branch is sure to run."""
    source = (
        "import torch\n"
        "if torch.__version__ < '2.0':\n"
        "    torch._dynamo.config.a_setting_of_an_older_torch = True\n"
        "torch._dynamo.config.a_setting_of_no_torch = True\n"
    )
    (tmp_path / "m.py").write_text(source)
    interp = new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {})
    found = [each.event.span.line for each in check_configuration(interp) if each.event.subject == "unknown-setting"]
    assert found == [4]
