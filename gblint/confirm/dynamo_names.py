"""Names and ids of Dynamo that appear in captures and in logs."""

from __future__ import annotations

import re
from typing import NamedTuple

_RESUME_FUNCTION = re.compile(r"torch_dynamo_resume_in_(.+)_at_(\d{1,9})")


class ResumePoint(NamedTuple):
    """The function whose rest is in a resume function, and the line at which it resumes."""

    name: str
    line: int


def resume_point(name: str) -> ResumePoint | None:
    """Read the name of a resume function, ``torch_dynamo_resume_in_NAME_at_LINE``; None for other names.

    The name is made in ``torch/_dynamo/resume_execution.py``.
    """
    found = _RESUME_FUNCTION.fullmatch(name)
    return None if found is None else ResumePoint(found[1], int(found[2]))


def original_name(name: str) -> str:
    """Return the original function's name for a resume function; other names are unchanged."""
    resumed = resume_point(name)
    return name if resumed is None else resumed.name
