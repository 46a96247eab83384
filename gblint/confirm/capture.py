"""Capture of what Dynamo does: graph breaks, graphs, recompilations, and the lines in compiled code.

Functions of torch are wrapped for a while; no logging is switched on. Functions that a version of torch lacks are not
wrapped.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import CodeType
from typing import Any

from gblint.confirm.dynamo_names import original_name, resume_point
from gblint.confirm.import_hooks import after_import
from gblint.confirm.jobs import (
    BreakOutcome,
    CompiledGraph,
    ObservedBreak,
    Recompile,
    SkippedFrame,
    with_outcome_at_least,
)
from gblint.confirm.line_coverage import LineRecorder
from gblint.diagnostics.span import ChainLink
from gblint.knowledge.id_groups import id_group

MAX_MESSAGE_CHARACTERS = 8000  # characters of a message
MAX_CALLER_FRAMES = 60  # callers of the compiled frame that are kept

# The frame of a comprehension is compiled by itself only if the enclosing function is not; its argument is an iterator,
# so it breaks with an id of the group "iterator-argument".
_COMPREHENSIONS = ("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>")

_ID_LINK = re.compile(r"\bgb(\d{4})\.html", re.IGNORECASE)
_TRACEBACK_LINE = re.compile(r'File "([^"\n]+)", line (\d+)(?:, in (.+))?')
# Starts of the reasons that Dynamo logs if it cannot resume after the break (torch/_dynamo/symbolic_convert.py).
_REASON_OUTCOMES: tuple[tuple[str, BreakOutcome], ...] = (
    ("Encountered graph break that we cannot", "rest-eager"),
    ("Failed to handle graph break", "frame-eager"),
)
_RECORDED_MARK = "_gblint_noted"
# Importing this module imports the others whose functions are wrapped.
_CONVERT_FRAME = "torch._dynamo.convert_frame"


class CaptureError(RuntimeError):
    """This torch has none of the functions at which graph breaks can be observed."""


@dataclass
class DynamoCapture:
    """Breaks, graphs, recompilations, skipped frames and traced lines captured so far.

    - ``during``: mode or test that is running; stored with each later break, graph and recompile.
    - ``traced``: lines in compiled code, by file.
    - ``compile_s``: seconds spent in Dynamo and the backend.
    - ``frames``: number of compiled frames.
    - ``on_change``: called after each break.
    """

    during: str = ""
    graphs: list[CompiledGraph] = field(default_factory=list)
    recompiles: list[Recompile] = field(default_factory=list)
    skipped: list[SkippedFrame] = field(default_factory=list)
    traced: dict[str, set[int]] = field(default_factory=dict)
    compile_s: float = 0.0
    frames: int = 0
    on_change: Callable[[], None] = lambda: None
    _breaks: dict[object, ObservedBreak] = field(default_factory=dict)

    @property
    def breaks(self) -> list[ObservedBreak]:
        """The breaks, in the order in which they were first reported."""
        return list(self._breaks.values())

    def add_break(self, found: ObservedBreak) -> object:
        """Add a break, or count one more report of it, and return its key."""
        key = found.key
        known = self._breaks.get(key)
        if known is not None:
            found = replace(with_outcome_at_least(known, found.outcome), count=known.count + 1)
        self._breaks[key] = found
        self.on_change()
        return key

    def worsen(self, key: object, outcome: BreakOutcome) -> None:
        """Raise the outcome of a break that turned out to cost more."""
        if key in self._breaks:
            self._breaks[key] = with_outcome_at_least(self._breaks[key], outcome)

    def clear(self) -> None:
        """Forget the breaks, graphs and times, but keep the lines."""
        self._breaks.clear()
        for each in (self.graphs, self.recompiles, self.skipped):
            each.clear()
        self.compile_s, self.frames = 0.0, 0


@contextlib.contextmanager
def capture(files: Iterable[str] = (), captured: DynamoCapture | None = None) -> Iterator[DynamoCapture]:
    """Capture everything that Dynamo does inside, into ``captured``; skipped frames are recorded for ``files`` only.

    Torch is not imported: the hooks are installed when Dynamo is imported. CaptureError is raised here, or at that
    import, if breaks cannot be observed.
    """
    hooks = _DynamoHooks(files, DynamoCapture() if captured is None else captured)
    with contextlib.ExitStack() as stack:
        if _CONVERT_FRAME in sys.modules:
            hooks.install(stack)
        else:
            after_import(_CONVERT_FRAME, lambda: hooks.install(stack), stack)
        yield hooks.captured


def ids_in(text: str) -> tuple[str, ...]:
    """Return the graph-break ids that a message of Dynamo links to."""
    return tuple(dict.fromkeys(f"GB{number}" for number in _ID_LINK.findall(with_id_link(text))))


def with_id_link(text: str) -> str:
    """Return a message with the link to its id.

    Torch before 2.9 has no link in the message; the id is looked up in the registry by the break type, which has a line
    of its own.
    """
    if _ID_LINK.search(text) is None:
        for line in text.splitlines():
            if line in _ids_by_type():
                return f"{text}\n{_ids_by_type()[line].lower()}.html"
    return text


@dataclass
class _CompilingFrame:
    """A frame that Dynamo is compiling.

    ``attempt`` is the output graph of the current attempt, and ``lines`` are the lines traced in it, by file.
    ``break_keys`` are the breaks in the frame.
    """

    link: ChainLink
    resumed: bool
    break_keys: list[object] = field(default_factory=list)
    attempt: object = None
    lines: dict[str, set[int]] = field(default_factory=dict)


class _DynamoHooks:
    """Wrappers around functions of Dynamo that record their arguments and results."""

    def __init__(self, files: Iterable[str], captured: DynamoCapture) -> None:
        self.captured = captured
        self._watched = LineRecorder(files)
        self._local = threading.local()

    @property
    def frames(self) -> list[_CompilingFrame]:
        """The frames that this thread is compiling, outermost first."""
        try:
            return self._local.frames  # type: ignore[no-any-return]
        except AttributeError:
            self._local.frames = []
            return self._local.frames  # type: ignore[no-any-return]

    def install(self, stack: contextlib.ExitStack) -> None:
        """Wrap the functions of Dynamo until ``stack`` is closed."""
        import torch
        from torch._dynamo import convert_frame, output_graph, symbolic_convert

        translator = getattr(symbolic_convert, "InstructionTranslatorBase", None)
        # Before torch 2.10 log_graph_break is a function of the module; the error is an argument only since 2.11.
        logger = translator if hasattr(translator, "log_graph_break") else symbolic_convert
        if not hasattr(logger, "log_graph_break") or not hasattr(convert_frame, "ConvertFrameAssert"):
            raise CaptureError(f"graph breaks cannot be captured with torch {torch.__version__}")
        _wrap(stack, logger, "log_graph_break", self._on_graph_break)
        _wrap(stack, convert_frame.ConvertFrameAssert, "__call__", self._on_convert_frame)
        _wrap(stack, convert_frame, "get_and_maybe_log_recompilation_reasons", self._on_recompile)
        _wrap(stack, translator, "starts_line", self._on_starts_line)
        _wrap(stack, output_graph.OutputGraph, "call_user_compiler", self._on_backend_compile)

    # -- wrappers ----------------------------------------------------------------------------------------------------

    def _on_graph_break(self, original: Any, *args: Any, **kwargs: Any) -> None:
        """Record a break that Dynamo logs (``log_graph_break``)."""
        given = inspect.signature(original).bind(*args, **kwargs).arguments
        reason, error = given.get("reason", ""), given.get("exc")
        if error is None or not error.logged:
            error = error or sys.exc_info()[1]
            stack = given.get("user_stack") or getattr(error, "real_stack", None)
            stack = stack or _guards().TracingContext.extract_stack()
            outcome: BreakOutcome = next(
                (outcome for start, outcome in _REASON_OUTCOMES if reason.startswith(start)), "resumes"
            )
            self._record_break(error or RuntimeError(reason), stack, outcome)
        original(*args, **kwargs)

    def _on_convert_frame(self, original: Any, converter: Any, frame: Any, *args: Any, **kwargs: Any) -> Any:
        """Compile a frame (``ConvertFrameAssert.__call__``), and record the traced lines, or why it was skipped."""
        code = frame.f_code
        resumed = resume_point(code.co_name)
        link = ChainLink(code.co_filename, code.co_firstlineno, resumed.name if resumed else code.co_name)
        compiling = _CompilingFrame(link, bool(resumed))
        self.frames.append(compiling)
        trace, start = sys.gettrace(), time.perf_counter()
        # Otherwise the trace function would be called for every line of Dynamo itself.
        sys.settrace(None)
        try:
            result = original(converter, frame, *args, **kwargs)
        except Exception as error:
            self._record_error(error, converter, code)
            raise
        finally:
            sys.settrace(trace)
            self.frames.pop()
            if not self.frames:
                self.captured.compile_s += time.perf_counter() - start
        if getattr(result, "guarded_code", result) is None:
            if compiling.break_keys:
                # Before torch 2.11 the break's own report does not show that the frame is skipped.
                self.captured.worsen(compiling.break_keys[-1], "rest-eager" if resumed else "frame-eager")
            else:
                self._record_skip(code, link, getattr(result, "skip_reason", None) or "Dynamo skipped the frame")
        else:
            self.captured.frames += 1
            for path, lines in compiling.lines.items():
                self.captured.traced.setdefault(path, set()).update(lines)
        return result

    def _record_error(self, error: Exception, converter: Any, code: CodeType) -> None:
        """Record the error that made Dynamo give up a frame, unless it was logged as a break before."""
        if getattr(error, _RECORDED_MARK, False) or getattr(error, "logged", False):
            return
        link = self.frames[-1].link
        is_unsupported = isinstance(error, _unsupported())
        box = getattr(converter, "_box", None)
        error_on_break = getattr(converter, "_one_graph", False) or getattr(box, "error_on_graph_break", False)
        stack = getattr(error, "real_stack", None) or _user_stack_in_text(error)
        if not is_unsupported:
            if _suppressed():
                # Dynamo only warns about it.
                self._record_skip(code, link, f"An error was suppressed: {str(error).strip().partition(chr(10))[0]}")
            elif isinstance(error, _dynamo_errors()):
                self._record_break(error, stack, "raises")
        elif error_on_break:
            self._record_break(error, stack, "raises")
        elif hasattr(error, "compile_id") and hasattr(error, "real_stack"):
            self._record_break(error, stack, "frame-eager")
        else:
            # Dynamo does not log these: generators, and frames at the recompile limit.
            self._record_skip(code, link, str(error).strip().partition("\n")[0])

    def _record_skip(self, code: CodeType, link: ChainLink, reason: str) -> None:
        """Record a frame of a watched file that Dynamo skipped without a break."""
        found = SkippedFrame(link, reason)
        if self._watched.path_of(code) is not None and found not in self.captured.skipped:
            self.captured.skipped.append(found)

    def _on_recompile(self, original: Any, entries: Any, frame: Any, *args: Any, **kwargs: Any) -> Any:
        """Record the guard that failed for a recompilation."""
        reasons = original(entries, frame, *args, **kwargs)
        # torch 2.10 calls this twice, the second time only for its own statistics.
        if not kwargs.get("skip_logging"):
            code = frame.f_code
            link = ChainLink(code.co_filename, code.co_firstlineno, original_name(code.co_name))
            self.captured.recompiles.append(Recompile(link, reasons[0] if reasons else "", self.captured.during))
        return reasons

    def _on_starts_line(self, original: Any, translator: Any, line: int) -> None:
        """Record a line that Dynamo traces."""
        original(translator, line)
        if self.frames:
            frame = self.frames[-1]
            # Each attempt has its own output graph; only the lines of the last attempt are compiled.
            if frame.attempt is not translator.output:
                frame.attempt, frame.lines = translator.output, {}
            frame.lines.setdefault(translator.f_code.co_filename, set()).add(line)

    def _on_backend_compile(self, original: Any, output: Any, graph: Any, *args: Any, **kwargs: Any) -> Any:
        """Record a graph that the backend compiles, with its time."""
        operations = sum(node.op.startswith("call_") for node in graph.graph.nodes)
        link = self.frames[-1].link if self.frames else ChainLink("", 0, "")
        start = time.perf_counter()
        try:
            return original(output, graph, *args, **kwargs)
        finally:
            self.captured.graphs.append(
                CompiledGraph(link, operations, time.perf_counter() - start, self.captured.during)
            )

    def _record_break(self, error: BaseException, stack: Any, outcome: BreakOutcome) -> None:
        """Add a break to the capture."""
        with contextlib.suppress(AttributeError):
            setattr(error, _RECORDED_MARK, True)
        # Report the break that caused this one, if there is one.
        while isinstance(error.__cause__, _unsupported()):
            error = error.__cause__
            stack = getattr(error, "real_stack", None) or stack
        text = str(error)
        ids = ids_in(text)
        own_ids = tuple(gb_id for gb_id in ids if gb_id not in id_group("consequence"))
        frame = self.frames[-1] if self.frames else _CompilingFrame(ChainLink("", 0, ""), False)
        if frame.resumed and outcome == "frame-eager":
            outcome = "rest-eager"
        key = self.captured.add_break(
            ObservedBreak(
                stack=tuple(ChainLink(f.filename, f.lineno or 0, original_name(f.name)) for f in stack)
                or (frame.link,),
                gb_ids=own_ids or ids,
                message=text[:MAX_MESSAGE_CHARACTERS],
                frame=frame.link,
                outcome=outcome,
                above=_callers(),
                primary=(bool(own_ids) or not ids)
                and not (set(own_ids) == id_group("iterator-argument") and frame.link.function in _COMPREHENSIONS),
                during=self.captured.during,
            )
        )
        frame.break_keys.append(key)


def _wrap(stack: contextlib.ExitStack, owner: Any, name: str, wrapper: Callable[..., Any]) -> None:
    """Replace ``owner.name`` until ``stack`` is closed by a function that calls ``wrapper`` with the original first."""
    original = getattr(owner, name, None)
    if original is None:
        return

    @functools.wraps(original)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return wrapper(original, *args, **kwargs)

    setattr(owner, name, wrapped)
    stack.callback(setattr, owner, name, original)


def _callers() -> tuple[ChainLink, ...]:
    """Return the user's call stack above the frame that is being compiled, outermost first."""
    import torch

    own = (str(Path(torch.__file__).parent), str(Path(__file__).parent), "<frozen")
    found: list[ChainLink] = []
    frame = inspect.currentframe()
    while frame is not None and len(found) < MAX_CALLER_FRAMES:
        path = frame.f_code.co_filename
        if not path.startswith(own):
            found.append(ChainLink(path, frame.f_lineno or 0, original_name(frame.f_code.co_name)))
        frame = frame.f_back
    return tuple(reversed(found))


@dataclass(frozen=True)
class _TracebackLine:
    """A line of a traceback in the text of an error."""

    filename: str
    lineno: int
    name: str


def _user_stack_in_text(error: BaseException) -> list[_TracebackLine]:
    """Return the user stack that the text of an error contains."""
    _, marker, traceback = str(error).partition("from user code:")
    return [
        _TracebackLine(path, int(line), (name or "").strip())
        for path, line, name in _TRACEBACK_LINE.findall(traceback if marker else "")
    ]


def _unsupported() -> tuple[type[BaseException], ...]:
    from torch._dynamo import exc

    return (exc.Unsupported, exc.UserError)


def _dynamo_errors() -> type[BaseException]:
    from torch._dynamo import exc

    return exc.TorchDynamoException


def _suppressed() -> bool:
    from torch._dynamo import config

    return bool(config.suppress_errors)


def _guards() -> Any:
    import torch._guards

    return torch._guards


@functools.cache
def _ids_by_type() -> dict[str, str]:
    """Return the id of each break type in torch's registry."""
    import torch._dynamo

    path = Path(torch._dynamo.__file__).with_name("graph_break_registry.json")
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}  # torch before 2.8 has no registry
    return {entry[0]["Gb_type"]: gb_id for gb_id, entry in entries.items()}
