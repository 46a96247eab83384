"""Breaks inside a library: the displayed subclass has the results of the method without its break."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.config.settings import Config
from gblint.diagnostics.fix import Fix
from gblint.fix.edits import Offsets, Patch, apply_patches
from gblint.fix.lint_with_fixes import lint_showing_fixes
from gblint.pipeline.lint import LintRequest
from tests.oracle.dynamo import verdicts_on

LIBRARY = """\
import copy
import sys

import torch
from torch import nn

FACTOR = 2


def doubled(x):
    return x * FACTOR


class Base(nn.Module):
    def forward(self, x):
        return x + 1


class Scaled(Base):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(4)

    def forward(self, x):
        # As it came in.
        kept = copy.deepcopy(x.detach())
        x = super().forward(self.norm(x))
        return doubled(x) + kept


class Weighed(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        return y * sys.getsizeof(3)


class Hidden(nn.Module):
    def __keep(self, x):
        return x

    def forward(self, x):
        return self.__keep(x) * sys.getsizeof(3)


def weighed(x: torch.Tensor) -> torch.Tensor:
    return x * sys.getsizeof(3)


class Calling(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return weighed(x) + 1
"""
USER = """\
import torch
from blocks import {name}


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = {name}()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x) * 2
"""
SCALED = """\
from blocks import doubled


# `Scaled.forward` of `blocks` without its graph break. Use it instead of
# `Scaled`; for an object that other code creates, set `module.__class__ = PatchedScaled`.
class PatchedScaled(Scaled):
    def forward(self, x):
        # As it came in.
        kept = x.detach().clone()
        x = super(Scaled, self).forward(self.norm(x))
        return doubled(x) + kept
"""
WEIGHED = """\
import sys


@torch._dynamo.decorators.leaf_function
def _getsizeof(y: torch.Tensor) -> torch.Tensor:
    return y * sys.getsizeof(3)


@_getsizeof.register_fake
def _getsizeof_fake(y: torch.Tensor) -> torch.Tensor:
    # Correct the shape, dtype and device of the result.
    return torch.empty_like(y)


# `Weighed.forward` of `blocks` without its graph break. Use it instead of
# `Weighed`; for an object that other code creates, set `module.__class__ = PatchedWeighed`.
class PatchedWeighed(Weighed):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        return _getsizeof(y)
"""
EXPECTED = {"Scaled": SCALED, "Weighed": WEIGHED}


def shown(user: str, folder: Path) -> list[Fix]:
    """The fixes that are shown for a project of one file that uses the installed library."""
    site = folder / "env" / "lib" / "python3.12" / "site-packages"
    site.mkdir(parents=True)
    (folder / "env" / "pyvenv.cfg").write_text("home = /nowhere\nversion = 3.12.0\n")
    (site / "blocks.py").write_text(LIBRARY)
    (folder / "project").mkdir()
    path = folder / "project" / "net.py"
    path.write_text(user)
    config = Config(folder / "project").with_values(python=str(folder / "env"))
    findings = lint_showing_fixes(LintRequest((path,)), config).report.findings
    assert findings
    return [fix for finding in findings for fix in finding.fixes]


def applied(source: str, fix: Fix) -> str:
    """``source`` after ``fix``."""
    return apply_patches(source, [Patch.of(fix.edits, Offsets(source))])[0]


@pytest.mark.parametrize("name", EXPECTED)
def test_subclass_text(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The subclass follows the imports and is only displayed."""
    monkeypatch.chdir(tmp_path)
    user = USER.format(name=name)
    (fix,) = shown(user, tmp_path)
    assert fix.applicability == "display"
    assert fix.title == f"override `{name}.forward` in a subclass"
    head, rest = user.split("\n\n\n", 1)
    assert applied(user, fix) == f"{head}\n{EXPECTED[name]}\n\n{rest}"


@pytest.mark.parametrize("name", ["Hidden", "Calling"])
def test_code_that_cannot_be_overridden(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is displayed for private names of a class, and for functions that are not methods."""
    monkeypatch.chdir(tmp_path)
    assert shown(USER.format(name=name), tmp_path) == []


@pytest.mark.parametrize("line", ["def doubled(x): return x", "class PatchedScaled: pass", "from other import doubled"])
def test_taken_names(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name with another meaning in the user's file is not overwritten."""
    monkeypatch.chdir(tmp_path)
    assert shown(f"{line}\n{USER.format(name='Scaled')}", tmp_path) == []


def test_dynamo_agrees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the subclass nothing breaks, and the results are the same."""
    pytest.importorskip("torch")
    jobs = []
    for name in EXPECTED:
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        user = USER.format(name=name)
        (fix,) = shown(user, tmp_path / name)
        old = f"self.inner = {name}()\n        self.inner.__class__ = Patched{name}"
        for use in (f"self.inner = Patched{name}()", old):
            patched = applied(user, fix).replace(f"self.inner = {name}()", use)
            same = f"torch.testing.assert_close(self.inner(x), {name}.forward(self.inner, x))"
            both = patched.replace("return self.inner(x) * 2", f"{same}\n        return x")
            files = [["blocks.py", LIBRARY]]
            jobs.append({"source": patched, "inputs": "(torch.randn(4),)", "files": files, "compare": True})
            jobs.append({"source": both, "inputs": "(torch.randn(4),)", "files": files, "compare": True})
    for number, verdict in enumerate(verdicts_on(jobs)):
        assert verdict.exception is None and verdict.differs is None
        assert number % 2 or (not verdict.breaks and verdict.graphs == 1)
