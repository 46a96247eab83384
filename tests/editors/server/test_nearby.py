"""Places in the messages of the server are relative to the open file."""

from __future__ import annotations

from pathlib import Path

import pytest

from gblint.editors.server.nearby import seen_from


@pytest.mark.parametrize(
    ("other", "shown"),
    [
        ("app/model.py", "line 7"),
        ("app/layers/experts.py", "layers/experts.py:7"),
        ("train.py", "../train.py:7"),
        ("app/../app/model.py", "line 7"),
    ],
)
def test_places_are_relative_to_the_file(tmp_path: Path, other: str, shown: str) -> None:
    assert seen_from(str(tmp_path / "app" / "model.py"))(str(tmp_path / other), 7) == shown


def test_a_place_far_away_has_its_whole_path(tmp_path: Path) -> None:
    far = str(tmp_path / "site-packages" / "timm" / "layers.py")
    origin = tmp_path / "a" / "b" / "c" / "d" / "model.py"
    assert seen_from(str(origin))(far, 7) == f"{far}:7"
