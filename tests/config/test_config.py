from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gblint.config.errors import ConfigError
from gblint.config.keys import OUTPUT_FORMATS
from gblint.config.loading import load, read
from gblint.diagnostics.break_event import Confidence

Write = Callable[..., Path]

EVERYTHING = """\
[tool.gblint]
select = ["GBL1", "GBL2"]
ignore = ["GBL105"]
extend-select = ["GBL3"]
extend-ignore = ["GBL301"]
exclude = ["vendor"]
extend-exclude = ["gen"]
src = ["src"]
python = ".venv"
torch-version = "2.13"
follow = ["mylib"]
entries = ["pkg.mod:Net"]
min-confidence = "certain"
output-format = "json"
assume-entries = "never"
entry-decorators = ["app.fast.optimized"]
unsafe-fixes = true
baseline = "ci/base.json"

[tool.gblint.per-file-ignores]
"tests/*" = ["GBL"]

[tool.gblint.fixes]
GBL401 = "guard-with-is-compiling"

[tool.gblint.pins]
"pkg.pipe:Pipe.scheduler" = "pkg.sched:Euler"
"pkg.pipe:Pipe.__init__.unet" = ["pkg.unet:UNet", "pkg.unet:Small"]
"""


def problems(path: Path) -> list[tuple[int, str]]:
    with pytest.raises(ConfigError) as caught:
        read(path)
    assert all(problem.where == str(path) for problem in caught.value.problems)
    return [(problem.line, problem.message) for problem in caught.value.problems]


def test_every_key(project: Write) -> None:
    root = project({"pyproject.toml": EVERYTHING})
    config = load([root])
    assert config.root == root
    assert config.selection.select == ("GBL1", "GBL2")
    assert config.selection.ignore == ("GBL105",)
    assert config.selection.extend_select == ("GBL3",)
    assert config.selection.extend_ignore == ("GBL301",)
    assert config.project.exclude == ("vendor",)
    assert config.project.extend_exclude == ("gen",)
    assert config.project.src == ("src",)
    assert config.project.python == ".venv"
    assert config.project.torch_version == "2.13"
    assert config.fix.unsafe_fixes
    assert config.baseline_file == root / "ci" / "base.json"
    assert config.fix.fixes == {"GBL401": "guard-with-is-compiling"}
    assert config.project.follow == ("mylib",)
    assert config.entry_points.entries == ("pkg.mod:Net",)
    assert config.min_confidence is Confidence.CERTAIN
    assert config.output_format == "json"
    assert config.entry_points.assume_entries == "never"
    assert config.entry_points.entry_decorators == ("app.fast.optimized",)
    assert config.selection.per_file_ignores == (("tests/*", ("GBL",)),)
    assert config.entry_points.pins == {
        "pkg.pipe:Pipe.scheduler": ("pkg.sched:Euler",),
        "pkg.pipe:Pipe.__init__.unet": ("pkg.unet:UNet", "pkg.unet:Small"),
    }
    assert config.location("torch-version") == (str(root / "pyproject.toml"), 10)


def test_gblint_toml_has_the_keys_at_the_top_or_under_the_full_name(project: Write) -> None:
    root = project({"a/gblint.toml": 'follow = ["x"]\n', "b/gblint.toml": '[tool.gblint]\nfollow = ["x"]\n'})
    assert load([root / "a"]).project.follow == load([root / "b"]).project.follow == ("x",)


def test_the_nearest_file_that_speaks_of_gblint_counts(project: Write) -> None:
    root = project(
        {
            "gblint.toml": 'follow = ["outer"]\n',
            "pkg/pyproject.toml": "[project]\nname = 'x'\n",
            "pkg/deep/a.py": "",
            "own/gblint.toml": 'follow = ["inner"]\n',
            "own/pyproject.toml": '[tool.gblint]\nfollow = ["other"]\n',
        }
    )
    assert load([root / "pkg" / "deep" / "a.py"]).project.follow == ("outer",)
    assert load([root / "own"]).project.follow == ("inner",)
    assert load([root / "own", root / "pkg"]).project.follow == ("outer",)


def test_an_explicit_file_is_used_alone(project: Write) -> None:
    root = project({"gblint.toml": 'follow = ["a"]\n', "conf/pins.toml": 'ignore = ["GBL1"]\n'})
    config = load([root], root / "conf" / "pins.toml")
    assert (config.project.follow, config.selection.ignore) == ((), ("GBL1",))


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('\nselct = ["GBL1"]', 2, "unknown key 'selct'; did you mean 'select'?"),
        ("min_confidence = 'likely'", 1, "unknown key 'min_confidence'; did you mean 'min-confidence'?"),
        ("zzz = 1", 1, "unknown key 'zzz'"),
        ("select = 'GBL1'", 1, "select: a list of strings is expected, not a string"),
        ("select = [1]", 1, "select: a list of strings is expected, but it holds a number"),
        ("\n\nmin-confidence = 'likly'", 3,
         "min-confidence: 'likly' is not one of certain, likely, possible; did you mean 'likely'?"),
        ("output-format = 'sariff'", 1,
         f"output-format: 'sariff' is not one of {', '.join(OUTPUT_FORMATS)}; did you mean 'sarif'?"),
        (
            "entry-decorators = ['x']",
            1,
            "entry-decorators: a name such as \"package.module.function\" is expected, not 'x'",
        ),
        ("assume-entries = 'no'", 1, "assume-entries: 'no' is not one of auto, always, never"),
        ("torch-version = 2.13", 1, 'torch-version: a torch version such as "2.13" is expected, not a number'),
        ("[per-file-ignores]\n'a.py' = 'GBL1'", 2,
         'per-file-ignores."a.py": a list of strings is expected, not a string'),
        ("[pins]\n'pkg.Pipe' = 'a:B'", 2,
         'pins."pkg.Pipe": "package.module:Class.attribute" or "package.module:Class.__init__.parameter" is expected'),
        ("[pins]\n'pkg:Pipe.x' = 'B'", 2,
         "pins.\"pkg:Pipe.x\": a class such as \"package.module:Class\" is expected, not 'B'"),
        ("python = ''", 1, "python: a string is expected, not an empty one"),
        ("pins = 3", 1, "pins: a table is expected, not a number"),
    ],
)  # fmt: skip
def test_what_is_refused(project: Write, text: str, line: int, message: str) -> None:
    root = project({"gblint.toml": text + "\n"})
    assert problems(root / "gblint.toml") == [(line, message)]


def test_every_problem_is_named_with_its_line(project: Write) -> None:
    root = project({"pyproject.toml": "[project]\nname='x'\n[tool.gblint]\nfolow = []\nselect = 1\n"})
    assert problems(root / "pyproject.toml") == [
        (4, "unknown key 'folow' in [tool.gblint]; did you mean 'follow'?"),
        (5, "select: a list of strings is expected, not a number"),
    ]


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"a = 1\nb = = 2\n", 2, "not valid TOML: Invalid value"),
        (b"\xff = 1\n", 0, "not UTF-8: byte 0 cannot be decoded"),
    ],
)
def test_broken_files(project: Write, content: bytes, line: int, message: str) -> None:
    root = project({"pyproject.toml": content})
    assert problems(root / "pyproject.toml") == [(line, message)]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert problems(tmp_path / "no.toml") == [(0, "cannot be read: No such file or directory")]


def test_options_win_over_the_file(project: Write) -> None:
    root = project({"gblint.toml": 'select = ["GBL1"]\nignore = ["GBL2"]\n'})
    config = load([root]).with_options(select=("GBL9",), ignore=None)
    assert (config.selection.select, config.selection.ignore) == (("GBL9",), ("GBL2",))
    assert config.location("select") == ("--select", 0)
    assert config.location("ignore") == (str(root / "gblint.toml"), 2)
