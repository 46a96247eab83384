"""Edits are applied to an analysis in memory: the answer is that of an analysis of the new text from the start."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path
from typing import ClassVar

import pytest

from gblint.diagnostics.entry_point import EntryPoint
from gblint.editors.server import workspace_project
from gblint.editors.server.documents import Document, Documents
from gblint.editors.server.jobs import AnalysisJob, Answer, JobScope, entry_key
from gblint.editors.server.merge_results import merged
from gblint.editors.server.settings import Settings
from gblint.editors.server.worker import AnalysisWorker
from gblint.editors.server.workspace_project import WorkspaceProject
from gblint.runtime.lazy_dataclasses import replace
from tests.editors.server.conftest import write

MODEL = """import torch
from torch import nn


class Block(nn.Module):
    def forward(self, x):
        # The input.
        y = x * 2
        return self.scaled(y)

    def scaled(self, x):
        def inner(z):
            return z + 1

        return inner(x)

    def unused(self, x): return x

    @staticmethod
    def shape(x):
        return x.shape


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()

    def forward(self, x):
        print(x)
        return self.block(x)
"""
TRAIN = """import torch
from model import Net


def setup(kind):
    net = Net()
    return torch.compile(net)


def main():
    net = setup("small")
    net(torch.rand(3))


main()
"""
FILES = {"model.py": MODEL, "train.py": TRAIN}


def job(root: Path, texts: dict[str, str], number: int, *, only_amends: bool = False) -> AnalysisJob:
    overlays = {root / name: text for name, text in texts.items()}
    base = number - 1 if only_amends else 0
    return AnalysisJob("lint", root, (root,), overlays, 0, number=number, base=base, only_amends=only_amends)


def found(answer: Answer) -> list[tuple[str, str, int, str]]:
    assert not answer.crash
    return [(each.code, Path(each.span.path).name, each.span.line, each.message) for each in answer.findings]


@pytest.mark.parametrize(
    "edits",
    [
        [("        y = x * 2\n", "        y = x * 2\n        y = y.item()\n"), ("        y = y.item()\n", "")],
        [("        y = x * 2\n", "        y = x * 2\n\n        print(y)\n\n        y = y + y.sum().item()\n")],
        [("        return inner(x)\n", "        return inner(x).item()\n")],
        [("            return z + 1\n", "            print(z)\n            return z + 1\n")],
        [("        return self.block(x)\n", "        x = self.block(x)\n        return x.tolist()\n")],
        [("        print(x)\n", "")],
        [("        # The input.\n", ""), ("        y = x * 2\n", "        y = x.item() * 2\n")],
        [
            ("from torch import nn\n", "from torch import nn\n\n# Two parts.\n"),
            ("        print(x)\n", "        x.tolist()\n"),
        ],
        [("        print(x)\n", "        y = self.block\n        print(x)\n        return y(x).item()\n")],
    ],
)
def test_edits_that_are_applied(tmp_path: Path, edits: list[tuple[str, str]]) -> None:
    write(tmp_path, FILES)
    worker, text = AnalysisWorker(), MODEL
    assert [each[:3] for each in found(worker.do(job(tmp_path, {}, 1)))] == [("GBL401", "model.py", 30)]
    for number, (old, new) in enumerate(edits, 2):
        assert old in text
        text = text.replace(old, new)
        answer = worker.do(job(tmp_path, {"model.py": text}, number, only_amends=True))
        assert not answer.declined
        fresh = AnalysisWorker().do(job(tmp_path, {"model.py": text}, 1))
        if not answer.same:
            assert found(answer) == found(fresh)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("model.py", "    def unused(self, x): return x\n", "    def unused(self, x, y=3): return x\n"),
        ("model.py", "    def unused(self, x): return x\n", ""),
        ("model.py", "        self.block = Block()\n", "        self.block = nn.Linear(3, 3)\n"),
        ("model.py", "        y = x * 2\n", "        self.y = x * 2\n"),
        ("model.py", "    def scaled(", "    @torch.no_grad()\n    def scaled("),
        ("model.py", "    @staticmethod\n", "    @torch.compiler.disable\n"),
        ("model.py", "class Net(", "class Other(nn.Module):\n    pass\n\n\nclass Net("),
        ("train.py", "    net = Net()\n", "    net = None\n"),
        ("train.py", "import torch\n", "import os\nimport torch\n"),
        ("train.py", "torch.compile(net)", "net"),
    ],
)
def test_other_edits_are_declined(tmp_path: Path, name: str, old: str, new: str) -> None:
    write(tmp_path, FILES)
    worker = AnalysisWorker()
    before = worker.do(job(tmp_path, {}, 1))
    assert old in FILES[name]
    answer = worker.do(job(tmp_path, {name: FILES[name].replace(old, new)}, 2, only_amends=True))
    assert answer.declined
    assert answer.findings == []

    # What is in memory is as before: a later edit is applied to it.
    later = worker.do(job(tmp_path, {"model.py": MODEL.replace("print(x)", "x = x * 3")}, 3, only_amends=True))
    assert found(before) and not later.declined and found(later) == []


def test_nothing_is_applied_without_an_analysis_or_after_changes_on_disk(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    worker = AnalysisWorker()
    assert worker.do(job(tmp_path, {}, 1, only_amends=True)).declined
    worker.do(job(tmp_path, {}, 2))
    changed = job(tmp_path, {}, 3, only_amends=True)
    assert not worker.do(changed).declined
    reread = AnalysisJob("lint", tmp_path, (tmp_path,), {}, 0, reread=frozenset({str(tmp_path / "model.py")}))
    assert worker.do(replace(reread, only_amends=True)).declined


class Process:
    """A worker in this process instead of one of its own; ``jobs`` has the jobs of all of them."""

    jobs: ClassVar[list[tuple[Process, AnalysisJob, Answer]]] = []
    killed: ClassVar[list[Process]] = []

    def __init__(self, *, gentle: bool = False) -> None:
        self._worker = AnalysisWorker()

    async def do(self, job: AnalysisJob, *rest: object, **options: object) -> Answer:
        answer = self._worker.do(job)
        Process.jobs.append((self, job, answer))
        return answer

    def kill(self) -> None:
        Process.killed.append(self)


@pytest.mark.asyncio
async def test_the_process_that_has_analysed_everything_answers_edits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, FILES)
    monkeypatch.setattr(workspace_project, "WorkerProcess", Process)
    monkeypatch.setattr(workspace_project, "FAST_ANALYSIS", 0.0)
    # The jobs run in the process of the tests, which may have used any amount of memory before.
    monkeypatch.setattr(workspace_project, "MAX_KEPT_MEMORY", math.inf)
    monkeypatch.setattr(Process, "jobs", [])
    monkeypatch.setattr(Process, "killed", [])
    documents, quick, errors = Documents(), Process(), list[str]()
    project = WorkspaceProject(tmp_path, documents, quick, lambda each: None, errors.append)  # type: ignore[arg-type]
    project.settings = Settings(idle=3600.0)  # no other run of everything
    document = documents.add(Document((tmp_path / "model.py").as_uri(), tmp_path / "model.py", MODEL, 1, True))
    project.edited(document.path)
    assert [each[:3] for each in found(await project.complete())] == [("GBL401", "model.py", 30)]
    whole = Process.jobs[-1][0]
    assert whole is not quick

    async def edit(text: str) -> tuple[Process, AnalysisJob, Answer]:
        document.text = text
        project.edited(document.path)
        answer = await project.settled()
        fresh = AnalysisWorker().do(job(tmp_path, {"model.py": text}, 1))
        assert found(answer) == found(fresh)
        return Process.jobs[-1]

    # It answers an edit inside a function; the entry point is in a file that was not edited.
    assert (await edit(MODEL.replace("y = x * 2", "y = x.item() * 2")))[0] is whole
    # Another edit is analysed by the process that searches again.
    assert (await edit(MODEL.replace("self.block = Block()", "self.block = nn.Linear(3, 3)")))[0] is quick
    assert Process.jobs[-2][2].declined
    assert (await edit(MODEL.replace("print(x)", "x.tolist()")))[0] is whole
    # A change on disk ends it.
    project.edited(tmp_path / "train.py", on_disk=True)
    await project.settled()
    assert whole in Process.killed and Process.jobs[-1][0] is quick
    project.close()
    assert errors == []
    await asyncio.sleep(0)


def test_an_entry_point_that_a_short_search_misses_stays() -> None:
    def point(name: str, path: str) -> EntryPoint:
        return EntryPoint(name, str(Path(path).absolute()), 3, "call")

    made_elsewhere, edited = point("task:Net", "task.py"), point("model:f", "model.py")
    model = str(Path("model.py").absolute())
    before = Answer(entries=[made_elsewhere, edited])
    scope = JobScope(frozenset({model}), frozenset(map(entry_key, before.entries)), frozenset({model}))
    # The search finds neither: one may depend on files that it does not read, the other was in the edited file.
    assert merged(before, Answer(), scope, {}, {}).entries == [made_elsewhere]


@pytest.mark.asyncio
async def test_a_process_that_uses_much_memory_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, FILES)
    monkeypatch.setattr(workspace_project, "WorkerProcess", Process)
    monkeypatch.setattr(workspace_project, "FAST_ANALYSIS", 0.0)
    monkeypatch.setattr(workspace_project, "MAX_KEPT_MEMORY", 1)
    monkeypatch.setattr(Process, "jobs", [])
    monkeypatch.setattr(Process, "killed", [])
    project = WorkspaceProject(tmp_path, Documents(), Process(), lambda each: None, print)  # type: ignore[arg-type]
    project.edited()
    await project.complete()
    assert Process.jobs[-1][0] in Process.killed
    project.close()
