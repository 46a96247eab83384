"""Lines of a log: prefix, rank, process, compile id and text.

``torch/_logging/_internal.py`` (TorchLogsFormatter) puts the same prefix before every line of a record. Torch 2.4 and
later write ``V1121 14:00:00.123000 pid file:line] [0/0] [__graph_breaks] ``, torch 2.0 to 2.3 ``[2024-01-08
11:14:49,372] [0/0] torch._dynamo.symbolic_convert.__graph_breaks: [DEBUG] ``. Either may follow ``[rank0]:`` and labels
of torchrun and other launchers.
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
# torch's own rank prefix, torchrun's (``--tee``), srun's label, pytest's mark of error lines.
_RANK_LABEL = re.compile(r"\[?(?:rank|default)(\d{1,6})\]?:\s?")
_LABEL = re.compile(r"\s*(?:(?:\[(?:rank|default)\d+\]:|rank\d+:)\s?)+|\d{1,5}: |E {3}(?: {4})?")
_ATTEMPT = re.compile(r"(?<=\d)_\d+$")


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of a log.

    - ``prefix``: the whole prefix, equal for all lines of a record; "" for a line without one.
    - ``stream``: identifies the process and rank.
    - ``compile_id``: without the number of the attempt.
    """

    text: str
    prefix: str = ""
    stream: str = ""
    rank: int | None = None
    compile_id: str = ""


def decode(raw: bytes) -> str:
    """Return the text of a line without its end, colors, and text overwritten after a carriage return."""
    text = raw.decode("utf-8", errors="replace").rstrip("\r\n")
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    return text.rsplit("\r", 1)[-1] if "\r" in text else text


def split_prefix(text: str) -> LogLine:
    """Split a line into prefix and text."""
    found = _PREFIX.match(text)
    if found is None:
        label = _LABEL.match(text)
        label_text = label[0] if label else ""
        return LogLine(text[len(label_text) :], "", label_text.strip(), _rank(label_text))
    compile_id = found["id"] or (found["old"] or "").strip(" []")
    label_text = found["lead"]
    label = _LABEL.match(label_text)
    stream = f"{label[0].strip() if label else ''} {found['pid'] or ''}".strip()
    return LogLine(text[found.end() :], found[0].rstrip(), stream, _rank(label_text), without_attempt(compile_id))


def without_attempt(compile_id: str) -> str:
    """Return a compile id without the attempt: ``3/0_1`` and ``3/0`` are the same compilation."""
    return _ATTEMPT.sub("", compile_id)


def _rank(label_text: str) -> int | None:
    """Return the rank that a label names, or None."""
    ranks = _RANK_LABEL.findall(label_text)
    if ranks:
        return int(ranks[-1])
    label = re.match(r"(\d{1,5}): ", label_text)
    return int(label[1]) if label else None
