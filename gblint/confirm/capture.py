"""Listens to Dynamo: every graph break, graph, recompilation, and the lines that end up in compiled code.

Works by wrapping a few functions of torch's for a while, and asks for nothing to be logged.  What a version of torch
does not have is left out.
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

# What follows from an earlier break rather than being one: a break in a loop that skips the frame, under a context
# manager that cannot be resumed, or with something alive (a generator, say) that cannot be carried into the next graph.
FALLOUT = frozenset({"GB7000", "GB0066", "GB0091", "GB0092", "GB8335"})
MAX_MESSAGE_CHARACTERS = 8000  # characters of a message
MAX_CALLER_FRAMES = 60  # frames above the compiled one

# The frame of a comprehension is compiled by itself only where the function around it is not, and is given an iterator.
_ITERATOR = ("GB4347",)
_COMPREHENSIONS = ("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>")

_LINK = re.compile(r"\bgb(\d{4})\.html", re.IGNORECASE)
_TOLD = re.compile(r'File "([^"\n]+)", line (\d+)(?:, in (.+))?')
_RESUMED = re.compile(r"torch_dynamo_resume_in_(.*)_at_\d+")
# How the reasons begin that Dynamo logs where it cannot resume (torch/_dynamo/symbolic_convert.py).
_REASONS: tuple[tuple[str, BreakOutcome], ...] = (
    ("Encountered graph break that we cannot", "rest-eager"),
    ("Failed to handle graph break", "frame-eager"),
)
_NOTED = "_gblint_noted"
# It imports the other modules whose functions are wrapped.
_DYNAMO = "torch._dynamo.convert_frame"


class CaptureError(RuntimeError):
    """This torch has none of the places where breaks can be seen."""


@dataclass
class Capture:
    """What was seen so far.

    ``during`` is put on everything that comes next: the pass or the test that is running.  ``traced`` has the lines
    that are in compiled code, by file, ``frames`` the number of frames that were compiled.  ``on_change`` is called
    after each break.
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
        """The breaks in the order in which they were first seen."""
        return list(self._breaks.values())

    def note(self, found: ObservedBreak) -> object:
        """Take a break, or one more report of it; the key it is kept by."""
        key = found.key
        known = self._breaks.get(key)
        if known is not None:
            found = replace(with_outcome_at_least(known, found.outcome), count=known.count + 1)
        self._breaks[key] = found
        self.on_change()
        return key

    def lost(self, key: object, outcome: BreakOutcome) -> None:
        """A break cost more than it seemed to."""
        if key in self._breaks:
            self._breaks[key] = with_outcome_at_least(self._breaks[key], outcome)

    def clear(self) -> None:
        """Forget the breaks, graphs and times; the lines stay."""
        self._breaks.clear()
        for each in (self.graphs, self.recompiles, self.skipped):
            each.clear()
        self.compile_s, self.frames = 0.0, 0


@contextlib.contextmanager
def capture(files: Iterable[str] = (), seen: Capture | None = None) -> Iterator[Capture]:
    """Everything that Dynamo does inside, added to ``seen``; frames that it skips are listed for ``files`` only.

    Torch is not imported by this: what is imported inside is listened to from then on.  CaptureError is raised, there
    or here, where breaks cannot be seen.
    """
    listener = _Listener(files, Capture() if seen is None else seen)
    with contextlib.ExitStack() as stack:
        if _DYNAMO in sys.modules:
            listener.install(stack)
        else:
            after_import(_DYNAMO, lambda: listener.install(stack), stack)
        yield listener.seen


def ids_in(text: str) -> tuple[str, ...]:
    """The ids that a message of Dynamo's links to."""
    return tuple(dict.fromkeys(f"GB{number}" for number in _LINK.findall(with_link(text))))


def with_link(text: str) -> str:
    """A message with the link to its id: torch before 2.9 has it in its registry only, by the type that stands on a
    line of its own."""
    if _LINK.search(text) is None:
        for line in text.splitlines():
            if line in _by_type():
                return f"{text}\n{_by_type()[line].lower()}.html"
    return text


@dataclass
class _Frame:
    """A frame that Dynamo is compiling, and the lines of the attempt that is under way."""

    link: ChainLink
    resumed: bool
    broken: list[object] = field(default_factory=list)
    attempt: object = None
    lines: dict[str, set[int]] = field(default_factory=dict)


class _Listener:
    """Turns what the wrapped functions are given into data."""

    def __init__(self, files: Iterable[str], seen: Capture) -> None:
        self.seen = seen
        self._watched = LineRecorder(files)
        self._local = threading.local()

    @property
    def frames(self) -> list[_Frame]:
        """The frames that this thread is compiling, outermost first."""
        try:
            return self._local.frames  # type: ignore[no-any-return]
        except AttributeError:
            self._local.frames = []
            return self._local.frames  # type: ignore[no-any-return]

    def install(self, stack: contextlib.ExitStack) -> None:
        """Wrap what is to be heard of, until ``stack`` is left."""
        import torch
        from torch._dynamo import convert_frame, output_graph, symbolic_convert

        translator = getattr(symbolic_convert, "InstructionTranslatorBase", None)
        # It is a function of the module before torch 2.10, and is given the error only since 2.11.
        logger = translator if hasattr(translator, "log_graph_break") else symbolic_convert
        if not hasattr(logger, "log_graph_break") or not hasattr(convert_frame, "ConvertFrameAssert"):
            raise CaptureError(f"graph breaks cannot be captured with torch {torch.__version__}")
        _wrap(stack, logger, "log_graph_break", self._logged)
        _wrap(stack, convert_frame.ConvertFrameAssert, "__call__", self._converting)
        _wrap(stack, convert_frame, "get_and_maybe_log_recompilation_reasons", self._recompiling)
        _wrap(stack, translator, "starts_line", self._at_line)
        _wrap(stack, output_graph.OutputGraph, "call_user_compiler", self._compiling)

    # -- what the wrapped functions are called with ------------------------------------------------------------------

    def _logged(self, original: Any, *args: Any, **kwargs: Any) -> None:
        given = inspect.signature(original).bind(*args, **kwargs).arguments
        reason, error = given.get("reason", ""), given.get("exc")
        if error is None or not error.logged:
            error = error or sys.exc_info()[1]
            stack = given.get("user_stack") or getattr(error, "real_stack", None)
            stack = stack or _guards().TracingContext.extract_stack()
            outcome: BreakOutcome = next(
                (outcome for start, outcome in _REASONS if reason.startswith(start)), "resumes"
            )
            self._broke(error or RuntimeError(reason), stack, outcome)
        original(*args, **kwargs)

    def _converting(self, original: Any, converter: Any, frame: Any, *args: Any, **kwargs: Any) -> Any:
        code = frame.f_code
        resumed = _RESUMED.fullmatch(code.co_name)
        link = ChainLink(code.co_filename, code.co_firstlineno, resumed[1] if resumed else code.co_name)
        mine = _Frame(link, bool(resumed))
        self.frames.append(mine)
        trace, start = sys.gettrace(), time.perf_counter()
        # A trace function would be called for everything that Dynamo itself does.
        sys.settrace(None)
        try:
            result = original(converter, frame, *args, **kwargs)
        except Exception as error:
            self._raised(error, converter, code)
            raise
        finally:
            sys.settrace(trace)
            self.frames.pop()
            if not self.frames:
                self.seen.compile_s += time.perf_counter() - start
        if getattr(result, "guarded_code", result) is None:
            if mine.broken:
                # Before torch 2.11 Dynamo says only afterwards that it skips the frame.
                self.seen.lost(mine.broken[-1], "rest-eager" if resumed else "frame-eager")
            else:
                self._skipped(code, link, getattr(result, "skip_reason", None) or "Dynamo skipped the frame")
        else:
            self.seen.frames += 1
            for path, lines in mine.lines.items():
                self.seen.traced.setdefault(path, set()).update(lines)
        return result

    def _raised(self, error: Exception, converter: Any, code: CodeType) -> None:
        """Dynamo gives up the frame for an error that was not logged as a break on the way."""
        if getattr(error, _NOTED, False) or getattr(error, "logged", False):
            return
        link = self.frames[-1].link
        soft = isinstance(error, _unsupported())
        box = getattr(converter, "_box", None)
        raises = getattr(converter, "_one_graph", False) or getattr(box, "error_on_graph_break", False)
        stack = getattr(error, "real_stack", None) or _told(error)
        if not soft:
            if _suppressed():
                # A warning is all that Dynamo makes of it.
                self._skipped(code, link, f"An error was suppressed: {str(error).strip().partition(chr(10))[0]}")
            elif isinstance(error, _dynamo_errors()):
                self._broke(error, stack, "raises")
        elif raises:
            self._broke(error, stack, "raises")
        elif hasattr(error, "compile_id") and hasattr(error, "real_stack"):
            self._broke(error, stack, "frame-eager")
        else:
            # Dynamo says nothing of these: generators, and frames that were compiled too often.
            self._skipped(code, link, str(error).strip().partition("\n")[0])

    def _skipped(self, code: CodeType, link: ChainLink, reason: str) -> None:
        found = SkippedFrame(link, reason)
        if self._watched.path_of(code) is not None and found not in self.seen.skipped:
            self.seen.skipped.append(found)

    def _recompiling(self, original: Any, entries: Any, frame: Any, *args: Any, **kwargs: Any) -> Any:
        reasons = original(entries, frame, *args, **kwargs)
        # torch 2.10 asks twice, the second time only for its own statistics.
        if not kwargs.get("skip_logging"):
            code = frame.f_code
            link = ChainLink(code.co_filename, code.co_firstlineno, plain_name(code.co_name))
            self.seen.recompiles.append(Recompile(link, reasons[0] if reasons else "", self.seen.during))
        return reasons

    def _at_line(self, original: Any, translator: Any, line: int) -> None:
        original(translator, line)
        if self.frames:
            frame = self.frames[-1]
            # Each attempt begins with an output of its own; only the lines of the last one are compiled.
            if frame.attempt is not translator.output:
                frame.attempt, frame.lines = translator.output, {}
            frame.lines.setdefault(translator.f_code.co_filename, set()).add(line)

    def _compiling(self, original: Any, output: Any, graph: Any, *args: Any, **kwargs: Any) -> Any:
        operations = sum(node.op.startswith("call_") for node in graph.graph.nodes)
        link = self.frames[-1].link if self.frames else ChainLink("", 0, "")
        start = time.perf_counter()
        try:
            return original(output, graph, *args, **kwargs)
        finally:
            self.seen.graphs.append(CompiledGraph(link, operations, time.perf_counter() - start, self.seen.during))

    def _broke(self, error: BaseException, stack: Any, outcome: BreakOutcome) -> None:
        with contextlib.suppress(AttributeError):
            setattr(error, _NOTED, True)
        # A consequence counts for the break behind it.
        while isinstance(error.__cause__, _unsupported()):
            error = error.__cause__
            stack = getattr(error, "real_stack", None) or stack
        text = str(error)
        ids = ids_in(text)
        own = tuple(gb_id for gb_id in ids if gb_id not in FALLOUT)
        frame = self.frames[-1] if self.frames else _Frame(ChainLink("", 0, ""), False)
        if frame.resumed and outcome == "frame-eager":
            outcome = "rest-eager"
        key = self.seen.note(
            ObservedBreak(
                stack=tuple(ChainLink(f.filename, f.lineno or 0, plain_name(f.name)) for f in stack) or (frame.link,),
                gb_ids=own or ids,
                message=text[:MAX_MESSAGE_CHARACTERS],
                frame=frame.link,
                outcome=outcome,
                above=_above(),
                primary=(bool(own) or not ids) and not (own == _ITERATOR and frame.link.function in _COMPREHENSIONS),
                during=self.seen.during,
            )
        )
        frame.broken.append(key)


def plain_name(name: str) -> str:
    """The name of the function that a resume function is the rest of; other names stay as they are."""
    resumed = _RESUMED.fullmatch(name)
    return resumed[1] if resumed else name


def _wrap(stack: contextlib.ExitStack, owner: Any, name: str, wrapper: Callable[..., Any]) -> None:
    """Put ``wrapper``, which is given the original first, around ``owner.name`` until ``stack`` is left."""
    original = getattr(owner, name, None)
    if original is None:
        return

    @functools.wraps(original)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return wrapper(original, *args, **kwargs)

    setattr(owner, name, wrapped)
    stack.callback(setattr, owner, name, original)


def _above() -> tuple[ChainLink, ...]:
    """The user's calls that lead to the frame that is being compiled, outermost first."""
    import torch

    own = (str(Path(torch.__file__).parent), str(Path(__file__).parent), "<frozen")
    found: list[ChainLink] = []
    frame = inspect.currentframe()
    while frame is not None and len(found) < MAX_CALLER_FRAMES:
        path = frame.f_code.co_filename
        if not path.startswith(own):
            found.append(ChainLink(path, frame.f_lineno or 0, plain_name(frame.f_code.co_name)))
        frame = frame.f_back
    return tuple(reversed(found))


@dataclass(frozen=True)
class _Told:
    """A line of a traceback that an error has in its text."""

    filename: str
    lineno: int
    name: str


def _told(error: BaseException) -> list[_Told]:
    """The user's stack as the text of an error tells it."""
    _, marker, told = str(error).partition("from user code:")
    return [_Told(path, int(line), (name or "").strip()) for path, line, name in _TOLD.findall(told if marker else "")]


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
def _by_type() -> dict[str, str]:
    import torch._dynamo

    path = Path(torch._dynamo.__file__).with_name("graph_break_registry.json")
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}  # before torch 2.8 there is none
    return {entry[0]["Gb_type"]: gb_id for gb_id, entry in entries.items()}
