"""Recording of the lines of some files that run, by ``sys.monitoring`` (Python 3.12) or a trace function.

Each line is recorded once and not traced again, so that a loop costs little.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FrameType
from typing import Any

_MONITORING: Any = getattr(sys, "monitoring", None)

TraceFunction = Callable[[FrameType, str, Any], Any]


class PathSet:
    """Set of files and folders; a folder ends in a separator and contains everything below it."""

    def __init__(self, paths: Iterable[str]) -> None:
        real = [os.path.realpath(path) + (os.sep if path.endswith(os.sep) else "") for path in paths]
        self._files = frozenset(path for path in real if not path.endswith(os.sep))
        self._folders = tuple(path for path in real if path.endswith(os.sep))

    def __contains__(self, path: str) -> bool:
        return path in self._files or path.startswith(self._folders)

    def __bool__(self) -> bool:
        return bool(self._files or self._folders)


class LineRecorder:
    """Recorder of the lines of ``files`` that run while it is switched on.

    Code that Dynamo generates keeps the line numbers of the parts that run in Python, so these lines count too.
    """

    def __init__(self, files: Iterable[str]) -> None:
        self.files = PathSet(files)
        self.executed: dict[str, set[int]] = {}
        self._paths: dict[str, str | None] = {}
        # By identity, since hashing a code object hashes its whole contents.
        self._codes: dict[int, tuple[CodeType, TraceFunction | None]] = {}
        self._tool: int | None = None

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """Record inside this context."""
        if not self.files:
            yield
            return
        if _MONITORING is not None:
            self._start_monitoring()
        before = sys.gettrace()
        if self._tool is None:
            threading.settrace(self._on_call)
            sys.settrace(self._on_call)
        try:
            yield
        finally:
            if self._tool is None:
                sys.settrace(before)
                threading.settrace(before)
            else:
                self._stop_monitoring()

    def path_of(self, code: CodeType) -> str | None:
        """Return the watched file of a code object, or None."""
        name = code.co_filename
        if name not in self._paths:
            path = name if name.startswith("<") else os.path.realpath(name)
            self._paths[name] = path if path in self.files else None
        return self._paths[name]

    # -- a trace function --------------------------------------------------------------------------------------------

    def _on_call(self, frame: FrameType, event: str, argument: Any) -> TraceFunction | None:
        """Return the trace function of a frame (see ``sys.settrace``)."""
        code = frame.f_code
        known = self._codes.get(id(code))
        if known is None:
            known = self._codes[id(code)] = (code, self._tracer(code))
        return known[1]

    def _tracer(self, code: CodeType) -> TraceFunction | None:
        """Return a trace function for a code object, or None for a file that is not watched."""
        path = self.path_of(code)
        if path is None:
            return None
        executed = self.executed.setdefault(path, set())
        remaining = {line for _, _, line in code.co_lines() if line is not None} - executed

        def on_line(frame: FrameType, event: str, argument: Any) -> TraceFunction | None:
            if event == "line":
                executed.add(frame.f_lineno)
                remaining.discard(frame.f_lineno)
                if not remaining:
                    self._codes[id(code)] = (code, None)
            return on_line

        return on_line

    # -- sys.monitoring ----------------------------------------------------------------------------------------------

    def _start_monitoring(self) -> None:
        # Tool ids 3 and 4 are not reserved; debuggers, coverage tools, profilers and optimizers have fixed ids.
        self._tool = next((tool for tool in (3, 4) if _MONITORING.get_tool(tool) is None), None)
        if self._tool is None:
            return
        events = _MONITORING.events
        _MONITORING.use_tool_id(self._tool, "gblint")
        _MONITORING.register_callback(self._tool, events.PY_START, self._on_start)
        _MONITORING.register_callback(self._tool, events.LINE, self._on_line)
        _MONITORING.set_events(self._tool, events.PY_START)
        _MONITORING.restart_events()

    def _stop_monitoring(self) -> None:
        _MONITORING.set_events(self._tool, 0)
        _MONITORING.free_tool_id(self._tool)
        self._tool = None

    def _on_start(self, code: CodeType, offset: int) -> Any:
        """Switch on line events for a code object of a watched file."""
        if self.path_of(code) is not None:
            _MONITORING.set_local_events(self._tool, code, _MONITORING.events.LINE)
        return _MONITORING.DISABLE

    def _on_line(self, code: CodeType, line: int) -> Any:
        """Record a line, and switch off its event."""
        path = self.path_of(code)
        if path is not None:
            self.executed.setdefault(path, set()).add(line)
        return _MONITORING.DISABLE
