"""A whole editing session, step by step as an editor takes them."""

from __future__ import annotations

import pytest
from lsprotocol import types

from tests.editors.server.conftest import Session, Start

pytestmark = pytest.mark.asyncio

HELPER = "def scale(x):\n    return x * 2\n"
TRAIN = """import torch
from helper import scale


@torch.compile
def f(x: torch.Tensor):
    y = scale(x)
    return y + 1
"""
FILES = {"gblint.toml": "", "helper.py": HELPER, "train.py": TRAIN}


async def fixes_of(editor: Session) -> list[types.CodeAction]:
    actions = await editor.actions("train.py", 8)
    return [each for each in actions if each.edit is not None and "noqa" not in each.title]


async def test_a_session(start: Start) -> None:
    editor = await start(FILES)
    editor.open("train.py")
    editor.open("helper.py")
    await editor.until(lambda: editor.logged and "0 graph breaks" in editor.logged[-1])

    # The user types a break; it is shown with its place, its rule and its cost.
    editor.replace("train.py", "    return y + 1", "    print(y)\n    return y + 1")
    await editor.shows("train.py", ("GBL401", 8))
    (found,) = editor.found("train.py")
    assert found.range == types.Range(types.Position(7, 4), types.Position(7, 12))
    assert (found.severity, found.source) == (types.DiagnosticSeverity.Warning, "gblint")
    assert found.code_description is not None
    assert found.code_description.href.endswith("GBL401.md")
    assert editor.diagnostics[editor.uri("train.py")].version == editor.versions[editor.uri("train.py")]

    # The hover explains the break.
    printed = await editor.asked(lambda: editor.hover("train.py", 8, 6), lambda text: "**In compiled code**" in text)
    assert "**GBL401** print-call" in printed
    assert "tensor" in printed

    # The code lens above the compiled function has its number of graphs.
    assert await editor.lenses("train.py") == [(6, "1 graph break, 2 graphs")]

    # The fix removes the break.
    fixes = await editor.asked(lambda: fixes_of(editor), bool)
    assert fixes[0].edit is not None
    editor.apply(fixes[0].edit)
    await editor.shows("train.py")

    # A break typed in the helper is shown there, although the entry point is in another file.
    editor.replace("helper.py", "x * 2", "x * x.max().item()")
    await editor.shows("helper.py", ("GBL101", 2))
    (found,) = editor.found("helper.py")
    related = found.related_information or []
    assert [(each.location.uri, each.location.range.start.line) for each in related] == [(editor.uri("train.py"), 6)]

    # While the code has a syntax error, the earlier findings stay.
    editor.replace("helper.py", "def scale(x):", "def scale(x:")
    await editor.until(lambda: any("syntax" in each.message for each in editor.found("helper.py")))
    editor.replace("helper.py", "def scale(x:", "def scale(x):")
    await editor.shows("helper.py", ("GBL101", 2))

    # A new configuration takes effect once it is saved.
    (editor.root / "gblint.toml").write_text('ignore = ["GBL101"]\n')
    editor.files_changed("gblint.toml")
    await editor.shows("helper.py")
    (editor.root / "gblint.toml").write_text('ignor = ["GBL101"]\n')
    editor.files_changed("gblint.toml")
    await editor.until(lambda: editor.found("gblint.toml"))
    assert "did you mean 'ignore'?" in editor.found("gblint.toml")[0].message
    assert any("ignor" in each.message for each in editor.messages)
    assert editor.codes("helper.py") == []
    (editor.root / "gblint.toml").write_text("")
    editor.files_changed("gblint.toml")
    await editor.shows("helper.py", ("GBL101", 2))
    await editor.shows("gblint.toml")

    # A closed file is read from the disk.
    editor.close("helper.py")
    await editor.shows("helper.py")
    assert await editor.end() == 0


async def test_what_is_opened_again_is_shown_again(start: Start) -> None:
    # Neovim forgets the diagnostics of a buffer that it closes.
    editor = await start({**FILES, "train.py": TRAIN.replace("    return", "    print(y)\n    return")})
    editor.open("train.py")
    await editor.shows("train.py", ("GBL401", 8))
    editor.close("train.py")
    editor.diagnostics.clear()
    editor.open("train.py")
    await editor.shows("train.py", ("GBL401", 8))
    assert await editor.end() == 0


async def test_fixes_that_are_not_worked_out_are_told(start: Start) -> None:
    broken = TRAIN.replace("    return", "    print(y)\n    return")
    editor = await start({**FILES, "train.py": f"{broken}#{'-' * 1_000_000}\n"})
    editor.open("train.py")
    await editor.shows("train.py", ("GBL401", 8))

    def told() -> list[str]:
        return [each.message for each in editor.messages if "not worked out" in each.message]

    await editor.asked(lambda: fixes_of(editor), lambda _: told())
    assert await fixes_of(editor) == []
    assert len(told()) == 1
    assert told()[0].endswith("train.py:8: the fixes of a finding were not worked out: that takes too long")
    assert await editor.end() == 0
