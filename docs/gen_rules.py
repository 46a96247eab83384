"""Write the pages about the rules: an index, and a page for each rule from its docstring and its examples."""

from __future__ import annotations

import base64
import difflib
import json
import re
from collections.abc import Iterable, Iterator

import mkdocs_gen_files

from gblint.knowledge.version_choice import JUDGED
from gblint.report.explain_answers import url
from gblint.rules import Example, Rule, all_rules


def family(rule: Rule) -> str:
    """Return the name of the family of a rule: that of its folder, as words."""
    return rule.__class__.__module__.split(".")[-2].replace("_", " ")


def fix(rule: Rule) -> str:
    """Return how far a rule's findings are fixed: by a safe fix, by an unsafe one, or not at all."""
    if any(example.safe for example in rule.FIXES):
        return "safe"
    return "unsafe" if rule.FIXES else "none"


def page(rules: tuple[Rule, ...], number: int) -> Iterator[str]:
    """Yield the page of one rule."""
    rule = rules[number]
    yield f"# {rule.code}: {rule.name}\n"
    since = f" · since torch {rule.since}" if rule.since else ""
    until = f" · until torch {rule.until}" if rule.until else ""
    ids = f" · torch's ids: {linked(rule.gb_ids)}" if rule.gb_ids else ""
    off = " · off unless selected" if rule.opt_in else ""
    fixed = {"safe": " · [safe fix](#fixes)", "unsafe": " · [unsafe fix](#fixes)", "none": " · no fix"}[fix(rule)]
    kin = f"[{family(rule)}](#family-{family(rule).replace(' ', '-')})"
    yield f"{kin} · {rule.category.value} · {rule.severity.value}{off}{fixed}{ids}{since}{until}\n"
    yield rule.documentation + "\n"
    for title, shown in rule.sections:
        yield from examples(title, shown)
    yield from fixes(rule)
    yield from neighbours(rules, number)


def neighbours(rules: tuple[Rule, ...], number: int) -> Iterator[str]:
    """Yield the links to the rules of the same family, and to those before and after a rule."""
    rule = rules[number]
    same = [f"[{each.code} {each.name}]({each.code}.md)" for each in rules if family(each) == family(rule)]
    yield f"## Family: {family(rule)}\n"
    yield ", ".join(each for each in same if f"({rule.code}.md)" not in each) + "\n"
    before = f"[← {rules[number - 1].code} {rules[number - 1].name}]({rules[number - 1].code}.md)" if number else ""
    last = number + 1 == len(rules)
    after = "" if last else f"[{rules[number + 1].code} {rules[number + 1].name} →]({rules[number + 1].code}.md)"
    yield " · ".join(each for each in (before, "[all rules](index.md)", after) if each) + "\n"


def fixes(rule: Rule) -> Iterator[str]:
    """Yield the section on fixes, if the rule has any."""
    if rule.FIXES:
        ways = ", ".join(f"`{name}`" for name in rule.fix_names)
        yield f"## Fixes\n\nWays to fix it, the preferred one first: {ways}.\n"
    for example in rule.FIXES:
        lines = difflib.unified_diff(example.before.splitlines(), example.after.splitlines(), n=99, lineterm="")
        kind = "safe" if example.safe else "unsafe"
        shown = "\n".join(list(lines)[3:])
        named = f", as `{example.choice}`" if example.choice else ""
        inside = "\n".join(f"    {line}" for line in f"```diff\n{shown}\n```".splitlines())
        yield f'??? example "Show the fix ({kind}{named})"\n\n{inside}\n'


def examples(title: str, shown: tuple[Example, ...]) -> Iterator[str]:
    """Yield a section of examples; the test suite runs Dynamo on each."""
    yield f"## {title}\n"
    for example in shown:
        yield f"```python\n{example.source.strip()}\n```\n"
        if title == "Breaks" and not example.files:
            address = f"../playground.html#{in_playground(example)}"
            yield f'<a class="playground-link" href="{address}">Open in the playground</a>\n'


def in_playground(example: Example) -> str:
    """Return the fragment of the playground's address that opens an example; it is compiled there as the tests do."""
    text = example.source.strip() + "\n"
    if not re.search(r"torch\.compile\b|torch\._dynamo\.(optimize|export)|torch\.export\.export", text):
        compiled = "Net()" if re.search(r"^class Net\b", text, re.MULTILINE) else "f"
        text += f"\n\ncompiled = torch.compile({compiled})\n"
    version = example.since or JUDGED
    return base64.urlsafe_b64encode(json.dumps({"text": text, "version": version}).encode()).decode().rstrip("=")


def index(rules: tuple[Rule, ...]) -> Iterator[str]:
    """Yield the table of all rules."""
    yield "---\nhide: [navigation, toc]\n---\n"
    yield "# Rules\n"
    yield "The test suite runs each example under Dynamo, which breaks on the marked lines and no others.\n"
    yield "The column *fix* says whether a fix is safe: it changes nothing that a program can observe.\n"
    yield '<div class="rule-filter" hidden></div>\n'
    yield "| Code | Name | What | Family | Fix | On | Torch | Torch's ids |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for rule in rules:
        on = "if selected" if rule.opt_in else "yes"
        limits = [*([f"from {rule.since}"] if rule.since else []), *([f"before {rule.until}"] if rule.until else [])]
        torch = " ".join(limits) or "all"
        cells = (f"[{rule.code}]({rule.code}.md)", rule.name, rule.summary, family(rule), fix(rule), on, torch)
        yield f"| {' | '.join(cells)} | {linked(rule.gb_ids)} |"


def linked(gb_ids: Iterable[str]) -> str:
    """Return torch's ids with links to torch's pages about them."""
    return ", ".join(f"[{gb_id}]({url(gb_id)})" for gb_id in gb_ids)


def write(path: str, lines: Iterator[str]) -> None:
    """Write a page of the site."""
    with mkdocs_gen_files.open(path, "w") as file:
        file.write("\n".join(lines) + "\n")


write("rules/index.md", index(all_rules()))
for position, each in enumerate(all_rules()):
    write(f"rules/{each.code}.md", page(all_rules(), position))
