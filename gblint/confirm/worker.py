"""The process that runs the user's code, with Dynamo listened to.

What it finds goes to a file, rewritten as the run goes on: the user's code may print what it likes, and may end the
process at any moment.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib.util
import io
import json
import runpy
import sys
import threading
import time
import types
from collections.abc import Callable
from pathlib import Path

from gblint.confirm import devices, failures, overlays
from gblint.confirm.failures import RunFailure
from gblint.confirm.jobs import Job, ModeRun
from gblint.confirm.result_recorder import ResultRecorder, recording, writing_on_exit
from gblint.confirm.run import child_processes

_HALF = 0.5  # seconds before the end of the time in which the stack is printed


def main() -> None:
    """Run the job in the folder of the first argument, and write its result there."""
    folder = Path(sys.argv[1]).absolute()
    job = Job.from_json(json.loads((folder / "job.json").read_text(encoding="utf-8")))
    _first_to_go()
    faulthandler.enable()
    faulthandler.dump_traceback_later(max(job.limits.seconds - _HALF, _HALF))
    report = ResultRecorder(job, folder / "result.json")
    status = 1
    try:
        status = _run(job, report)
    except RunFailure as failure:
        report.fail(failure.status, str(failure))
    except BaseException as error:
        failures.print_traceback(error)
        report.fail(*failures.status_and_reason(error, job.root))
    finally:
        faulthandler.cancel_dump_traceback_later()
        report.write(final=True)
    sys.exit(status)


def _run(job: Job, report: ResultRecorder) -> int:
    if importlib.util.find_spec("torch") is None:
        raise RunFailure("missing", f"torch is not installed in the environment of {sys.executable}")
    overlays.install(job.overlays)
    if job.target.kind == "entry":
        from gblint.confirm import entry_call

        return entry_call.run(job, report)
    if job.device != "auto":
        devices.choose_device(job.device)
    how: dict[str, Callable[[Job, ResultRecorder], int]] = {"script": _script, "module": _module, "pytest": _pytest}
    child_processes.capture_children(report.path.parent)
    with writing_on_exit(report), recording(report):
        if job.backend is not None:
            devices.replace_backend(job.backend)
        status = how[job.target.kind](job, report)
        _wait_for_threads()
    report.device = devices.accelerator_in_use()
    report.exit_status = status
    return status


def _wait_for_threads() -> None:
    """As Python itself does at its end (``threading._shutdown``): pools are told to end, and the others waited for."""
    for told in reversed(getattr(threading, "_threading_atexits", ())):
        told()
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()


def _script(job: Job, report: ResultRecorder) -> int:
    """As ``python script arguments`` does it."""
    name = job.target.name
    path = Path(name)
    sys.argv = [name, *job.target.args]
    if not path.is_file():  # a folder or an archive with a __main__
        return _exit_status(lambda: runpy.run_path(name, run_name="__main__"), job, report)
    sys.path[0] = str(path.resolve().parent)
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=str(path.absolute()), __cached__=None, __builtins__=__builtins__)
    sys.modules["__main__"] = module
    with io.open_code(str(path.absolute())) as file:
        source = file.read()

    def run() -> None:
        exec(compile(source, str(path.absolute()), "exec"), module.__dict__)

    return _exit_status(run, job, report)


def _module(job: Job, report: ResultRecorder) -> int:
    """As ``python -m module arguments`` does it."""
    name = job.target.name
    sys.argv = [name, *job.target.args]
    sys.path[0] = job.root
    return _exit_status(lambda: runpy.run_module(name, run_name="__main__", alter_sys=True), job, report)


def _pytest(job: Job, report: ResultRecorder) -> int:
    """As ``python -m pytest arguments`` does it; a break belongs to the test that runs."""
    try:
        import pytest
    except ImportError:
        raise RunFailure("missing", f"pytest is not installed in the environment of {sys.executable}") from None

    class Attribution:
        @staticmethod
        def pytest_runtest_logstart(nodeid: str) -> None:
            report.seen.during = nodeid

        @staticmethod
        def pytest_runtest_logfinish() -> None:
            report.seen.during = ""

    sys.argv = ["pytest", *job.target.args]
    sys.path[0] = job.root
    status = int(pytest.main(list(job.target.args), plugins=[Attribution()]))
    if status > 1:
        said = {2: "it was interrupted", 4: "its arguments are wrong", 5: "no tests were collected"}
        report.fail("error", f"pytest ended with exit status {status}: {said.get(status, 'an internal error')}")
    return status


def _exit_status(run: Callable[[], object], job: Job, report: ResultRecorder) -> int:
    """Run to the end; the exit status that Python would leave with."""
    start = time.perf_counter()
    try:
        run()
        return 0
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException as error:
        failures.print_traceback(error)
        report.fail(*failures.status_and_reason(error, job.root))
        return 1
    finally:
        report.passes.append(ModeRun("run", compiled=time.perf_counter() - start))


def _first_to_go() -> None:
    """No core is dumped, and when the system runs out of memory this process goes before others."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
