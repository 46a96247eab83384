from __future__ import annotations

from pathlib import Path

import pytest

from gblint.project.project import Project
from gblint.project.text_names import NamePlace, names_at

TEXT = """registry.add(1)
@register("net")
class Net(Base, mod.Other[int]):
    def forward(self, x):
        self.scale = x
        self.shift: int = 1
        return inner(x)
class Generic[T: list[int]](Plain): ...
class Wide(
    First,
    Second,
): ...
"""


@pytest.mark.parametrize(
    ("place", "there", "elsewhere"),
    [
        ("start", {"registry", "register", "class"}, {"self", "inner", "Net"}),
        ("base", {"Base", "mod", "Other", "Plain", "First", "Second"}, {"Net", "Wide", "forward", "self"}),
        ("stored", {"scale", "shift"}, {"add", "inner", "x"}),
    ],
)
def test_names_at(place: NamePlace, there: set[str], elsewhere: set[str]) -> None:
    names = names_at(TEXT, place)
    assert there <= names
    assert not elsewhere & names


def test_mentioning_with_places(tmp_path: Path) -> None:
    """Files are found by a name at a place and a word; an edited file is searched again."""
    for name, text in (("a", "class A(Base):\n    pass\n"), ("b", "x = Base\n"), ("c", "Base.fill(1)\n")):
        (tmp_path / f"{name}.py").write_text(text)
    project = Project([tmp_path], root=tmp_path)

    def found(*places: NamePlace) -> list[str]:
        return [module.path.stem for module in project.mentioning(("Base",), "Base", places)]

    assert found("base") == ["a"]
    assert found("start") == ["c"]
    assert found("start", "base") == ["a", "c"]
    assert found() == ["a", "b", "c"]
    project.set_overlays({tmp_path / "b.py": "class B(Base):\n    pass\n"})
    assert found("base") == ["a", "b"]
