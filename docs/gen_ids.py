"""Write the page with the table of all of torch's ids: the rules that show each, or why none can."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import mkdocs_gen_files

from gblint.knowledge.undetectable_ids import KINDS
from gblint.knowledge.version_choice import JUDGED
from gblint.report.explain_answers import IdAnswer
from gblint.report.explain_lookup import id_answer, registry

INTRODUCTION = f"""\
Every message of Dynamo's about a graph break has an id, `GBnnnn`, and ends in a link to a page about it. This is the
registry of torch {JUDGED} and of its neighbours. An id is *shown* where an example of a rule breaks with it, both in
gblint and in Dynamo itself; the test suite holds that every id of torch {JUDGED} is either shown or has a reason why
source cannot show it. `gblint explain GB0124` says the same of one id, with what torch says about it.
"""
SHOWN = "shown"
OPEN = "open"


def standing(answer: IdAnswer) -> str:
    """The class of an id: shown by an example, or the kind of reason why not."""
    if answer.rules:
        return SHOWN
    return answer.unseen.kind if answer.unseen else OPEN


def page(answers: list[IdAnswer]) -> Iterator[str]:
    """The page: counts by class, then a row for each id."""
    yield "# Torch's ids\n"
    yield INTRODUCTION
    counts = Counter(map(standing, answers))
    yield "| class | ids | meaning |"
    yield "| --- | --- | --- |"
    meanings = {SHOWN: "A rule has an example that breaks with it.", **KINDS, OPEN: "No example yet, and no reason."}
    yield from (f"| {kind} | {counts[kind]} | {meaning} |" for kind, meaning in meanings.items() if counts[kind])
    yield ""
    yield "| id | what torch calls it | class | rules, or why none | torch |"
    yield "| --- | --- | --- | --- | --- |"
    yield from map(row, answers)


def row(answer: IdAnswer) -> str:
    """One id."""
    rules = ", ".join(f"[{rule.code}](../rules/{rule.code}.md)" for rule in answer.rules)
    why = rules or (answer.unseen.why if answer.unseen else "")
    given = f"{answer.versions[0]} to {answer.versions[-1]}" if answer.versions else ""
    name = f'<a id="{answer.entry.id.lower()}"></a>[{answer.entry.id}]({answer.url})'
    return f"| {name} | {cell(answer.entry.type)} | {standing(answer)} | {cell(why)} | {given} |"


def cell(text: str) -> str:
    """``text`` for a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|").replace("*.*", "\\*.\\*").replace("__", "\\_\\_")


with mkdocs_gen_files.open("ids/index.md", "w") as file:
    file.write("\n".join(page([id_answer(gb_id) for gb_id in sorted(registry())])) + "\n")
