"""Parser of the text of one record: a graph break, a recompile, or the recompile limit.

The wordings are those of ``torch/_dynamo/symbolic_convert.py`` (log_graph_break), ``convert_frame.py``, ``guards.py``,
``variables/tensor.py`` and ``exc.py`` from torch 2.0 on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from gblint.confirm.dynamo_names import original_name, resume_point
from gblint.diagnostics.break_event import Outcome
from gblint.knowledge.id_groups import id_group
from gblint.knowledge.messages import recognise
from gblint.knowledge.pasted_errors import Pasted
from gblint.runtime_logs.records import LogFrame, LoggedBreak, LoggedRecompile, RecompileLimitHit, Record

MAX_STACK_FRAMES = 200  # frames of a stack
_FRAME = re.compile(r'\s*(?:- +)?File "(?P<path>[^"]+)", line (?P<line>\d{1,9})(?:, in (?P<function>.+))?$')
_IN_USER_CODE = re.compile(r"Graph break.*? in user code at (?P<path>.+):(?P<line>\d{1,9})\s*$")
# Torch 2.0 starts the stack in the same line.
_JOINED = re.compile(r'(?P<message>Graph break: .*?from user code at)\s+(?P<frame>File ".*)')
_OLD_WORDING = re.compile(r"Graph break: (?P<reason>.*?)\s*(?:from user code at:?|$)")
_SUMMARY = re.compile(
    r"GraphCompileReason\(reason=(?P<reason>'.*?'|\".*?\"), user_stack=\[(?P<stack>.*)\], graph_break=True"
)
_SUMMARY_FRAME = re.compile(r"<FrameSummary file (?P<path>.+?), line (?P<line>\d{1,9}) in (?P<function>[^>]+)>")
_ERROR = re.compile(r"(?:torch\._dynamo\.exc\.)(?P<kind>\w+): ?(?P<message>.*)")
_SKIPPED = re.compile(
    r"(?:skip tracing the frame|frame skipped:) (?P<name>\S+) \((?P<path>.+?) line (?P<line>\d{1,9})\)"
)
_NOT_CONVERTED = re.compile(r"WON'T CONVERT (?P<name>\S+) (?P<path>.+) line (?P<line>\d{1,9})")
_RECOMPILING = re.compile(r"Recompiling function (?P<name>\S+) in (?P<path>.+):(?P<line>\d{1,9})")
_GUARD = re.compile(r"\s*(?:- )*(?:\d+/\d+(?:_\d+)?: )?(?P<guard>\S.*)$")
_GUARD_PLACE = re.compile(r"\s{2,}#\s?(?P<code>.*?)(?:\s+#\s(?P<path>\S+):(?P<line>\d{1,9}) in (?P<function>\S+))?\s*$")
_LIMIT = re.compile(r"hit config\.(?P<setting>\w+) \((?P<limit>\d{1,9})\)")
_LIMIT_FUNCTION = re.compile(r"function: '(?P<name>[^']+)' \((?P<path>.+):(?P<line>\d{1,9})\)")
_LINK = re.compile(r"\bgb(\d{4})\.html")
# Starts of the reasons that show whether the frame can resume.
_CANNOT_RESUME = re.compile(r"Encountered graph break that we cannot resume|cannot properly resume")
_FRAME_SKIPPED = re.compile(
    r"Failed to handle graph break|Skipping the (?:function|frame) and falling back|Graph break: skip:"
)
_PREAMBLE = re.compile(r"Encountered graph break|Failed to handle graph break|Graph break under GenericContextWrapping")
_STACK_FOLLOWS = re.compile(
    r"\s*(?:User code traceback:|from user code:|The graph break occurred in)|.*from user code at:?$"
)
_REASON_ENDS = re.compile(
    r"\s*(?:User code traceback:|from user code:|Stack variable source attribution:|The graph break occurred in)"
)


def parse_record(lines: Sequence[str], compile_id: str = "", frame: str = "") -> Record | None:
    """Return the report in a record; None if the record is not relevant."""
    first = lines[0] if lines else ""
    if found := _RECOMPILING.search(first):
        return _parse_recompile(found, lines[1:], compile_id)
    if found := _LIMIT.search(first):
        return _parse_limit(int(found["limit"]), lines[1:], compile_id)
    if "GraphCompileReason(" in first:
        return _parse_summary(first, compile_id)
    if "Graph break" in first:
        return _parse_break(lines, compile_id, frame)
    if _ERROR.match(first) or _NOT_CONVERTED.match(first):
        return _parse_error(lines, compile_id, frame)
    return None


def is_record_start(text: str) -> bool:
    """Return whether a line starts a record of interest."""
    return (
        text.startswith(("Graph break", "Recompiling function ", "WON'T CONVERT "))
        or "hit config." in text
        or _ERROR.match(text) is not None
        or ("GraphCompileReason(" in text and "graph_break=True" in text)
    )


def record_start(text: str) -> int:
    """Return the column at which a record starts in a line written by another logger; -1 if none does."""
    for mark in (
        "Graph break in user code at ",
        "Graph break (",
        "Graph break: ",
        "Graph break from `",
        "Recompiling function ",
    ):
        start = text.find(mark)
        if start >= 0:
            return start
    limit = text.find("torch._dynamo hit config.")
    return limit if limit >= 0 else (0 if is_record_start(text) else -1)


def stack_of(lines: Sequence[str]) -> tuple[LogFrame, ...]:
    """Return the frames of a traceback that starts with ``lines``; it ends at the next traceback or at
    unindented text."""
    frames: list[LogFrame] = []
    for number, line in enumerate(lines):
        if found := _FRAME.match(line):
            after = lines[number + 1] if number + 1 < len(lines) else ""
            code = after.strip() if after[:1].isspace() and not _FRAME.match(after) else ""
            function = (found["function"] or "").strip()
            frames.append(LogFrame(found["path"], int(found["line"]), function, code.removeprefix("- ").strip()))
        elif frames and line.strip() and not line[:1].isspace() and not line.startswith(("=====", "- ")):
            break
    return merge_resumed(frames)[-MAX_STACK_FRAMES:]


def merge_resumed(frames: Iterable[LogFrame]) -> tuple[LogFrame, ...]:
    """Return the stack with a function and its resume functions as one entry, at the current line."""
    found: list[LogFrame] = []
    for frame in frames:
        resumed = resume_point(frame.function)
        if resumed:
            if found and (found[-1].path, found[-1].function) == (frame.path, resumed.name):
                found.pop()
            frame = replace(frame, function=resumed.name)
        found.append(frame)
    return tuple(found)


def _parse_break(lines: Sequence[str], compile_id: str, frame: str) -> LoggedBreak | None:
    """Parse a report of a graph break."""
    if joined := _JOINED.match(lines[0]):
        lines = (joined["message"], joined["frame"], *lines[1:])
    start = next((number for number, line in enumerate(lines) if _STACK_FOLLOWS.match(line)), None)
    stack = stack_of(lines[start + 1 :]) if start is not None else ()
    secondary = lines[0].startswith("Graph break from `")
    if found := _IN_USER_CODE.match(lines[0]):
        place = LogFrame(found["path"], int(found["line"]))
        if stack and (stack[-1].path, stack[-1].line) == (place.path, place.line):
            place = stack[-1]
        elif stack:
            # The stack is cut off, or it is that of an outer function.
            stack = (*stack, place)
    elif stack:
        place = stack[-1]
    elif found := _SKIPPED.search("\n".join(lines[:4])):
        place = LogFrame(found["path"], int(found["line"]), original_name(found["name"]))
    else:
        return None
    end = next((number for number, line in enumerate(lines) if _REASON_ENDS.match(line)), len(lines))
    message = (
        ["Unsupported Tensor.item() call with capture_scalar_outputs=False"] if secondary else _reason(lines[:end])
    )
    errors = [number for number, line in enumerate(lines) if number and _ERROR.match(line)]
    if not _title(message) and errors:
        # Up to torch 2.5 the reason is only in the error at the end.
        message = [lines[errors[-1]].partition(": ")[2], *lines[errors[-1] + 1 :]]
    record_lines = "\n".join(lines)
    if not _title(message):
        message = ["Dynamo cannot resume from this break and skips the frame" if "skip" in lines[0] else ""]
    return _make_break(
        place,
        stack,
        message,
        _outcome(record_lines, frame),
        compile_id,
        _frame_name(record_lines) or frame,
        secondary=secondary,
    )


def _reason(lines: Sequence[str]) -> list[str]:
    """Return the lines of the reason: after ``Reason:`` or, before torch 2.6, between two marks of the first line."""
    for number, line in enumerate(lines):
        for mark in ("Graph Break Reason: ", "Reason: "):
            if line.startswith(mark):
                return [line.removeprefix(mark), *lines[number + 1 :]]
    found = _OLD_WORDING.match(lines[0])
    reason = found["reason"] if found else ""
    if reason in ("skip:", "") or reason.startswith("torch.compile cannot"):
        return []
    return [reason]


def _parse_error(lines: Sequence[str], compile_id: str, frame: str) -> LoggedBreak | None:
    """Parse an error that Dynamo raised (last lines of a traceback), or its message that a frame is not converted."""
    not_converted = _NOT_CONVERTED.match(lines[0])
    start = next((number for number, line in enumerate(lines) if line.strip() == "from user code:"), None)
    stack = stack_of(lines[start + 1 :]) if start is not None else ()
    heads = [number for number, line in enumerate(lines) if _ERROR.match(line)]
    head = _ERROR.match(lines[heads[-1]]) if heads else None
    if head is None or head["kind"] not in ("Unsupported", "UserError", "UncapturedHigherOrderOpError"):
        return None
    message = [head["message"], *lines[heads[-1] + 1 : start]]
    if not stack:
        return None
    if not_converted is None:
        return _make_break(stack[-1], stack, message, "resumes", compile_id, frame, raises=True)
    return _make_break(stack[-1], stack, message, "frame-eager", compile_id, not_converted["name"], secondary=True)


def _make_break(
    place: LogFrame,
    stack: tuple[LogFrame, ...],
    message: Sequence[str],
    outcome: Outcome,
    compile_id: str,
    frame: str,
    *,
    secondary: bool = False,
    raises: bool = False,
) -> LoggedBreak:
    """Return a break with title, ids and text of a message."""
    text = tuple(line.rstrip() for line in message)
    ids, consequence_ids = ids_in(text)
    return LoggedBreak(
        place,
        stack,
        _title(text),
        ids,
        consequence_ids,
        text,
        outcome,
        raises,
        original_name(frame),
        compile_id,
        secondary,
    )


@lru_cache(maxsize=512)
def ids_in(text: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ids in a message: those of the break itself, and those of its consequences."""
    found = [f"GB{number}" for number in _LINK.findall("\n".join(text))]
    if not found and any(line.strip() for line in text):
        pasted = Pasted(tuple(line for line in text if not _PREAMBLE.match(line)), None)
        found = [match.id for match in recognise(pasted).matches if match.by != "likeness"]
    ids = tuple(dict.fromkeys(found))
    consequences = id_group("consequence")
    own = tuple(gb_id for gb_id in ids if gb_id not in consequences)
    return (own, tuple(gb_id for gb_id in ids if gb_id in consequences)) if own else (ids, ())


def _title(message: Sequence[str]) -> str:
    """Return the first line of a message that is not a preamble."""
    return next((line.strip() for line in message if line.strip() and not _PREAMBLE.match(line.strip())), "")


def _outcome(record_lines: str, frame: str) -> Outcome:
    """Return the outcome of the frame in the record: whether it resumes, or the rest or all of it runs eagerly."""
    if _FRAME_SKIPPED.search(record_lines) or "which results in a skip" in record_lines:
        return "rest-eager" if resume_point(_frame_name(record_lines) or frame) else "frame-eager"
    return "rest-eager" if _CANNOT_RESUME.search(record_lines) else "resumes"


def _frame_name(record_lines: str) -> str:
    found = _SKIPPED.search(record_lines)
    return found["name"] if found else ""


def _parse_summary(line: str, compile_id: str) -> LoggedBreak | None:
    """Parse the reason with which a graph was compiled."""
    found = _SUMMARY.search(line)
    if found is None:
        return None
    stack = merge_resumed(
        LogFrame(each["path"], int(each["line"]), each["function"]) for each in _SUMMARY_FRAME.finditer(found["stack"])
    )[-MAX_STACK_FRAMES:]
    reason = found["reason"][1:-1].replace("\\n", "\n")
    return (
        _make_break(stack[-1], stack, reason.split("\n"), "resumes", compile_id, "", secondary=True) if stack else None
    )


def _parse_recompile(head: re.Match[str], lines: Sequence[str], compile_id: str) -> LoggedRecompile:
    """Parse the report of a recompilation."""
    function = LogFrame(head["path"], int(head["line"]), head["name"])
    for line in lines:
        text = line.strip()
        if text and not text.startswith(("triggered by", "guard ", "User stack trace")):
            guard, place = guard_of(line)
            return LoggedRecompile(function, guard, place, compile_id)
    return LoggedRecompile(function, "", None, compile_id)


def guard_of(line: str) -> tuple[str, LogFrame | None]:
    """Return a guard without its compile id, and the place that follows it."""
    found = _GUARD.match(line)
    guard = found["guard"] if found else line.strip()
    comment = _GUARD_PLACE.search(guard)
    if comment is None:
        return guard, None
    place = None
    if comment["path"]:
        place = LogFrame(comment["path"], int(comment["line"]), comment["function"], comment["code"])
    return guard[: comment.start()].rstrip(), place


def _parse_limit(limit: int, lines: Sequence[str], compile_id: str) -> RecompileLimitHit | None:
    """Parse the report that the recompile limit was reached."""
    function = next((found for line in lines if (found := _LIMIT_FUNCTION.search(line))), None)
    if function is None:
        return None
    reason = next((line.split("last reason:", 1)[1] for line in lines if "last reason:" in line), "")
    place = LogFrame(function["path"], int(function["line"]), function["name"])
    return RecompileLimitHit(place, limit, guard_of(reason)[0], compile_id)
