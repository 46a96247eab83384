"""Executors: a pool of threads, and a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gblint.confirm.executors import SchedulerError, executor
from gblint.confirm.jobs import Job, Limits, Result, Target
from gblint.confirm.run.runner import run_job


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, dashboard_address=None, worker_dashboard_address=None
    ) as cluster:
        yield cluster.scheduler_address


def jobs(folder: Path) -> list[Job]:
    texts = {"one.py": "import torch", "other.py": "raise SystemExit('no')"}
    for name, text in texts.items():
        (folder / name).write_text(text)
    return [Job(name, Target("script", name), str(folder), limits=Limits(120)) for name in texts]


def run(folder: Path, scheduler: str | None) -> list[Result]:
    work = jobs(folder)
    with executor(len(work), 2, scheduler) as pool:
        futures = [pool.submit(run_job, job.as_json()) for job in work]
        return [Result.from_json(future.result(180)) for future in futures]


def test_a_cluster_gives_the_results_of_this_machine(tmp_path: Path, scheduler: str) -> None:
    here, there = run(tmp_path, None), run(tmp_path, scheduler)
    assert [(r.job, r.status, r.exit_status) for r in here] == [("one.py", "ok", 0), ("other.py", "ok", 1)]
    assert [(r.job, r.status, r.exit_status) for r in there] == [(r.job, r.status, r.exit_status) for r in here]


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://x"])
def test_a_scheduler_that_does_not_exist(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("gblint.confirm.executors.CONNECT_SECONDS", 1.0)
    with pytest.raises(SchedulerError, match="no scheduler answers at"), executor(1, None, address):
        pass
