"""Two packages of one name in a repository: each is the one that the importing module would find."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gblint.config.settings import Config
from gblint.pipeline.lint import LintRequest, lint

MAIN = """
import torch
{imports}


@torch.compile(backend="eager")
def f(x: torch.Tensor) -> torch.Tensor:
    return {call}(x) + 1
"""
PURE = "def run(x):\n    return x.sin()\n"
BREAKS = "def run(x):\n    print('ran')\n    return x\n"
WAYS = {
    "import tools.steps": "tools.steps.run",
    "import tools.steps as steps": "steps.run",
    "from tools import steps": "steps.run",
    "from tools.steps import run": "run",
    "from tools import *": "steps.run",
    "import tools": "tools.steps.run",
    "import importlib\nsteps = importlib.import_module('tools.steps')": "steps.run",
    "import tools.steps\nsteps = getattr(tools, 'steps')": "steps.run",
}


@pytest.mark.parametrize("first", ["outer", "inner"])
@pytest.mark.parametrize(("imports", "call"), list(WAYS.items()))
def test_the_package_beside_the_importing_module(
    project: Callable[..., Path], first: str, imports: str, call: str
) -> None:
    init = '__all__ = ["steps"]\nfrom . import steps\n'
    main = MAIN.format(imports=imports, call=call)
    outer, inner = (BREAKS, PURE) if first == "outer" else (PURE, BREAKS)
    root = project(
        {
            "tools/__init__.py": init,
            "tools/steps.py": outer,
            "main.py": main,
            "examples/mesh/tools/__init__.py": init,
            "examples/mesh/tools/steps.py": inner,
            "examples/mesh/main.py": main,
        }
    )
    report = lint(LintRequest((root,)), Config(root=root)).report
    place = "tools/steps.py" if first == "outer" else "examples/mesh/tools/steps.py"
    assert {Path(f.span.path).as_posix() for f in report.findings} == {place}
    assert not report.unresolved


def test_a_module_that_wraps_a_package_of_its_name(project: Callable[..., Path]) -> None:
    """``helpers/steps.py`` imports the package ``steps``, which is not installed."""
    root = project(
        {
            "lib/__init__.py": "",
            "lib/helpers/__init__.py": "",
            "lib/helpers/steps.py": "import steps\nfrom threading import local as run\n",
            "lib/main.py": MAIN.format(imports="import steps", call="steps.run"),
            "lib/helpers/other.py": MAIN.format(imports="import steps", call="steps.run"),
        }
    )
    report = lint(LintRequest((root,)), Config(root=root)).report
    assert not report.findings
    assert {each.package for each in report.missing_packages} == {"steps"}
