"""Write the pages about the rules: an index, and a page for each rule from its docstring and its examples."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

import mkdocs_gen_files

from gblint.report.explain_answers import url
from gblint.rules import Example, Rule, all_rules


def page(rule: Rule) -> Iterator[str]:
    """Yield the page of one rule."""
    yield f"# {rule.code}: {rule.name}\n"
    since = f" · since torch {rule.since}" if rule.since else ""
    until = f" · until torch {rule.until}" if rule.until else ""
    ids = f" · torch's ids: {linked(rule.gb_ids)}" if rule.gb_ids else ""
    off = " · off unless selected" if rule.opt_in else ""
    yield f"{rule.category.value} · {rule.severity.value}{off}{ids}{since}{until}\n"
    yield rule.documentation + "\n"
    for title, shown in rule.sections:
        yield from examples(title, shown)
    yield from fixes(rule)


def fixes(rule: Rule) -> Iterator[str]:
    """Yield the section on fixes, if the rule has any."""
    if rule.FIXES:
        ways = ", ".join(f"`{name}`" for name in rule.fix_names)
        yield f"## Fixes\n\nWays to fix it, the preferred one first: {ways}.\n"
    for example in rule.FIXES:
        lines = difflib.unified_diff(example.before.splitlines(), example.after.splitlines(), n=99, lineterm="")
        kind = "safe" if example.safe else "unsafe"
        shown = "\n".join(list(lines)[3:])
        yield f"{kind}{f', as `{example.choice}`' if example.choice else ''}:\n\n```diff\n{shown}\n```\n"


def examples(title: str, shown: tuple[Example, ...]) -> Iterator[str]:
    """Yield a section of examples; the test suite runs Dynamo on each."""
    yield f"## {title}\n"
    for example in shown:
        yield f"```python\n{example.source.strip()}\n```\n"


def index(rules: tuple[Rule, ...]) -> Iterator[str]:
    """Yield the table of all rules."""
    yield "# Rules\n"
    yield "Every example on these pages is run through Dynamo by the test suite: it breaks where it says so.\n"
    yield "| Code | Name | What | torch's ids |"
    yield "| --- | --- | --- | --- |"
    for rule in rules:
        yield f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.summary} | {linked(rule.gb_ids)} |"


def linked(gb_ids: Iterable[str]) -> str:
    """Return torch's ids with links to torch's pages about them."""
    return ", ".join(f"[{gb_id}]({url(gb_id)})" for gb_id in gb_ids)


def write(path: str, lines: Iterator[str]) -> None:
    """Write a page of the site."""
    with mkdocs_gen_files.open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


write("rules/index.md", index(all_rules()))
for each in all_rules():
    write(f"rules/{each.code}.md", page(each))
