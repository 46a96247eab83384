"""The pages about rules: Markdown for hovers, and files that the code of a diagnostic links to."""

from __future__ import annotations

from functools import cache

from gblint import __version__
from gblint.cache import user_dirs
from gblint.editors.server.documents import uri_of
from gblint.report.explain_answers import url
from gblint.report.markup import sections
from gblint.rules import Rule, rule_by_code
from gblint.runtime.files import write_whole


def markdown(rule: Rule, examples: bool = True) -> str:
    """Return the page about a rule in Markdown."""
    parts = [f"# {rule.code} {rule.name}", rule.summary]
    for section in sections(rule.documentation):
        parts += [f"## {section.title}"] if section.title else []
        parts += section.paragraphs
    if examples:
        for title, shown in rule.sections:
            parts += [f"## {title}", "```python\n" + shown[0].source.strip("\n") + "\n```"]
    if rule.gb_ids:
        parts.append("Torch's ids: " + ", ".join(f"[{gb_id}]({url(gb_id)})" for gb_id in rule.gb_ids))
    return "\n\n".join(parts) + "\n"


@cache
def page_of(code: str) -> str | None:
    """Return the URI of a file with the page about a rule; None if it cannot be written."""
    rule = rule_by_code(code)
    if rule is None:
        return None
    path = user_dirs.user_cache() / "rules" / __version__ / f"{rule.code}.md"
    text = markdown(rule)
    try:
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, text.encode())
    except (OSError, UnicodeError):
        return None
    return uri_of(path)
