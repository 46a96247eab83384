"""TORCH_TRACE folders and tlparse reports; the sample was written by torch 2.10 and shortened."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from gblint.runtime_logs.findings import compile_times
from gblint.runtime_logs.places import LogPlaces
from gblint.runtime_logs.records import LogProblem
from tests.runtime_logs.reading import SAMPLES, found, short, tally

TRACE = SAMPLES / "torch-2.10-trace.log"
EXPECTED = {
    ("net.py", 8, "GB0170", 1),
    ("net.py", 10, "GB0059", 1),
    ("helpers.py", 2, "GB0124", 2),
    ("net.py", 13, "GB0109", 1),
    ("net.py", 23, "GB0059", 1),
    ("net.py", 17, "GB0039", 2),
}
NAME = "dedicated_log_torch_trace_rank_{}_x.log"


def folder(where: Path, ranks: int = 1) -> Path:
    where.mkdir(exist_ok=True)
    for rank in range(ranks):
        shutil.copy(TRACE, where / NAME.format(rank))
    return where


def test_a_file() -> None:
    assert short(found(TRACE)) == EXPECTED
    assert next(iter(tally(TRACE).versions)).startswith("2.10.0")


def test_a_folder_with_ranks(tmp_path: Path) -> None:
    items = found(folder(tmp_path / "traces", 3))
    assert short(items) == {(name, line, gb_id, 3 * count) for name, line, gb_id, count in EXPECTED}
    assert {item.ranks for item in items} == {(0, 1, 2)}


def test_compressed(tmp_path: Path) -> None:
    (tmp_path / "trace.log.gz").write_bytes(gzip.compress(TRACE.read_bytes()))
    assert short(found(tmp_path)) == EXPECTED


def test_compile_times() -> None:
    items = found(TRACE)
    assert items == sorted(items, key=lambda item: -(item.seconds or 0))
    item = next(each for each in items if each.finding.gb_ids == ("GB0170",))
    counted = tally(TRACE)
    frames = {(each.function, each.resume_line): each for each in compile_times(counted, LogPlaces([]))}
    # After the break in line 8, the rest of forward is compiled at the next line that runs.
    assert item.seconds == pytest.approx(frames["forward", 8].seconds)
    assert frames["mode", 0].count == 3
    assert frames["forward", 0].operations > 0


def test_truncated_anywhere(tmp_path: Path) -> None:
    data = TRACE.read_bytes()
    path = tmp_path / "trace.log"
    for place in range(1, len(data), 397):
        path.write_bytes(data[:place])
        assert {each[:2] for each in short(found(path))} <= {each[:2] for each in EXPECTED}
        path.write_bytes(data[place:])
        found(path)


def test_invalid_records(tmp_path: Path) -> None:
    head = "V1121 15:28:00.000000 1 torch/_dynamo/utils.py:1] "
    bodies: list[Any] = [
        {"str": 3}, {"str": [1, 2]}, {"str": ["a"]}, {"dynamo_start": None}, {"dynamo_start": {"stack": [3, {}]}},
        {"compilation_metrics": []}, {"compilation_metrics": {"co_filename": 1}}, {"artifact": "x"},
        {"compilation_metrics": {"co_filename": "/n.py", "co_firstlineno": 3, "duration_us": 5}},
        {"compilation_metrics": {"co_filename": "/n.py", "co_firstlineno": 3, "restart_reasons": 5}, "frame_id": {}},
        {"compilation_metrics": {"co_filename": "/n.py", "co_firstlineno": 3, "entire_frame_compile_time_s": -1e400}},
        {"artifact": {"name": "dynamo_graph_break_reason"}, "frame_id": [1]}, [], 3,
    ]  # fmt: skip
    lines = [head + json.dumps(each) for each in bodies] + [head + "{", head + '{"str": [' * 3]
    path = tmp_path / "trace.log"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert found(path) == []


def test_a_trace_before_graph_breaks_were_written(tmp_path: Path) -> None:
    """Up to torch 2.5 a trace has the reasons only in the metrics."""
    head = "V0520 14:53:14.120000 139884917106496 torch/_dynamo/utils.py:721] "
    metrics = {
        "co_name": "forward", "co_filename": "/p/net.py", "co_firstlineno": 3, "entire_frame_compile_time_s": 0.5,
        "fail_type": "torch._dynamo.exc.Unsupported", "fail_reason": "call_function BuiltinVariable(print) []",
        "fail_user_frame_filename": "/p/net.py", "fail_user_frame_lineno": 9, "restart_reasons": [],
    }  # fmt: skip
    path = tmp_path / "trace.log"
    path.write_text(head + json.dumps({"compilation_metrics": metrics, "frame_id": 0, "frame_compile_id": 0}))
    (item,) = found(path)
    assert (item.finding.span.line, item.finding.gb_ids) == (9, ("GB0059",))


def report(where: Path) -> Path:
    """A report as tlparse lays it out, made of the sample: the log, one object a line, and a file for each payload."""
    where.mkdir(parents=True)
    shutil.copy(TRACE, where / "raw.log")
    strings: list[str] = []
    records: list[dict[str, Any]] = []
    for line in TRACE.read_text(encoding="utf-8").splitlines():
        if line.startswith("\t"):
            name = records[-1].setdefault("payload_filename", _name(records[-1], len(records)))
            (where / name).parent.mkdir(exist_ok=True)
            with open(where / name, "a", encoding="utf-8") as stream:
                stream.write(line[1:] + "\n")
            continue
        record = json.loads(line[line.index("] {") + 2 :])
        if "str" in record:
            strings.append(record["str"][0])
        else:
            records.append(record)
    lines = [json.dumps({"string_table": strings}, separators=(",", ":"))]
    lines += [json.dumps(each, separators=(",", ":")) for each in records]
    (where / "raw.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (where / "compile_directory.json").write_text("{}", encoding="utf-8")
    (where / "index.html").write_text("<html></html>", encoding="utf-8")
    return where


def _name(record: dict[str, Any], number: int) -> str:
    artifact = record.get("artifact", {})
    name = artifact.get("name", "dynamo_output_graph")
    suffix = "json" if artifact.get("encoding") == "json" else "txt"
    return f"-_{record.get('frame_id', '-')}_{record.get('frame_compile_id', '-')}_0/{name}_{number}.{suffix}"


@pytest.mark.parametrize("without", [(), ("raw.log",)])
def test_a_report_of_tlparse(tmp_path: Path, without: tuple[str, ...]) -> None:
    where = report(tmp_path / "report")
    for name in without:
        (where / name).unlink()
    assert short(found(where)) == EXPECTED
    assert short(found(where / "index.html")) == EXPECTED


def test_a_report_without_its_log(tmp_path: Path) -> None:
    where = report(tmp_path / "report")
    (where / "raw.log").unlink()
    (where / "raw.jsonl").unlink()
    # The error that ended the program and the limit are only in the log.
    assert {each[:3] for each in short(found(where))} >= {each[:3] for each in EXPECTED if each[1] not in (17, 23)}


def test_a_report_for_each_rank(tmp_path: Path) -> None:
    report(tmp_path / "out" / "rank_0")
    report(tmp_path / "out" / "rank_1")
    items = found(tmp_path / "out")
    assert {item.ranks for item in items} == {(0, 1)}
    (tmp_path / "out" / "index.html").write_text("<html></html>", encoding="utf-8")
    assert short(found(tmp_path / "out" / "index.html")) == short(items)


def test_a_payload_outside_of_the_report(tmp_path: Path) -> None:
    where = report(tmp_path / "report")
    (tmp_path / "secret.txt").write_text("Graph break in user code at /etc/secret.py:1\n", encoding="utf-8")
    (where / "raw.log").unlink()
    lines = (where / "raw.jsonl").read_text(encoding="utf-8")
    lines = re.sub(r'"payload_filename":"[^"]*"', '"payload_filename":"../secret.txt"', lines)
    (where / "raw.jsonl").write_text(lines, encoding="utf-8")
    assert not any("secret" in item.finding.span.path for item in found(where))


@pytest.mark.parametrize("files", [{}, {"notes.md": b"# nothing"}, {"run.log": b"loss 0.1\n"}, {"empty.log": b""}])
def test_a_folder_without_traces(tmp_path: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    with pytest.raises(LogProblem, match="no trace or log of torch in this folder"):
        found(tmp_path)
