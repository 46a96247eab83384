"""Text on the conditions under which a finding is reached."""

from __future__ import annotations

from collections.abc import Callable

from gblint.diagnostics.break_event import Category
from gblint.diagnostics.finding import Finding
from gblint.diagnostics.reach import ReachCondition
from gblint.project.source_text import place

MOST = 3  # conditions in a sentence
LONGEST = 60  # characters of a condition that is quoted in a brief sentence


def sentence(finding: Finding, at: Callable[[str, int], str] = place) -> str:
    """Return the conditions on the path to a finding, first the last ones of those that matter most; "" without any.

    ``at`` formats a file and a line.
    """
    ranked = [each for each in finding.when if each.reach == finding.reach] or list(finding.when)
    if not ranked:
        return ""
    shown = ranked[-MOST:]
    others = [each for each in finding.when if each not in shown]
    named = [brief(each) for each in others[:MOST]]
    left = len(others) - len(named)
    if left:
        named.append(f"{left} more {'condition' if left == 1 else 'conditions'}")
    rest = f" (other conditions on the path: {'; '.join(named)})" if named else ""
    return ", and ".join(phrase(each, f" ({at(each.path, each.line)})") for each in shown) + rest + _then(finding)


def _then(finding: Finding) -> str:
    """Return how sure a break is once its conditions hold, as the end of a sentence; "" for other findings."""
    if finding.category not in (Category.GRAPH_BREAK, Category.COMPILE_ERROR):
        return ""
    what = "break" if finding.category is Category.GRAPH_BREAK else "error"
    return f": the {what} is {finding.confidence.value} then"


def nearest(finding: Finding) -> ReachCondition | None:
    """Return the last condition on the path that decides how far the finding is reached; None if there is none."""
    return next((each for each in reversed(finding.when) if each.reach == finding.reach), None)


def phrase(each: ReachCondition, where: str = "") -> str:
    """Return a condition and its outcome; ``where`` is the text on its place."""
    return f"`{each.text}`{where} is {_outcome(each)}"


def brief(each: ReachCondition) -> str:
    """Return a condition and its outcome; a long condition is named by its place."""
    if len(each.text) <= LONGEST:
        return phrase(each)
    return f"the condition at {place(each.path, each.line)} is {_outcome(each)}"


def _outcome(each: ReachCondition) -> str:
    if each.text.startswith("call "):
        return "made"
    if each.text.startswith(("except", "case ")):
        return "entered"
    return "true" if each.holds else "false"
