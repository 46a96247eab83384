"""Classes with a base from a package that Dynamo skips: only what the module of the base defines is its method."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter, trace
from gblint.knowledge.catalog import load
from gblint.project.project import Project

BASE = """\
class BaseEstimator:
    def get_params(self, deep=True):
        return {}
"""
ESTIMATOR = """\
import torch
from sklearn.base import BaseEstimator

class Net(BaseEstimator):
    def set(self, name, module):
        setattr(self, name, module)

    def infer(self, x: torch.Tensor):
        return self.module_(x)

    def described(self, x: torch.Tensor):
        return x, self.get_params()
"""


@pytest.mark.parametrize("is_installed", [True, False])
@pytest.mark.parametrize(("method", "lines"), [("infer", []), ("described", [12])])
def test_an_attribute_that_the_base_does_not_define_is_unknown(
    method: str, lines: list[int], is_installed: bool, tmp_path: Path
) -> None:
    if is_installed:
        (tmp_path / "site" / "sklearn").mkdir(parents=True)
        (tmp_path / "site" / "sklearn" / "__init__.py").write_text("")
        (tmp_path / "site" / "sklearn" / "base.py").write_text(BASE)
    (tmp_path / "m.py").write_text(ESTIMATOR)
    project = Project([tmp_path / "m.py"], root=tmp_path, src=[tmp_path / "site"])
    interp = new_interpreter(project, load("2.13"), {})
    found = trace(interp, find_entries(interp, (f"m:Net.{method}",)).entries)
    assert [each.event.span.line for each in found] == lines
