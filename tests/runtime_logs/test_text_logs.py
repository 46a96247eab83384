"""TORCH_LOGS text of several versions, unchanged and as terminals, schedulers and crashes change it.

torch 2.10 and 2.15 wrote their samples; those of 2.0 to 2.6 follow published logs.
"""

from __future__ import annotations

import gzip
import io
import random
import re
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gblint.diagnostics.break_event import Category, Confidence
from gblint.diagnostics.finding import Finding, Severity
from gblint.diagnostics.span import ChainLink, Span
from gblint.runtime_logs import files
from gblint.runtime_logs.compare import Comparison, compare
from gblint.runtime_logs.findings import findings_of
from gblint.runtime_logs.lines import decode, split_prefix
from gblint.runtime_logs.places import LogPlaces, own_code
from gblint.runtime_logs.read_log import read_log
from gblint.runtime_logs.records import LogProblem
from gblint.runtime_logs.text import TextReader
from tests.runtime_logs.reading import SAMPLES, found, short, tally

NEWER = {
    ("net.py", 8, "GB0170", 1),
    ("net.py", 10, "GB0059", 1),
    ("helpers.py", 2, "GB0124", 2),
    ("net.py", 13, "GB0109", 1),
    ("net.py", 23, "GB0059", 1),
    ("net.py", 17, "GB0039", 2),
}
OLDER = {
    "torch-2.0.txt": {("net.py", 10, "GB0059", 1), ("net.py", 8, "GB0007", 1), ("net.py", 17, "GB0039", 1)},
    "torch-2.2.txt": {("net.py", 10, "GB0059", 2), ("net.py", 17, "GB0039", 1)},
    "torch-2.4.txt": {
        ("net.py", 10, "GB0059", 1),
        ("net.py", 13, "graph-break", 1),
        ("net.py", 17, "recompile", 1),
    },
    "torch-2.6.txt": {("net.py", 8, "GB0170", 1), ("helpers.py", 2, "GB0124", 2)},
}
NEWEST = (SAMPLES / "torch-2.15.txt").read_bytes()


def write(folder: Path, data: bytes, name: str = "run.log") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", ["torch-2.10.txt", "torch-2.15.txt"])
def test_newer_versions(name: str) -> None:
    assert short(found(SAMPLES / name)) == NEWER


@pytest.mark.parametrize("name", OLDER)
def test_older_versions(name: str) -> None:
    assert short(found(SAMPLES / name)) == OLDER[name]


def test_text_of_a_break() -> None:
    by_line = {(Path(i.finding.span.path).name, i.finding.span.line): i for i in found(SAMPLES / "torch-2.15.txt")}
    item = by_line["helpers.py", 2].finding
    assert (item.code, item.rule, item.severity.value) == ("GBL101", "tensor-item", "warning")
    assert [(Path(link.path).name, link.line, link.function) for link in item.chain] == [
        ("net.py", 32, "<module>"),
        ("net.py", 11, "forward"),
        ("helpers.py", 2, "scale"),
    ]
    assert item.message == (
        "`return x * x.sum().item()`: Unsupported Tensor.item() call with capture_scalar_outputs=False"
    )
    loop = by_line["net.py", 13].finding.consequence
    assert loop is not None
    assert (loop.outcome, loop.frame, loop.reason) == ("rest-eager", "forward", "loop")
    assert by_line["net.py", 23].finding.severity.value == "error"
    assert all(each.advice for each in by_line.values())


def test_a_verbose_stack(tmp_path: Path) -> None:
    """With ``TORCHDYNAMO_VERBOSE=1`` resume functions have their own entries in the stack."""
    log = """\
Graph break in user code at /p/helpers.py:2
Graph Break Reason: Unsupported: Tensor.item
User code traceback:
  File "/p/net.py", line 32, in <module>
    net(x)
  File "/p/net.py", line 8, in forward
    if x.sum() > 0:
  File "/p/net.py", line 10, in torch_dynamo_resume_in_forward_at_8
    print(x.shape)

========== most recent `torch.compile` tracing attempt started here ==========

  File "/p/net.py", line 11, in torch_dynamo_resume_in_forward_at_10
    x = scale(x)
  File "/p/helpers.py", line 2, in scale
    return x * x.sum().item()

NOTE: the most recent `torch.compile` tracing attempt might not be where you applied `torch.compile`!
"""
    (item,) = found(write(tmp_path, log.encode()))
    assert [(link.line, link.function) for link in item.finding.chain] == [
        (32, "<module>"),
        (11, "forward"),
        (2, "scale"),
    ]


def test_text_of_recompiles() -> None:
    (item,) = (each for each in found(SAMPLES / "torch-2.15.txt") if each.finding.category is Category.RECOMPILE)
    assert item.limit == 2
    assert item.guards == (("kind == 'b'", 2),)
    assert item.finding.code == "GBL703"


def test_verbose_recompiles(tmp_path: Path) -> None:
    log = """\
Recompiling function mode in /p/net.py:17
    triggered by the following guard failure(s):
    guard 0 failures:
    - 0/1: kind == 'b'                            # return x + 1 if kind == "a" else x - 1  # net.py:18 in mode
    - User stack trace:
    -   File "/p/net.py", line 18, in mode
    -     return x + 1 if kind == "a" else x - 1

    guard 1 failures:
    - 0/0: kind == 'a'                            # return x + 1 if kind == "a" else x - 1  # net.py:18 in mode
"""
    (item,) = found(write(tmp_path, log.encode()))
    assert (item.count, item.guards) == (1, (("kind == 'b'", 1),))


@pytest.mark.parametrize(
    ("guard", "code"),
    [
        ("tensor 'x' size mismatch at index 0. expected 2, actual 3", "recompile"),
        ("tensor 'x' dtype mismatch. expected Float, actual Double", "GBL704"),
        ("___check_type_id(L['x'], 94110), type=<class 'int'>", "GBL704"),
        ("len(L['items']) == 3", "GBL705"),
        ("L['mask'] is None", "GBL701"),
        ("L['n'] == 3", "GBL702"),
        ("flag == True", "GBL703"),
        ("GLOBAL_STATE changed: grad_mode ", "recompile"),
    ],
)
def test_guards_and_rules(tmp_path: Path, guard: str, code: str) -> None:
    log = (
        f"Recompiling function f in /p/net.py:3\n    triggered by the following guard failure(s):\n    - 0/0: {guard}\n"
    )
    (item,) = found(write(tmp_path, log.encode()))
    assert (item.finding.code, item.count) == (code, 1)


def test_colours_and_line_ends(tmp_path: Path) -> None:
    lines = [b"\x1b[33m" + line + b"\x1b[0m\r" for line in NEWEST.split(b"\n")]
    assert short(found(write(tmp_path, b"\n".join(lines)))) == NEWER


def test_invalid_utf8(tmp_path: Path) -> None:
    assert short(found(write(tmp_path, NEWEST.replace(b"here", b"\xff\xfehere")))) == NEWER


def test_utf16(tmp_path: Path) -> None:
    assert short(found(write(tmp_path, NEWEST.decode().encode("utf-16")))) == NEWER


def test_compressed(tmp_path: Path) -> None:
    assert short(found(write(tmp_path, gzip.compress(NEWEST), "run.log.gz"))) == NEWER


def test_a_compressed_log_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_UNPACKED_BYTES", 1 << 20)
    bomb = write(tmp_path, gzip.compress(NEWEST + b"step 1 loss 0.1\n" * 1_000_000), "run.log.gz")
    contents = read_log(str(bomb), own_code(()))
    assert [re.sub(r"\d+ MiB", "N MiB", each) for each in contents.problems] == [
        f"{bomb}: its unpacked size is more than 100 times its size; the first N MiB were read"
    ]
    assert short(findings_of(contents.counters, LogPlaces([]), own_code(()))) == NEWER


def test_a_compressed_log_of_empty_lines_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines cost time, however short they are."""
    monkeypatch.setattr(files, "_UNPACKED_BYTES", 1 << 20)
    bomb = write(tmp_path, gzip.compress(NEWEST + b"\n" * 20_000_000), "run.log.gz")
    (source,) = files.find_logs(str(bomb))
    count = 0
    with pytest.raises(LogProblem, match="more than 100 times its size"):
        for _ in files.lines(source):
            count += 1
    assert 10_000 < count < 10_000_000


def _zip(data: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("run.log", data)
    return packed.getvalue()


@pytest.mark.parametrize("bomb", [_zip(bytes(1 << 24)), gzip.compress(gzip.compress(bytes(1 << 24)))])
def test_archives_are_not_unpacked(tmp_path: Path, bomb: bytes) -> None:
    with pytest.raises(LogProblem, match="a binary file, not a log"):
        files.find_logs(str(write(tmp_path, bomb, "run.log")))


def test_entities_of_xml_are_text(tmp_path: Path) -> None:
    entities = [f'<!ENTITY e{number} "{f"&e{number - 1};" * 10}">' for number in range(1, 12)]
    bomb = f'<?xml version="1.0"?>\n<!DOCTYPE e [<!ENTITY e0 "e">{"".join(entities)}]>\n<e>&e11;</e>\n'
    path = write(tmp_path, bomb.encode() + NEWEST)
    (source,) = files.find_logs(str(path))
    assert b"".join(files.lines(source)) == path.read_bytes()
    assert short(found(path)) == NEWER


def test_progress_bars_before_the_prefix(tmp_path: Path) -> None:
    bar = " 50%|█████     | 5/10 [00:01<00:01]\r 60%|██████    | 6/10 [00:01<00:01]".encode()
    lines = [bar + line if line.startswith(b"V") else line for line in NEWEST.split(b"\n")]
    assert short(found(write(tmp_path, b"\n".join(lines)))) == NEWER


def test_among_other_lines(tmp_path: Path) -> None:
    lines = []
    for number, line in enumerate(NEWEST.split(b"\n")):
        lines += [line, b"step %d loss 0.1" % number] if line.startswith(b"V") else [line]
    assert short(found(write(tmp_path, b"\n".join(lines)))) == NEWER


def test_in_a_log_with_another_prefix(tmp_path: Path) -> None:
    """A logger of the user's program writes its prefix before the first line of a record only."""
    out, last = [], ""
    for raw in NEWEST.splitlines():
        line = split_prefix(decode(raw))
        head = line.prefix if "__" in line.prefix else ""
        stamp = "2026-01-02 10:00:00,001 - torch._dynamo - DEBUG - " if head and head != last else ""
        if line.prefix and not head:
            continue
        out.append(stamp + line.text)
        last = head
    expected = {each for each in NEWER if each[2] != "GB0039"} | {("net.py", 17, "GBL703", 2)}
    assert short(found(write(tmp_path, "\n".join(out).encode()))) == expected


def ranked(rank: int) -> list[bytes]:
    """The sample as rank ``rank`` of a run with several writes it."""
    lines = re.sub(rb"(?<=\.\d{6} )\d+", b"%d" % (100 + rank), NEWEST).splitlines(keepends=True)
    return [b"[rank%d]:" % rank + line for line in lines]


@pytest.mark.parametrize("seed", range(5))
def test_interleaved_ranks(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    queues = [ranked(rank) for rank in range(4)]
    mixed = []
    while any(queues):
        queue = chance.choice([each for each in queues if each])
        mixed.append(queue.pop(0))
    items = found(write(tmp_path, b"".join(mixed)))
    assert short(items) == {(name, line, gb_id, 4 * count) for name, line, gb_id, count in NEWER}
    assert all(item.ranks == (0, 1, 2, 3) for item in items)


def test_ranks_of_torchrun(tmp_path: Path) -> None:
    lines = b"".join(b"[default3]:[rank3]:" + line for line in NEWEST.splitlines(keepends=True))
    items = found(write(tmp_path, lines))
    assert short(items) == NEWER
    assert {item.ranks for item in items} == {(3,)}


def test_one_file_for_each_rank(tmp_path: Path) -> None:
    for rank in range(2):
        folder = tmp_path / "run" / "attempt_0" / str(rank)
        folder.mkdir(parents=True)
        (folder / "stderr.log").write_bytes(NEWEST)
    items = found(tmp_path / "run")
    assert {item.ranks for item in items} == {(0, 1)}
    assert {item.count for item in items} == {2, 4}


@pytest.mark.parametrize("step", [211])
@pytest.mark.parametrize("name", ["torch-2.2.txt", "torch-2.10.txt"])
def test_truncated(tmp_path: Path, name: str, step: int) -> None:
    data = (SAMPLES / name).read_bytes()
    whole = {each[:2] for each in short(found(SAMPLES / name))}
    for place in range(0, len(data), step):
        for part in (data[:place], data[place:]):
            if part.strip():
                assert {each[0] for each in short(found(write(tmp_path, part)))} <= {each[0] for each in whole}


def test_a_stack_that_is_logged_later(tmp_path: Path) -> None:
    """A log that starts in the middle of a run has the repeated break first."""
    start = NEWEST.index(b"Graph break (user stack suppressed")
    middle = NEWEST[NEWEST.rindex(b"\n", 0, start) + 1 :]
    items = [each for each in found(write(tmp_path, middle + NEWEST)) if each.finding.gb_ids == ("GB0124",)]
    assert [(each.count, len(each.finding.chain)) for each in items] == [(3, 3)]


def test_a_break_in_a_library_is_reported_at_the_call(tmp_path: Path) -> None:
    data = NEWEST.replace(b"/home/me/project/helpers.py", b"/home/me/env/lib/python3.11/site-packages/pkg/helpers.py")
    item = next(each for each in found(write(tmp_path, data)) if each.finding.gb_ids == ("GB0124",))
    assert (Path(item.finding.span.path).name, item.finding.span.line) == ("net.py", 11)
    assert "inside `scale`, reached through this call" in item.finding.message
    item = next(each for each in found(tmp_path / "run.log", ("pkg",)) if each.finding.gb_ids == ("GB0124",))
    assert Path(item.finding.span.path).name == "helpers.py"


def test_a_library_is_compared_by_the_line_inside(tmp_path: Path) -> None:
    """Many findings may be reported at one call; the matching one has the same line in the library."""
    site = "/opt/conda/lib/python3.12/site-packages/pkg/helpers.py"
    data = NEWEST.replace(b"/home/me/project/helpers.py", b"/home/me/env/lib/python3.11/site-packages/pkg/helpers.py")
    items = found(write(tmp_path, data))
    call = Span("/home/me/project/net.py", 11, 13, 11, 21)
    right, other = (
        Finding(
            f"GBL10{line}", "a-rule", Category.GRAPH_BREAK, Severity.WARNING, Confidence.CERTAIN, call, "said",
            gb_ids=("GB0124",), chain=(ChainLink(call.path, 11, "forward"), ChainLink(site, line, "scale")),
        )
        for line in (2, 3)
    )  # fmt: skip
    marked, comparison = compare(items, [right, other], [right, other], "2.13")
    assert [each.predicted for each in marked if each.finding.gb_ids == ("GB0124",)] == [("GBL102",)]
    assert comparison.unseen == (other,)
    assert Comparison.counts(marked) == (1, 4)


def test_an_error_that_ends_the_program(tmp_path: Path) -> None:
    start = NEWEST.index(b"Traceback (most recent call last)")
    (item,) = found(write(tmp_path, NEWEST[start:]))
    assert (item.finding.code, item.finding.severity.value) == ("GBL401", "error")


def test_an_error_in_the_output_of_pytest(tmp_path: Path) -> None:
    text = NEWEST[NEWEST.index(b"Traceback (most recent call last)") :]
    (item,) = found(write(tmp_path, b"".join(b"E       " + line for line in text.splitlines(keepends=True))))
    assert item.finding.code == "GBL401"


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from([*NEWEST.split(b"\n")[:60], b"", b"\xff", b"[rank1]:", b'  File "', b"Graph break"]),
        max_size=60,
    )
)
def test_any_order_of_lines(lines: list[bytes]) -> None:
    reader = TextReader()
    for line in lines:
        list(reader.feed(line + b"\n"))
    list(reader.close())
    assert not reader._open


def test_memory_does_not_grow_with_the_log() -> None:
    reader = TextReader()
    lines = NEWEST.splitlines(keepends=True)
    for number in range(40):
        for line in lines:
            list(reader.feed(line.replace(b"/0]", b"/%d]" % number)))
        assert len(reader._open) <= 2
        assert len(reader._frames) <= 1


def test_numbers_of_any_length(tmp_path: Path) -> None:
    digits = b"9" * 6000
    lines = [
        b"Graph break in user code at /p/net.py:" + digits,
        b'  File "/p/net.py", line ' + digits,
        b"[rank" + digits + b"]:Recompiling function f in /p/net.py:" + digits,
        b"torch._dynamo hit config.recompile_limit (" + digits + b")",
    ]
    assert len(found(write(tmp_path, b"\n".join(lines)))) <= 1


def test_a_log_without_torch(tmp_path: Path) -> None:
    assert tally(write(tmp_path, b"loss 0.1\nloss 0.2\n")).records == 0
