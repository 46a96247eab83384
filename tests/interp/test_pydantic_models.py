"""Models of pydantic: the metaclass and an extension module turn the fields into attributes."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter, trace
from gblint.knowledge.catalog import load
from gblint.project.project import Project
from tests.interp.snippets import breaks

SOURCE = """
import torch
from pydantic import BaseModel, Field

class Config(BaseModel):
    channels: int = Field(default=3, ge=1)
    kind: str = Field("plain")
    width: int
    scale: int = 2
    names: list[str] = Field(default_factory=list)

class Net(torch.nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.config = config
        self.channels = config.channels

    def forward(self, x):
        if x.shape[1] != self.channels:
            raise ValueError(f"Expected {self.channels}.")
        if self.config.kind == "loud":
            print("loud")
        if self.config.scale == 2 and self.config.width > 3:
            print("wide")
        for name in self.config.names:
            print(name)
        return x * self.config.width

torch.compile(Net(Config(width=4)))(torch.ones(2, 3))
"""
# Like the package: the constructor of a model, and what describes a field, hide what they do.
PACKAGE = {
    "__init__.py": "from .main import BaseModel\nfrom .fields import Field\n",
    "main.py": """\
        class ModelMetaclass(type):
            pass

        class BaseModel(metaclass=ModelMetaclass):
            __pydantic_extra__: dict | None = None

            def __init__(self, /, **data):
                self.__pydantic_validator__.validate_python(data, self_instance=self)

            def model_post_init(self, context, /):
                pass
        """,
    "fields.py": """\
        class FieldInfo:
            def __init__(self, **kwargs):
                self.default = kwargs.pop("default", ...)

        def Field(default=..., *, default_factory=None, ge=None):
            return FieldInfo(default=default, default_factory=default_factory, ge=ge)
        """,
}


OWN_CONSTRUCTOR = """
import torch
from pydantic import BaseModel, Field

class Registry(BaseModel):
    pass

class Config(Registry):
    channels: int = Field(default=3, ge=1)

    def __init__(self, **kwargs):
        Registry.__init__(self, **kwargs)

class Net(torch.nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.config = config

    def forward(self, x, y):
        rows = x.view(4, self.config.channels)[:, 0]
        return y[0, rows.long()]

torch.compile(Net(Config(channels=2)))(torch.ones(8), torch.ones(3, 3))
"""


def test_fields_without_the_package() -> None:
    assert breaks(SOURCE) == [(24, "call")]


@pytest.mark.parametrize(("source", "lines"), [(SOURCE, [24]), (OWN_CONSTRUCTOR, [])], ids=["generated", "own"])
def test_fields_with_the_package(tmp_path: Path, source: str, lines: list[int]) -> None:
    package = tmp_path / "pydantic"
    package.mkdir()
    for name, text in PACKAGE.items():
        (package / name).write_text(textwrap.dedent(text))
    path = tmp_path / "snippet.py"
    path.write_text(source)
    interpreter = new_interpreter(Project([path], root=tmp_path), load("2.13"), {})
    found = trace(interpreter, find_entries(interpreter).entries)
    assert [item.event.span.line for item in found] == lines


@pytest.mark.parametrize(("given", "expected"), [("kind='loud', width=1", [22]), ("width=1, names=['a']", [26])])
def test_arguments_are_given_by_name(given: str, expected: list[int]) -> None:
    found = breaks(SOURCE.replace("Config(width=4)", f"Config({given})"))
    assert [line for line, _ in found] == expected


def test_method_after_the_fields_are_set() -> None:
    source = """
    import torch
    from pydantic import BaseModel

    class Config(BaseModel):
        width: int

        def model_post_init(self, context):
            self.loud = self.width > 3

    def f(x, config: Config):
        if config.loud:
            print("loud")
        return x

    torch.compile(f)(torch.ones(3), Config(width=4))
    torch.compile(f)(torch.ones(3), Config(width=5))
    """
    assert breaks(source) == [(13, "call")]


def test_own_constructor_of_a_model() -> None:
    source = """
    import torch
    from pydantic import BaseModel, Field

    class Config(BaseModel):
        width: int = Field(ge=1)

        def __init__(self, **data):
            super().__init__(**data)

    def f(x, config: Config):
        return x, f"{config.width}"

    torch.compile(f)(torch.ones(3), Config(width=4))
    """
    assert breaks(source) == []


GETATTR = """\
class BaseModel:
    def __getattr__(self, item):
        private = object.__getattribute__(self, "__private_attributes__")
        if item in private:
            return private[item]
        raise AttributeError(item)
"""
READS = """\
import torch
from pydantic import BaseModel

class Small(BaseModel):
    size: int = 3

@torch.compile
def f(x: torch.Tensor, config: Small):
    return x + config.{name}
"""


@pytest.mark.parametrize(("name", "breaks"), [("size", False), ("width", False), ("_width", True)])
def test_attribute_that_is_no_field(tmp_path: Path, name: str, breaks: bool) -> None:
    """An object that lacks a field is of another class; private attributes are read by ``__getattr__``."""
    (tmp_path / "site" / "pydantic").mkdir(parents=True)
    (tmp_path / "site" / "pydantic" / "main.py").write_text(GETATTR)
    (tmp_path / "site" / "pydantic" / "__init__.py").write_text("from .main import BaseModel\n")
    (tmp_path / "m.py").write_text(READS.format(name=name))
    project = Project([tmp_path / "m.py"], root=tmp_path, src=[tmp_path / "site"], follow=["pydantic"])
    interp = new_interpreter(project, load("2.13"), {})
    assert bool(trace(interp, find_entries(interp).entries)) is breaks
