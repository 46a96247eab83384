"""Findings of a log: rule, message and advice for each break and recompile."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from gblint.confirm.dynamo_names import resume_point
from gblint.diagnostics.break_event import BreakEvent, Category, Confidence, Consequence
from gblint.diagnostics.finding import Finding, Severity
from gblint.diagnostics.span import ChainLink, Span
from gblint.knowledge.id_groups import id_group
from gblint.knowledge.pasted_errors import PastedPlace
from gblint.report.explain_answers import IdAnswer
from gblint.report.explain_lookup import id_answer, registry
from gblint.report.markup import plain
from gblint.rules import Rule, rule_for
from gblint.runtime_logs.counters import BreakCount, FrameCount, LogCounters, RecompileCount, resume_compile_seconds
from gblint.runtime_logs.places import LocalPlace, LogPlaces, OwnCode
from gblint.runtime_logs.records import LogFrame, LoggedBreak

# Cost of an outcome: a graph is split, the rest of a function runs eagerly, or all of it.
_OUTCOME_WEIGHTS = {"resumes": 1, "rest-eager": 3, "frame-eager": 4}
_MAX_CODE_CHARACTERS = 60
_MAX_ADVICE = 4
_INTERNAL = re.compile(r"[/\\]torch[/\\](?:_dynamo|nn[/\\]modules[/\\]module\.py$|_inductor|_compile\.py$)")
# Subject of gblint's recompile rules by the guard's text; the first match counts.
_GUARD_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("optional", re.compile(r"\bis (?:not )?None\b|NoneType")),
    ("length", re.compile(r"\blen\(|length mismatch|\blen mismatch")),
    ("type", re.compile(r"type_id|type mismatch|dtype mismatch|rank mismatch|\btype\(|dispatch key set mismatch")),
    ("mode", re.compile(r"== (?:'|\"|True|False|torch\.)|\bis (?:True|False)\b")),
    ("number", re.compile(r"== -?[\d.]")),
)
_SUBJECT = re.compile(r"L\['(?P<name>\w+)'\](?P<rest>[\w.\[\]']*)|^(?P<plain>[A-Za-z_][\w.]*)(?= (?:==|is|!=))")
_SIZE_ADVICE = (
    "`torch._dynamo.mark_dynamic(x, dim)` before the call, or `torch.compile(dynamic=True)`; or pad to a few sizes"
)
_SIZE_GUARD = re.compile(r"size mismatch|stride mismatch|\.size\(\)|\.stride\(\)")


@dataclass(frozen=True, slots=True)
class LoggedFinding:
    """A finding of a log.

    - ``seconds``: compile time that it costs; None if the log has no times.
    - ``torch_message``: lines of torch's message.
    - ``innermost``: place of the break if it is in a library.
    - ``guards``: failed guards of a recompile, with their numbers.
    - ``predicted``: codes that a check reports for the place; None without a comparison.
    - ``changed``: the line has another text now than when the log was written.
    """

    finding: Finding
    count: int
    ranks: tuple[int, ...]
    seconds: float | None
    weight: int
    place: LogFrame
    torch_message: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    guards: tuple[tuple[str, int], ...] = ()
    limit: int | None = None
    innermost: ChainLink | None = None
    changed: bool = False
    predicted: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class CompileTime:
    """Compilations of one function; ``resume_line`` is the line at which it resumes after a break, 0 for the whole
    function."""

    path: str
    line: int
    function: str
    resume_line: int
    count: int
    seconds: float
    operations: int


def findings_of(counters: LogCounters, places: LogPlaces, is_own: OwnCode) -> list[LoggedFinding]:
    """Return the findings of everything counted, costliest first."""
    found = [_break(each, counters, places) for each in counters.breaks.values()]
    found += [_recompile(each, counters, places, is_own) for each in counters.recompiles.values()]
    return sorted(found, key=lambda each: (-(each.seconds or 0.0), -each.count * each.weight, each.finding.span))


def compile_times(counters: LogCounters, places: LogPlaces) -> list[CompileTime]:
    """Return the compiled functions, slowest first."""
    found = []
    for each in counters.frames.values():
        resumed = resume_point(each.function.function)
        found.append(
            CompileTime(
                path=places.path(each.function.path),
                line=each.function.line,
                function=resumed.name if resumed else each.function.function,
                resume_line=resumed.line if resumed else 0,
                count=each.count,
                seconds=each.seconds,
                operations=each.operations,
            )
        )
    return sorted(found, key=lambda each: (-each.seconds, each.path, each.line, each.function, each.resume_line))


def _break(counted: BreakCount, counters: LogCounters, places: LogPlaces) -> LoggedFinding:
    """Make the finding of a break."""
    report, user_frame = counted.report, counted.user_frame
    local = places.locate(user_frame)
    code = user_frame.code or _code(places, local)
    innermost = report.place if report.place.code or report.place != user_frame else replace(user_frame, code=code)
    rule, advice = _advice(report, innermost)
    finding = Finding(
        code=rule.code if rule else (report.gb_ids[0] if report.gb_ids else "graph-break"),
        rule=rule.name if rule else "",
        category=Category.GRAPH_BREAK,
        severity=Severity.ERROR if report.raises else Severity.WARNING,
        confidence=Confidence.CERTAIN,
        span=_span(places, local),
        message=_message(report, user_frame, code),
        help=advice[0] if advice else "",
        gb_ids=report.gb_ids,
        chain=tuple(_chain(report, places)),
        consequence=_consequence(report, user_frame),
        cost=counted.count * _OUTCOME_WEIGHTS[report.outcome],
    )
    return LoggedFinding(
        finding=finding,
        count=counted.count,
        ranks=tuple(sorted(counted.ranks)),
        seconds=resume_compile_seconds(counted, counters.frames.values()) if counters.frames else None,
        weight=_OUTCOME_WEIGHTS[report.outcome],
        place=user_frame,
        innermost=report.place.link
        if (report.place.path, report.place.line) != (user_frame.path, user_frame.line)
        else None,
        torch_message=_trimmed(report.text),
        advice=advice,
        changed=local.changed,
    )


def _message(report: LoggedBreak, user_frame: LogFrame, code: str) -> str:
    """Return the message of a break's finding."""
    shown = code if len(code) <= _MAX_CODE_CHARACTERS else f"{code[: _MAX_CODE_CHARACTERS - 3]}..."
    title = report.title or "a graph break"
    message = f"`{shown}`: {title}" if shown else title
    if (report.place.path, report.place.line) != (user_frame.path, user_frame.line):
        inside = f"inside `{report.place.function}`, " if report.place.function else ""
        message += f", {inside}reached through this call"
    return message


def _advice(report: LoggedBreak, place: LogFrame) -> tuple[Rule | None, tuple[str, ...]]:
    """Return the rule for the break's ids, and the advice."""
    for gb_id in (*report.gb_ids, *report.consequence_ids):
        answer = _answer(gb_id, place, report.text)
        if answer is not None:
            return (answer.rules[0] if answer.rules else None), _advice_items(answer.advice)
    return None, ()


@lru_cache(maxsize=4096)
def _answer(gb_id: str, place: LogFrame, text: tuple[str, ...]) -> IdAnswer | None:
    """Return the registry's entry for an id, or None for an unknown id."""
    if gb_id not in registry():
        return None
    return id_answer(gb_id, PastedPlace(place.path, place.line, place.function, place.code), "\n".join(text))


def _advice_items(paragraphs: Iterable[str]) -> tuple[str, ...]:
    """Return the items and paragraphs of an advice page, each as one line."""
    found: list[str] = []
    for paragraph in paragraphs:
        for piece in re.split(r"\n(?=[-*]\s|\d+\.\s)", paragraph):
            text = re.sub(r"^(?:[-*]|\d+\.)\s+", "", plain(piece)).rstrip(";")
            if text:
                found.append(text)
    return tuple(found[:_MAX_ADVICE])


def _consequence(report: LoggedBreak, user_frame: LogFrame) -> Consequence | None:
    """Return the consequence of the break for the function."""
    if report.raises:
        return None
    reasons = dict.fromkeys(id_group("consequence-in-loop"), "loop")
    reasons |= dict.fromkeys(id_group("consequence-in-context-manager"), "with")
    reason = next((reasons[gb_id] for gb_id in report.consequence_ids if gb_id in reasons), "")
    return Consequence(report.outcome, report.frame or user_frame.function or "the function", reason, user_frame.line)


def _chain(report: LoggedBreak, places: LogPlaces) -> Iterator[ChainLink]:
    """Yield the call chain with local places, without frames of torch's own machinery."""
    for frame in report.stack:
        if not _INTERNAL.search(frame.path):
            yield ChainLink(places.path(frame.path), places.locate(frame).line, frame.function)


def _span(places: LogPlaces, local: LocalPlace) -> Span:
    text = _code_line(places, local)
    start = len(text) - len(text.lstrip()) + 1 if text.strip() else 1
    return Span(local.path, local.line, start, local.line, max(len(text.rstrip()) + 1, start))


def _code_line(places: LogPlaces, local: LocalPlace) -> str:
    lines = places.source.lines(local.path)
    return lines[local.line - 1] if 1 <= local.line <= len(lines) else ""


def _code(places: LogPlaces, local: LocalPlace) -> str:
    return _code_line(places, local).strip()


def _trimmed(text: tuple[str, ...]) -> tuple[str, ...]:
    lines = [line for line in text if line.strip()]
    return tuple(lines[:20])


def _recompile(counted: RecompileCount, counters: LogCounters, places: LogPlaces, is_own: OwnCode) -> LoggedFinding:
    """Make the finding of a function's recompilations."""
    function = counted.function
    resumed = resume_point(function.function)
    name = resumed.name if resumed else function.function
    guards = tuple((text, count) for count, text in sorted(counted.guards.values(), reverse=True))
    # If the function is in a library, use the guard's place in the user's code.
    where = (
        counted.place
        if counted.place is not None and is_own(counted.place.path) and not is_own(function.path)
        else function
    )
    local = places.locate_function(where) if where is function and not resumed else places.locate(where)
    first = guards[0][0] if guards else ""
    rule, help_text = _rule_and_advice(first)
    finding = Finding(
        code=rule.code if rule else "recompile",
        rule=rule.name if rule else "",
        category=Category.RECOMPILE,
        severity=Severity.INFO if counted.limit is None else Severity.WARNING,
        confidence=Confidence.CERTAIN,
        span=_span(places, local),
        message=_recompile_message(name, resumed.line if resumed else 0, counted, first),
        help=help_text,
        gb_ids=tuple(id_group("recompile-limit")) if counted.limit is not None else (),
        cost=counted.count * (1 if counted.limit is None else 4),
    )
    times: FrameCount | None = counters.frames.get(function)
    return LoggedFinding(
        finding=finding,
        # Without recompile logging a log still has the limit.
        count=max(counted.count, 1),
        ranks=tuple(sorted(counted.ranks)),
        # The first compilation is needed in any case.
        seconds=(times.seconds * (times.count - 1) / times.count if times else 0.0) if counters.frames else None,
        weight=1 if counted.limit is None else 4,
        place=function,
        guards=guards,
        limit=counted.limit,
        advice=(help_text,) if help_text else (),
    )


def _recompile_message(name: str, resume_line: int, counted: RecompileCount, guard: str) -> str:
    """Return the message of a recompilation's finding."""
    what = f"the rest of `{name}` from line {resume_line}" if resume_line else f"`{name}`"
    failed = f": the guard `{guard}` failed" if guard else ""
    if counted.limit is None:
        return f"{what} is compiled again{failed}"
    versions = f" after {counted.limit} versions" if counted.limit else ""
    return f"{what} runs eagerly{versions}, having hit the recompile limit{failed}"


def _rule_and_advice(guard: str) -> tuple[Rule | None, str]:
    """Return the recompile rule for a guard, and its advice."""
    if _SIZE_GUARD.search(guard):
        return (
            None,
            _SIZE_ADVICE,
        )
    subject = next((name for name, pattern in _GUARD_KINDS if pattern.search(guard)), "")
    if not subject:
        return None, ""
    named = _SUBJECT.search(guard)
    expression = (named["plain"] or f"{named['name']}{named['rest']}") if named else guard
    event = BreakEvent("recompile", subject, Span("", 1), "", expression=expression, category=Category.RECOMPILE)
    rule = rule_for(event)
    return rule, rule.help(event) if rule else ""
