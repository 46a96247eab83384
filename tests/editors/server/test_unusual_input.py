"""Unusual texts, files and moments: the server keeps running."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from lsprotocol import types

from tests.editors.server.conftest import LIMIT, Start, write

pytestmark = pytest.mark.asyncio

BREAKS = """import torch


@torch.compile
def f(x: torch.Tensor):
    print(x)
    return x + 1
"""


async def test_two_hundred_edits_in_a_row(start: Start) -> None:
    editor = await start({"a.py": BREAKS})
    editor.open("a.py")
    await editor.shows("a.py", ("GBL401", 6))
    for number in range(100):
        editor.replace("a.py", "    return", f"    y{number} = x.sum(\n    return")
        editor.replace("a.py", f"    y{number} = x.sum(\n", f"    y{number} = x.sum()\n")
    await editor.shows("a.py", ("GBL401", 6))
    editor.replace("a.py", "    return x", "    x.max().item()\n    return x")
    await editor.shows("a.py", ("GBL401", 6), ("GBL101", 107))
    assert editor.diagnostics[editor.uri("a.py")].version == editor.versions[editor.uri("a.py")]
    assert editor.messages == []


async def test_texts_that_are_no_python(start: Start) -> None:
    editor = await start({"a.py": BREAKS, "latin.py": b"# caf\xe9\nx = 1\n", "empty.py": ""})
    await editor.until(lambda: editor.found("latin.py"))
    assert editor.found("latin.py")[0].message.startswith("not analysed: not valid UTF-8")
    editor.open("empty.py")
    editor.open("a.py")
    await editor.shows("a.py", ("GBL401", 6))
    for text in (
        "\0",
        "(" * 5000,
        "\ud800x",
        "a\fb\x0bc\u2028d\n)",
        "x = 1\r\ny = (\r",
        "\ufeffimport torch\n",
        "def f(:\n",
    ):
        editor.change("a.py", text)
        await editor.hover("a.py", 1, 1)
        await editor.actions("a.py", 1)
        await editor.lenses("a.py")
    editor.change("a.py", BREAKS.replace("\n", "\r\n"))
    await editor.shows("a.py", ("GBL401", 6))
    assert editor.messages == []
    assert await editor.end() == 0


async def test_a_file_of_many_lines(start: Start) -> None:
    body = "".join(f"def g{n}(x):\n    return [x, {n}, 'text of some length', x + {n}]\n\n\n" for n in range(10_000))
    editor = await start({"a.py": BREAKS, "large.py": body})
    editor.open("large.py")
    editor.open("a.py")
    await editor.shows("a.py", ("GBL401", 6))
    editor.replace("large.py", "x + 5000", "x + 5001")
    editor.replace("a.py", "    print(x)\n", "")
    await editor.shows("a.py")


async def test_an_analysis_that_is_killed_costs_one_answer(start: Start) -> None:
    editor = await start({"a.py": BREAKS})
    editor.open("a.py")
    await editor.shows("a.py", ("GBL401", 6))
    server = editor.client._server
    assert server is not None
    for child in children(server.pid):
        os.kill(child, signal.SIGKILL)
    editor.replace("a.py", "    print(x)\n", "")
    await editor.until(lambda: editor.codes("a.py") == [])
    editor.replace("a.py", "    return", "    print(x)\n    return")
    await editor.shows("a.py", ("GBL401", 6))
    assert len(editor.messages) <= 1


def children(pid: int) -> list[int]:
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return [int(each) for each in listed.stdout.split()]


async def test_configurations_that_are_broken(start: Start) -> None:
    editor = await start({"gblint.toml": "select = [\n", "a.py": BREAKS})
    await editor.until(lambda: editor.found("gblint.toml"))
    await editor.shows("a.py", ("GBL401", 6))
    assert "not valid TOML" in editor.found("gblint.toml")[0].message
    (editor.root / "gblint.toml").write_bytes(b"\xff\xfe")
    editor.files_changed("gblint.toml")
    await editor.until(lambda: "UTF-8" in "".join(each.message for each in editor.found("gblint.toml")))
    (editor.root / "gblint.toml").write_text('python = "nowhere/python"\n')
    editor.files_changed("gblint.toml")
    await editor.until(lambda: any("nowhere" in each.message for each in editor.messages))
    (editor.root / "gblint.toml").unlink()
    editor.files_changed("gblint.toml", kind=types.FileChangeType.Deleted)
    await editor.shows("gblint.toml")
    await editor.shows("a.py", ("GBL401", 6))


async def test_messages_about_nothing(start: Start) -> None:
    editor = await start({"a.py": BREAKS})
    editor.close("a.py")
    about = types.VersionedTextDocumentIdentifier(uri=editor.uri("a.py"), version=3)
    change = types.TextDocumentContentChangeWholeDocument("x")
    editor.client.text_document_did_change(types.DidChangeTextDocumentParams(about, [change]))
    editor.open("notes.md", "# print(x)", "markdown")
    assert await editor.hover("a.py", 1, 1) == ""
    assert await editor.actions("nowhere.py", 1) == []
    editor.open("a.py")
    far = types.TextDocumentContentChangePartial(types.Range(types.Position(900, 5), types.Position(901, 9)), "\n# end")
    about = types.VersionedTextDocumentIdentifier(uri=editor.uri("a.py"), version=4)
    editor.client.text_document_did_change(types.DidChangeTextDocumentParams(about, [far]))
    assert await editor.hover("a.py", 500, 500) == ""
    await editor.shows("a.py", ("GBL401", 6))
    with pytest.raises(Exception, match="not defined"):
        await editor.command("gblint.nothing")
    assert await editor.command("gblint.explain", "GBL999") is None


async def test_a_hostile_working_directory_is_not_imported(start: Start, tmp_path: Path) -> None:
    trap = f"open({str(tmp_path / 'ran')!r}, 'w').close()\n"
    names = ("ast.py", "gblint_plugin.py", "json.py", "pickle.py", "sitecustomize.py", "torch.py", "conftest.py")
    write(tmp_path, {name: trap for name in names if name not in ("ast.py", "json.py")})
    editor = await start({**dict.fromkeys(names, trap), "a.py": BREAKS})
    editor.open("a.py")
    await editor.until(lambda: editor.logged)
    assert await editor.end() == 0
    assert not (tmp_path / "ran").exists()


async def test_leaving_without_shutting_down(start: Start) -> None:
    editor = await start({"a.py": BREAKS})
    editor.open("a.py")
    await editor.shows("a.py", ("GBL401", 6))
    server = editor.client._server
    assert server is not None
    below = children(server.pid)
    editor.client.exit(None)
    assert await asyncio.wait_for(server.wait(), LIMIT) == 1
    await editor.until(lambda: not any(Path(f"/proc/{pid}/cmdline").exists() for pid in below))


async def test_over_tcp(tmp_path: Path) -> None:
    from pygls.lsp.client import LanguageClient

    command = [sys.executable, "-m", "gblint", "server", "--tcp", "--port", "0", "--log-level", "info"]
    process = await asyncio.create_subprocess_exec(*command, cwd=tmp_path, stderr=asyncio.subprocess.PIPE)
    assert process.stderr is not None
    port = 0
    while not port:
        line = (await asyncio.wait_for(process.stderr.readline(), LIMIT)).decode()
        port = int(line.rsplit(",", 1)[1].strip(" )\n")) if "Serving on" in line else 0
    client = LanguageClient("editor", "1")
    await client.start_tcp("127.0.0.1", port)
    answer = await client.initialize_async(types.InitializeParams(types.ClientCapabilities()))
    assert answer.server_info is not None and answer.server_info.name == "gblint"
    await client.shutdown_async(None)
    client.exit(None)
    await asyncio.wait_for(process.wait(), LIMIT)
    assert process.returncode == 0


@pytest.mark.filterwarnings("ignore")
def test_without_pygls(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from gblint.cli.main import run

    monkeypatch.setitem(sys.modules, "gblint.editors.server.features", None)
    assert run(["server"]) == 2
    assert "pip install 'pygls>=2.0'" in capsys.readouterr().err
