"""From what was counted to findings: the rule, the words and the advice for each break and each recompile of a log."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from gblint.diagnostics.break_event import BreakEvent, Category, Confidence, Consequence
from gblint.diagnostics.finding import Finding, Severity
from gblint.diagnostics.span import ChainLink, Span
from gblint.knowledge.pasted_errors import PastedPlace
from gblint.report.explain_answers import IdAnswer
from gblint.report.explain_lookup import id_answer, registry
from gblint.report.markup import plain
from gblint.rules import Rule, rule_for
from gblint.runtime_logs.counters import BreakCount, FrameCount, LogCounters, RecompileCount, resume_compile_seconds
from gblint.runtime_logs.places import LocalPlace, LogPlaces, OwnCode
from gblint.runtime_logs.records import LogFrame, LoggedBreak

# What is lost: a graph is split in two, the rest of a function or all of it runs eagerly.
_WEIGHT = {"resumes": 1, "rest-eager": 3, "frame-eager": 4}
_FOLLOWING = {"GB7000": "loop", "GB0066": "with"}
_LONGEST_CODE = 60
_MOST_ADVICE = 4
_INTERNAL = re.compile(r"[/\\]torch[/\\](?:_dynamo|nn[/\\]modules[/\\]module\.py$|_inductor|_compile\.py$)")
_RESUMED = re.compile(r"torch_dynamo_resume_in_(?P<name>.+)_at_(?P<line>\d{1,9})$")
# Which of our rules about recompiles a guard is one of, by what it compares; the first that fits.
_GUARDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("optional", re.compile(r"\bis (?:not )?None\b|NoneType")),
    ("length", re.compile(r"\blen\(|length mismatch|\blen mismatch")),
    ("type", re.compile(r"type_id|type mismatch|dtype mismatch|rank mismatch|\btype\(|dispatch key set mismatch")),
    ("mode", re.compile(r"== (?:'|\"|True|False|torch\.)|\bis (?:True|False)\b")),
    ("number", re.compile(r"== -?[\d.]")),
)
_SUBJECT = re.compile(r"L\['(?P<name>\w+)'\](?P<rest>[\w.\[\]']*)|^(?P<plain>[A-Za-z_][\w.]*)(?= (?:==|is|!=))")
_SIZES = "`torch._dynamo.mark_dynamic(x, dim)` before the call, or `torch.compile(dynamic=True)`; or pad to a few sizes"
_SIZE = re.compile(r"size mismatch|stride mismatch|\.size\(\)|\.stride\(\)")


@dataclass(frozen=True, slots=True)
class LoggedFinding:
    """Something that a log tells of, as a finding.

    ``seconds`` is the compile time that goes with it, None where the log has no times.  ``said`` is what torch wrote.
    ``innermost`` is where Dynamo gave up, if that is in a library.
    ``guards`` are the guards of a recompile with how often each failed.  ``predicted`` has the codes that a check of
    the same source gives for the place; None where nothing was compared.  ``changed`` says that the line has another
    text now than when the log was written.
    """

    finding: Finding
    count: int
    ranks: tuple[int, ...]
    seconds: float | None
    weight: int
    place: LogFrame
    said: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    guards: tuple[tuple[str, int], ...] = ()
    limit: int | None = None
    innermost: ChainLink | None = None
    changed: bool = False
    predicted: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class CompileTime:
    """The compilations of one function: ``rest`` is the line where it goes on after a break, 0 for the whole of it."""

    path: str
    line: int
    function: str
    rest: int
    count: int
    seconds: float
    operations: int


def findings_of(tally: LogCounters, places: LogPlaces, own: OwnCode) -> list[LoggedFinding]:
    """Everything that was counted, costliest first."""
    found = [_break(each, tally, places) for each in tally.breaks.values()]
    found += [_recompile(each, tally, places, own) for each in tally.recompiles.values()]
    return sorted(found, key=lambda each: (-(each.seconds or 0.0), -each.count * each.weight, each.finding.span))


def compile_times(tally: LogCounters, places: LogPlaces) -> list[CompileTime]:
    """The functions that were compiled, those that took longest first."""
    found = []
    for each in tally.frames.values():
        resumed = _RESUMED.match(each.function.function)
        found.append(
            CompileTime(
                path=places.path(each.function.path),
                line=each.function.line,
                function=resumed["name"] if resumed else each.function.function,
                rest=int(resumed["line"]) if resumed else 0,
                count=each.count,
                seconds=each.seconds,
                operations=each.operations,
            )
        )
    return sorted(found, key=lambda each: (-each.seconds, each.path, each.line, each.function, each.rest))


def _break(tally: BreakCount, whole: LogCounters, places: LogPlaces) -> LoggedFinding:
    broken, own = tally.broken, tally.own
    here = places.here(own)
    code = own.code or _code(places, here)
    innermost = broken.place if broken.place.code or broken.place != own else replace(own, code=code)
    rule, advice = _advice(broken, innermost)
    finding = Finding(
        code=rule.code if rule else (broken.gb_ids[0] if broken.gb_ids else "graph-break"),
        rule=rule.name if rule else "",
        category=Category.GRAPH_BREAK,
        severity=Severity.ERROR if broken.raises else Severity.WARNING,
        confidence=Confidence.CERTAIN,
        span=_span(places, here),
        message=_message(broken, own, code),
        help=advice[0] if advice else "",
        gb_ids=broken.gb_ids,
        chain=tuple(_chain(broken, places)),
        consequence=_consequence(broken, own),
        cost=tally.count * _WEIGHT[broken.outcome],
    )
    return LoggedFinding(
        finding=finding,
        count=tally.count,
        ranks=tuple(sorted(tally.ranks)),
        seconds=resume_compile_seconds(tally, whole.frames.values()) if whole.frames else None,
        weight=_WEIGHT[broken.outcome],
        place=own,
        innermost=broken.place.link if (broken.place.path, broken.place.line) != (own.path, own.line) else None,
        said=_trimmed(broken.text),
        advice=advice,
        changed=here.changed,
    )


def _message(broken: LoggedBreak, own: LogFrame, code: str) -> str:
    shown = code if len(code) <= _LONGEST_CODE else f"{code[: _LONGEST_CODE - 3]}..."
    title = broken.title or "a graph break"
    message = f"`{shown}`: {title}" if shown else title
    if (broken.place.path, broken.place.line) != (own.path, own.line):
        inside = f"inside `{broken.place.function}`, " if broken.place.function else ""
        message += f", {inside}reached through this call"
    return message


def _advice(broken: LoggedBreak, place: LogFrame) -> tuple[Rule | None, tuple[str, ...]]:
    for gb_id in (*broken.gb_ids, *broken.follows):
        answer = _answer(gb_id, place, broken.text)
        if answer is not None:
            return (answer.rules[0] if answer.rules else None), _items(answer.advice)
    return None, ()


@lru_cache(maxsize=4096)
def _answer(gb_id: str, place: LogFrame, text: tuple[str, ...]) -> IdAnswer | None:
    if gb_id not in registry():
        return None
    return id_answer(gb_id, PastedPlace(place.path, place.line, place.function, place.code), "\n".join(text))


def _items(paragraphs: Iterable[str]) -> tuple[str, ...]:
    """The advice of a page, an item or a paragraph each, in one line."""
    found: list[str] = []
    for paragraph in paragraphs:
        for piece in re.split(r"\n(?=[-*]\s|\d+\.\s)", paragraph):
            text = re.sub(r"^(?:[-*]|\d+\.)\s+", "", plain(piece)).rstrip(";")
            if text:
                found.append(text)
    return tuple(found[:_MOST_ADVICE])


def _consequence(broken: LoggedBreak, own: LogFrame) -> Consequence | None:
    if broken.raises:
        return None
    reason = next((_FOLLOWING[gb_id] for gb_id in broken.follows if gb_id in _FOLLOWING), "")
    return Consequence(broken.outcome, broken.frame or own.function or "the function", reason, own.line)


def _chain(broken: LoggedBreak, places: LogPlaces) -> Iterator[ChainLink]:
    for frame in broken.stack:
        if not _INTERNAL.search(frame.path):
            yield ChainLink(places.path(frame.path), places.here(frame).line, frame.function)


def _span(places: LogPlaces, here: LocalPlace) -> Span:
    text = _code_line(places, here)
    start = len(text) - len(text.lstrip()) + 1 if text.strip() else 1
    return Span(here.path, here.line, start, here.line, max(len(text.rstrip()) + 1, start))


def _code_line(places: LogPlaces, here: LocalPlace) -> str:
    lines = places.source.lines(here.path)
    return lines[here.line - 1] if 1 <= here.line <= len(lines) else ""


def _code(places: LogPlaces, here: LocalPlace) -> str:
    return _code_line(places, here).strip()


def _trimmed(text: tuple[str, ...]) -> tuple[str, ...]:
    lines = [line for line in text if line.strip()]
    return tuple(lines[:20])


def _recompile(tally: RecompileCount, whole: LogCounters, places: LogPlaces, own: OwnCode) -> LoggedFinding:
    function = tally.function
    resumed = _RESUMED.match(function.function)
    name = resumed["name"] if resumed else function.function
    guards = tuple((text, count) for count, text in sorted(tally.guards.values(), reverse=True))
    # The guard's own place is in the user's code; the function may be a library's.
    where = tally.place if tally.place is not None and own(tally.place.path) and not own(function.path) else function
    here = places.function(where) if where is function and not resumed else places.here(where)
    first = guards[0][0] if guards else ""
    rule, help_text = _about_guard(first)
    finding = Finding(
        code=rule.code if rule else "recompile",
        rule=rule.name if rule else "",
        category=Category.RECOMPILE,
        severity=Severity.INFO if tally.limit is None else Severity.WARNING,
        confidence=Confidence.CERTAIN,
        span=_span(places, here),
        message=_recompile_message(name, int(resumed["line"]) if resumed else 0, tally, first),
        help=help_text,
        gb_ids=("GB0039",) if tally.limit is not None else (),
        cost=tally.count * (1 if tally.limit is None else 4),
    )
    times: FrameCount | None = whole.frames.get(function)
    return LoggedFinding(
        finding=finding,
        # A log that was not asked for recompiles still tells of the limit.
        count=max(tally.count, 1),
        ranks=tuple(sorted(tally.ranks)),
        # The first of the versions would have been compiled anyway.
        seconds=(times.seconds * (times.count - 1) / times.count if times else 0.0) if whole.frames else None,
        weight=1 if tally.limit is None else 4,
        place=function,
        guards=guards,
        limit=tally.limit,
        advice=(help_text,) if help_text else (),
    )


def _recompile_message(name: str, rest: int, tally: RecompileCount, guard: str) -> str:
    what = f"the rest of `{name}` from line {rest}" if rest else f"`{name}`"
    failed = f": the guard `{guard}` failed" if guard else ""
    if tally.limit is None:
        return f"{what} is compiled again{failed}"
    versions = f" after {tally.limit} versions" if tally.limit else ""
    return f"{what} runs eagerly{versions}, having hit the recompile limit{failed}"


def _about_guard(guard: str) -> tuple[Rule | None, str]:
    if _SIZE.search(guard):
        return (
            None,
            _SIZES,
        )
    subject = next((name for name, pattern in _GUARDS if pattern.search(guard)), "")
    if not subject:
        return None, ""
    named = _SUBJECT.search(guard)
    expression = (named["plain"] or f"{named['name']}{named['rest']}") if named else guard
    event = BreakEvent("recompile", subject, Span("", 1), "", expression=expression, category=Category.RECOMPILE)
    rule = rule_for(event)
    return rule, rule.help(event) if rule else ""
