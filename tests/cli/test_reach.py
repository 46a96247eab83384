"""The option --reach, and what the formats say of the reach of findings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gblint.cli.main import run

SOURCE = """\
import torch

@torch.compile
def f(x: torch.Tensor, flag: bool = False):
    print("always")
    if x.shape[0] > 3:
        print("size")
    if flag:
        print("option")
    if x.shape[1] > 3:
        print("error")
        raise ValueError
    if x.shape[0] > 0:
        print("default")
    return x
"""


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "net.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def _checked(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    run(["check", "--no-cache", "--isolated", "--exit-zero", *options, "net.py"])
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        ((), [5, 7, 9, 11, 14]),
        (("--reach", "all"), [5, 7, 9, 11, 14]),
        (("--reach", "input"), [5, 7, 14]),
        (("--reach", "default"), [5, 14]),
        (("--reach", "always"), [5]),
    ],
)
def test_the_option_selects(
    source: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], lines: list[int]
) -> None:
    report = json.loads(_checked(capsys, "--output-format=json", *options))
    assert [each["line"] for each in report["findings"]] == lines


def test_json_has_the_conditions(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = json.loads(_checked(capsys, "--output-format=json"))
    assert [each["reach"] for each in report["findings"]] == ["always", "input", "option", "error", "default"]
    flag = {"text": "flag", "path": "net.py", "line": 8, "holds": True, "reach": "option"}
    assert report["findings"][2]["when"] == [flag]


def test_a_key_of_the_configuration_selects(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (source.parent / "gblint.toml").write_text('reach = "default"\n', encoding="utf-8")
    run(["check", "--no-cache", "--exit-zero", "--output-format=json", "net.py"])
    assert [each["line"] for each in json.loads(capsys.readouterr().out)["findings"]] == [5, 14]


def test_the_text_says_when(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = _checked(capsys)
    assert "= when: `flag` (net.py:8) is true" in text
    assert "= when: `x.shape[0] > 3` (net.py:6) is true" in text


def test_hidden_findings_are_counted(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "3 findings beyond the reach hidden" in _checked(capsys, "--reach=default")


def test_sarif_has_the_reach(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = json.loads(_checked(capsys, "--output-format=sarif"))["runs"][0]["results"]
    assert [each["properties"]["reach"] for each in results] == ["always", "input", "option", "error", "default"]
    assert "when: `flag` (net.py:8) is true" in results[2]["message"]["text"]


def test_the_page_shows_and_filters_the_reach(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = _checked(capsys, "--output-format=html")
    assert 'data-reach="option"' in page
    assert 'data-facet="reach"' in page
    assert "<dt>When</dt>" in page


def test_another_word_is_an_error(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--reach", "never", "net.py"]) == 2
