"""A line of a log taken apart: who wrote it, which record it belongs to, what it says.

``torch/_logging/_internal.py`` (TorchLogsFormatter) puts one prefix before every line of a record, the same for all of
them.  Torch 2.4 and later write ``V1121 14:00:00.123000 pid file:line] [0/0] [__graph_breaks] ``, torch 2.0 to 2.3
``[2024-01-08 11:14:49,372] [0/0] torch._dynamo.symbolic_convert.__graph_breaks: [DEBUG] ``; in front of either stand
``[rank0]:`` and what torchrun and others put there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_PREFIX = re.compile(
    r"""
    (?P<lead>.{0,400}?)  # a progress bar, a host, a time
    (?:
        [VDIWEC]\d{4,8}\s\d\d:\d\d:\d\d\.\d+\s+(?:(?P<pid>\d+)\s+)?[^\s:\]]+:\d+\](?=\s|$)
      | \[\d{4}-\d\d-\d\d\s\d\d:\d\d:\d\d,\d+\](?P<old>\s\[[^\]\s]+\])?\s+torch\.[\w.]+:\s\[[A-Z]+\](?=\s|$)
    )
    (?:\s\[(?P<id>!?[\d/_-]+)\])?
    (?:\s\[__(?P<artifact>\w+)\])?
    \s?
    """,
    re.VERBOSE,
)
# torch's own rank prefix, torchrun's (``--tee``), srun's label, the mark of pytest's error lines.
_RANKED = re.compile(r"\[?(?:rank|default)(\d{1,6})\]?:\s?")
_LABEL = re.compile(r"\s*(?:(?:\[(?:rank|default)\d+\]:|rank\d+:)\s?)+|\d{1,5}: |E {3}(?: {4})?")
_ATTEMPT = re.compile(r"(?<=\d)_\d+$")


@dataclass(frozen=True, slots=True)
class LogLine:
    """``head`` is the whole prefix, the same for all lines of a record; empty for a line that has none.

    ``stream`` tells processes and ranks apart.  ``compile_id`` is without the number of the attempt.
    """

    text: str
    head: str = ""
    stream: str = ""
    rank: int | None = None
    compile_id: str = ""


def decode(raw: bytes) -> str:
    """The text of a line without its end, colours and what a carriage return has overwritten."""
    text = raw.decode("utf-8", errors="replace").rstrip("\r\n")
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    return text.rsplit("\r", 1)[-1] if "\r" in text else text


def split_prefix(text: str) -> LogLine:
    """Take the prefix off."""
    found = _PREFIX.match(text)
    if found is None:
        label = _LABEL.match(text)
        lead = label[0] if label else ""
        return LogLine(text[len(lead) :], "", lead.strip(), _rank(lead))
    compile_id = found["id"] or (found["old"] or "").strip(" []")
    lead = found["lead"]
    label = _LABEL.match(lead)
    stream = f"{label[0].strip() if label else ''} {found['pid'] or ''}".strip()
    return LogLine(text[found.end() :], found[0].rstrip(), stream, _rank(lead), without_attempt(compile_id))


def without_attempt(compile_id: str) -> str:
    """A compile id without the attempt: ``3/0_1`` and ``3/0`` are one compilation."""
    return _ATTEMPT.sub("", compile_id)


def _rank(lead: str) -> int | None:
    ranks = _RANKED.findall(lead)
    if ranks:
        return int(ranks[-1])
    label = re.match(r"(\d{1,5}): ", lead)
    return int(label[1]) if label else None
