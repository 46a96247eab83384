"""Worker process: runs the user's code and records what Dynamo does.

The result goes to a file that is rewritten during the run, because the user's code may print anything and may end the
process at any time.
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
from gblint.confirm.earlier_import import EarlierImport
from gblint.confirm.failures import RunFailure
from gblint.confirm.jobs import Job, ModeRun
from gblint.confirm.result_recorder import ResultRecorder, recording, writing_on_exit
from gblint.confirm.run import child_processes

_DUMP_MARGIN = 0.5  # seconds before the timeout at which the stack is printed


def main(earlier: EarlierImport | None = None) -> None:
    """Run the job in the folder named by the first argument, and write its result there.

    ``earlier``: the state of a process that had imported torch before.
    """
    folder = Path(sys.argv[1]).absolute()
    job = Job.from_json(json.loads((folder / "job.json").read_text(encoding="utf-8")))
    _prefer_oom_kill()
    faulthandler.enable()
    faulthandler.dump_traceback_later(max(job.limits.seconds - _DUMP_MARGIN, _DUMP_MARGIN))
    recorder = ResultRecorder(job, folder / "result.json")
    status = 1
    try:
        status = _run(job, recorder, earlier)
    except RunFailure as failure:
        recorder.fail(failure.status, str(failure))
    except BaseException as error:
        failures.print_traceback(error)
        recorder.fail(*failures.status_and_reason(error, job.root))
    finally:
        faulthandler.cancel_dump_traceback_later()
        recorder.write(final=True)
    sys.exit(status)


def _run(job: Job, recorder: ResultRecorder, earlier: EarlierImport | None) -> int:
    """Run the job and return the exit status."""
    if importlib.util.find_spec("torch") is None:
        raise RunFailure("missing", f"torch is not installed in the environment of {sys.executable}")
    overlays.install(job.overlays)
    if job.target.kind == "entry":
        from gblint.confirm import entry_call

        return entry_call.run(job, recorder, earlier)
    if job.device != "auto":
        devices.choose_device(job.device)
    runners: dict[str, Callable[[Job, ResultRecorder], int]] = {"script": _script, "module": _module, "pytest": _pytest}
    child_processes.capture_children(recorder.path.parent)
    with writing_on_exit(recorder), recording(recorder):
        if job.backend is not None:
            devices.replace_backend(job.backend)
        status = runners[job.target.kind](job, recorder)
        _wait_for_threads()
    recorder.device = devices.accelerator_in_use()
    recorder.exit_status = status
    return status


def _wait_for_threads() -> None:
    """Run the exit hooks of ``threading`` and join non-daemon threads, as ``threading._shutdown`` does at interpreter
    exit.
    """
    for exit_hook in reversed(getattr(threading, "_threading_atexits", ())):
        exit_hook()
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()


def _script(job: Job, recorder: ResultRecorder) -> int:
    """Run a script as ``python script arguments`` does."""
    name = job.target.name
    path = Path(name)
    sys.argv = [name, *job.target.args]
    if not path.is_file():  # a folder or an archive with a __main__
        return _exit_status(lambda: runpy.run_path(name, run_name="__main__"), job, recorder)
    sys.path[0] = str(path.resolve().parent)
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=str(path.absolute()), __cached__=None, __builtins__=__builtins__)
    sys.modules["__main__"] = module
    with io.open_code(str(path.absolute())) as file:
        source = file.read()

    def run() -> None:
        exec(compile(source, str(path.absolute()), "exec"), module.__dict__)

    return _exit_status(run, job, recorder)


def _module(job: Job, recorder: ResultRecorder) -> int:
    """Run a module as ``python -m module arguments`` does."""
    name = job.target.name
    sys.argv = [name, *job.target.args]
    sys.path[0] = job.root
    return _exit_status(lambda: runpy.run_module(name, run_name="__main__", alter_sys=True), job, recorder)


def _pytest(job: Job, recorder: ResultRecorder) -> int:
    """Run ``python -m pytest arguments``; each break is attributed to the test that is running."""
    try:
        import pytest
    except ImportError:
        raise RunFailure("missing", f"pytest is not installed in the environment of {sys.executable}") from None

    class Attribution:
        @staticmethod
        def pytest_runtest_logstart(nodeid: str) -> None:
            recorder.captured.during = nodeid

        @staticmethod
        def pytest_runtest_logfinish() -> None:
            recorder.captured.during = ""

    sys.argv = ["pytest", *job.target.args]
    sys.path[0] = job.root
    status = int(pytest.main(list(job.target.args), plugins=[Attribution()]))
    if status > 1:
        reasons = {2: "it was interrupted", 4: "its arguments are wrong", 5: "no tests were collected"}
        recorder.fail("error", f"pytest ended with exit status {status}: {reasons.get(status, 'an internal error')}")
    return status


def _exit_status(run: Callable[[], object], job: Job, recorder: ResultRecorder) -> int:
    """Run ``run`` to its end and return the exit status that Python would exit with."""
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
        recorder.fail(*failures.status_and_reason(error, job.root))
        return 1
    finally:
        recorder.passes.append(ModeRun("run", compiled=time.perf_counter() - start))


def _prefer_oom_kill() -> None:
    """Disable core dumps, and make the system's out-of-memory killer choose this process before others."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
