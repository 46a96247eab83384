"""``extend``, and settings on the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gblint.config.errors import ConfigError
from gblint.config.loading import load, with_inline_settings
from gblint.config.settings import Config
from gblint.diagnostics.break_event import Confidence

Write = Callable[..., Path]

BASE = """\
[tool.gblint]
ignore = ["GBL105"]
extend-select = ["GBL7"]
extend-exclude = ["gen"]
follow = ["timm"]
src = ["lib"]
baseline = "base.json"
min-confidence = "certain"
torch-version = "2.12"

[tool.gblint.per-file-ignores]
"tests/*" = ["GBL"]
"a.py" = ["GBL1"]

[tool.gblint.fixes]
GBL401 = "guard-with-is-compiling"
GBL402 = "off"
"""
OWN = """\
extend = "../pyproject.toml"
ignore = ["GBL106"]
extend-select = ["GBL3"]
torch-version = "2.13"
per-file-ignores = {"a.py" = ["GBL2"]}
fixes = {GBL402 = "stripped"}
"""


def refused(path: Path) -> tuple[str, int, str]:
    with pytest.raises(ConfigError) as caught:
        load([path])
    (problem,) = caught.value.problems
    assert not caught.value.broken
    return problem.where, problem.line, problem.message


def test_own_settings_win_and_lists_to_add_are_joined(project: Write) -> None:
    root = project({"pyproject.toml": BASE, "app/gblint.toml": OWN})
    config = load([root / "app"])
    assert (config.root, config.source.file) == (root / "app", root / "app" / "gblint.toml")
    assert config.selection.ignore == ("GBL106",)
    assert config.selection.extend_select == ("GBL7", "GBL3")
    assert config.project.follow == ("timm",)
    assert config.min_confidence is Confidence.CERTAIN
    assert config.project.torch_version == "2.13"
    assert config.selection.per_file_ignores == (("tests/*", ("GBL",)), ("a.py", ("GBL2",)))
    assert config.fix.fixes == {"GBL401": "guard-with-is-compiling", "GBL402": "stripped"}


def test_paths_count_from_the_file_that_they_stand_in(project: Write) -> None:
    root = project({"pyproject.toml": BASE, "app/gblint.toml": OWN})
    config = load([root / "app"])
    assert config.project.src == (str(root / "lib"),)
    assert config.baseline_file == root / "base.json"


def test_where_a_setting_stands(project: Write) -> None:
    root = project({"pyproject.toml": BASE, "app/gblint.toml": OWN})
    config = load([root / "app"])
    assert config.location("follow") == (str(root / "pyproject.toml"), 5)
    assert config.location("ignore") == (str(root / "app" / "gblint.toml"), 2)
    assert config.location("pins") == (str(root / "app" / "gblint.toml"), 0)


def test_through_several_files(project: Write) -> None:
    root = project(
        {
            "gblint.toml": 'follow = ["a"]\nextend-ignore = ["GBL1"]\n',
            "b/gblint.toml": 'extend = "../gblint.toml"\nextend-ignore = ["GBL2"]\n',
            "b/c/gblint.toml": 'extend = "../gblint.toml"\nextend-ignore = ["GBL3"]\n',
        }
    )
    config = load([root / "b" / "c"])
    assert (config.project.follow, config.selection.extend_ignore) == (("a",), ("GBL1", "GBL2", "GBL3"))


def test_what_cannot_be_extended(project: Write) -> None:
    root = project(
        {
            "a/gblint.toml": '\nextend = "nowhere.toml"\n',
            "b/gblint.toml": 'extend = "../pyproject.toml"\n',
            "pyproject.toml": "[project]\nname = 'x'\n",
            "c/gblint.toml": 'extend = "other.toml"\n',
            "c/other.toml": 'extend = "gblint.toml"\n',
            "d/gblint.toml": 'extend = "../e/gblint.toml"\n',
            "e/gblint.toml": "follow = 3\n",
            "f/gblint.toml": 'extend = "other.toml"\n',
            "f/other.toml": "[[\n",
            "g/gblint.toml": "extend = 3\n",
            "h/gblint.toml": 'extend = "."\n',
        }
    )
    own = {name: str(root / name / "gblint.toml") for name in "abcdefgh"}
    assert refused(root / "a") == (own["a"], 2, f"extend: there is no file {root / 'a' / 'nowhere.toml'}")
    assert refused(root / "b") == (own["b"], 1, f"extend: {root / 'pyproject.toml'} has no table [tool.gblint]")
    assert refused(root / "c") == (str(root / "c/other.toml"), 1, f"extend: {own['c']} extends itself")
    assert refused(root / "d") == (own["e"], 1, "follow: a list of strings is expected, not a number")
    where, line, message = refused(root / "f")
    assert (where, line) == (str(root / "f" / "other.toml"), 1)
    assert message.startswith("not valid TOML")
    assert refused(root / "g") == (own["g"], 1, "extend: a string is expected, not a number")
    assert refused(root / "h") == (own["h"], 1, f"extend: there is no file {root / 'h'}")


def test_settings_on_the_command_line() -> None:
    config = Config(Path()).with_values(ignore=("GBL1",), follow=("a",))
    config = with_inline_settings(config, ['ignore = ["GBL2"]', "fixes.GBL401 = 'off'", 'min-confidence="certain"'])
    assert (config.selection.ignore, config.project.follow, config.fix.fixes) == (("GBL2",), ("a",), {"GBL401": "off"})
    assert config.min_confidence is Confidence.CERTAIN
    assert config.location("ignore") == config.location("fixes.GBL401") == ("--config", 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ignore = GBL1", "neither a file nor a setting such as 'min-confidence = \"certain\"': 'ignore = GBL1'"),
        ("ignor = ['GBL1']", "unknown key 'ignor'; did you mean 'ignore'?"),
        ("ignore = 3", "ignore: a list of strings is expected, not a number"),
    ],
)
def test_bad_settings_on_the_command_line(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        with_inline_settings(Config(Path()), [text])
    assert [(each.where, each.message) for each in caught.value.problems] == [("--config", message)]
