from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gblint.project.environment import Environment
from gblint.project.project import Project
from gblint.project.source import parse_source
from gblint.runtime.mypyc import is_compiled
from tests.project.trees import project, site


def where(found: Project, module: str, name: str) -> tuple[str, str]:
    start = found.find_module(module)
    assert start is not None
    definition = found.resolve(start, name)
    return definition.kind, definition.name


def test_through_imports_and_reexports(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        {
            "pkg/__init__.py": "from .a import f as g\nfrom . import a\nfrom .b import *\nimport pkg.c.d\n",
            "pkg/a.py": "def f(): ...\n",
            "pkg/b.py": "from .a import f\n_hidden = 1\nshown = 2\n",
            "pkg/c/__init__.py": "",
            "pkg/c/d.py": "class D: ...\n",
            "main.py": "import pkg, gone, pkg.c.d as d\nfrom pkg import g, shown, c\nfrom nowhere import x\n",
        },
    )
    assert where(found, "main", "g") == ("binding", "pkg.a.f")
    assert where(found, "main", "shown") == ("binding", "pkg.b.shown")
    assert where(found, "main", "pkg") == ("module", "pkg")
    assert where(found, "main", "d") == ("module", "pkg.c.d")
    assert where(found, "main", "c") == ("module", "pkg.c")
    assert where(found, "pkg", "a") == ("module", "pkg.a")
    assert where(found, "pkg", "f") == ("binding", "pkg.a.f")
    assert where(found, "pkg", "_hidden") == ("missing", "pkg._hidden")
    assert where(found, "main", "x") == ("missing", "nowhere.x")
    assert where(found, "main", "gone") == ("missing", "gone")
    assert where(found, "main", "nothing") == ("missing", "main.nothing")


def test_star_imports_respect_all_and_order(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        {
            "main.py": "from a import *\nfrom b import *\ntry:\n    pass\nexcept E:\n    from dummy import *\n",
            "a.py": "x = y = _z = 1\n",
            "b.py": "__all__ = [\n    'x',\n    '_w',\n]\nx = y = _w = 1\n",
            "dummy.py": "x = only = 1\n",
        },
    )
    assert where(found, "main", "x") == ("binding", "b.x")
    assert where(found, "main", "y") == ("binding", "a.y")
    assert where(found, "main", "_w") == ("binding", "b._w")
    assert where(found, "main", "_z")[0] == "missing"
    assert where(found, "main", "only") == ("binding", "dummy.only")


def test_a_name_that_a_later_star_import_takes_from_the_package(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        {
            "pkg/__init__.py": "from .base import *\nfrom .part import *\n",
            "pkg/base.py": "class Base: ...\n",
            "pkg/part.py": "from . import Base\nclass Part(Base): ...\n",
        },
    )
    assert where(found, "pkg", "Base") == ("binding", "pkg.base.Base")
    assert where(found, "pkg.part", "Base") == ("binding", "pkg.base.Base")
    assert where(found, "pkg", "Part") == ("binding", "pkg.part.Part")


def test_circular_imports_terminate(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        {
            "a.py": "from b import *\nfrom b import x\nhere = 1\n",
            "b.py": "from a import *\nfrom a import x\nthere = 1\n",
            "self.py": "from self import *\nfrom self import y\n",
            **{f"long{i}.py": f"from long{i + 1} import deep\n" for i in range(300)},
        },
    )
    assert where(found, "a", "there") == ("binding", "b.there")
    assert where(found, "b", "here") == ("binding", "a.here")
    assert where(found, "a", "x")[0] == "missing"
    assert where(found, "self", "y")[0] == "missing"
    assert where(found, "long0", "deep")[0] == "missing"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("try:\n    from real import f\nexcept ImportError:\n    f = None\n", "real.f"),
        ("try:\n    from gone import f\nexcept ImportError:\n    from real import f\n", "real.f"),
        ("try:\n    from gone import f\nexcept ImportError:\n    f = None\n", "main.f"),
        ("if TYPE_CHECKING:\n    from real import f\nelse:\n    f = 1\n", "main.f"),
        ("if TYPE_CHECKING:\n    from real import f\n", "real.f"),
        ("if x:\n    from real import f\nelse:\n    f = None\n", "real.f"),
        ("f = None\nif x:\n    from real import f\n", "real.f"),
        ("def f(): ...\nfrom real import f\n", "real.f"),
        ("from real import f\ndel f\n", "real.f"),
    ],
)
def test_conditional_definitions(tmp_path: Path, text: str, expected: str) -> None:
    found = project(tmp_path, {"real.py": "def f(): ...\n", "main.py": text})
    assert where(found, "main", "f") == ("binding", expected)


TRANSFORMERS = """\
from typing import TYPE_CHECKING
from .utils import _LazyModule
if TYPE_CHECKING or SLOW:
    try:
        if not available(): raise Missing()
    except Missing:
        from .dummy import *
        from .dummy import Other
    else:
        from .models import Model
        from .models import Other
else:
    import sys
    sys.modules[__name__] = _LazyModule(__name__)
"""


@pytest.mark.parametrize(
    "init",
    [
        TRANSFORMERS,
        "_import_structure = {'utils': [], 'models.real': ['Model']}\n_import_structure['models'] = ['Other']\n",
        "import lazy_loader\n__getattr__, __dir__, __all__ = lazy_loader.attach(\n"
        "    __name__, submod_attrs={'models.real': ['Model'], 'models': ['Other']})\n",
        "_NAMES = {'Model': 'models.real', 'Other': '.models'}\ndef __getattr__(name): ...\n",
        "_NAMES = {'Model': ('pkg.models.real', 'Model'), 'Other': ('.models.real', 'Other')}\n",
    ],
    ids=["type-checking", "import-structure", "attach", "names", "pairs"],
)
def test_lazy_packages(tmp_path: Path, init: str) -> None:
    found = project(
        tmp_path,
        {
            "pkg/__init__.py": init,
            "pkg/utils.py": "class _LazyModule: ...\n",
            "pkg/dummy.py": "class Model: ...\nclass Other: ...\n",
            "pkg/models/__init__.py": "if TYPE_CHECKING:\n    from .real import *\n",
            "pkg/models/real.py": "__all__ = ['Model', 'Other']\nclass Model: ...\nclass Other: ...\n",
        },
    )
    assert where(found, "pkg", "Model") == ("binding", "pkg.models.real.Model")
    assert where(found, "pkg", "Other") == ("binding", "pkg.models.real.Other")
    assert where(found, "pkg", "None_such")[0] == "missing"


def test_compiled_modules(tmp_path: Path) -> None:
    environment = site(
        tmp_path,
        {
            "torch/__init__.py": "from torch._C import *\nfrom . import _C\nfrom ._C import Size\n",
            "torch/_C.so": "",
            "ns/x.py": "",
        },
    )
    found = project(tmp_path / "p", {"main.py": "import ns\nfrom ns import x\nimport sys\n"}, environment)
    assert where(found, "torch", "Size") == ("extension", "torch._C.Size")
    assert where(found, "torch", "relu") == ("extension", "torch._C.relu")
    assert where(found, "torch", "_C") == ("extension", "torch._C")
    assert where(found, "main", "ns") == ("namespace", "ns")
    assert where(found, "main", "x") == ("module", "ns.x")
    assert where(found, "main", "sys") == ("extension", "sys")


@pytest.mark.skipif(is_compiled(), reason="the function that it puts in place of another is compiled")
def test_hundreds_of_star_imports_are_not_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"big/__init__.py": "".join(f"from .m{i} import *\n" for i in range(200))}
    files |= {f"big/m{i}.py": f"__all__ = ['C{i}']\nclass C{i}: ...\n" for i in range(200)}
    found = project(tmp_path, files)
    parsed: list[str] = []

    def parse(source: str) -> ast.Module:
        parsed.append(source)
        return parse_source(source)

    monkeypatch.setattr("gblint.project.modules.parse_source", parse)
    assert where(found, "big", "C57") == ("binding", "big.m57.C57")
    assert sorted(parsed) == sorted([files["big/__init__.py"], files["big/m57.py"]])


def test_dunder_all_that_needs_the_syntax_tree(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        {
            "main.py": "from a import *\n",
            "a.py": "__all__ = ['x']\n__all__ += ['_y']\nx = _y = z = 1\n",
        },
        Environment(None, None, ()),
    )
    assert where(found, "main", "x")[0] == "binding"
    assert where(found, "main", "_y")[0] == "binding"
    assert where(found, "main", "z")[0] == "missing"


def test_a_lazy_package_is_searched_where_the_name_points(tmp_path: Path) -> None:
    models = [f"m{number}" for number in range(30)] + ["llama", "my_llama"]
    files = {
        "pkg/__init__.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .models import *\n",
        "pkg/models/__init__.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
        + "".join(f"    from .{name} import *\n" for name in models),
        "main.py": "from pkg import LlamaConfig, MyLlamaConfig, Other, gone\nfrom pkg.models import llama, m3\n",
    }
    for name in models:
        title = "".join(part.title() for part in name.split("_"))
        files[f"pkg/models/{name}/__init__.py"] = "if TYPE_CHECKING:\n    from .code import *\n"
        files[f"pkg/models/{name}/code.py"] = f"__all__ = ['{title}Config', 'llama']\nclass {title}Config: ...\n"
    files["pkg/models/m7/code.py"] = "__all__ = ['Other']\nclass Other: ...\n"
    found = project(tmp_path, files)

    assert where(found, "main", "LlamaConfig") == ("binding", "pkg.models.llama.code.LlamaConfig")
    assert where(found, "main", "MyLlamaConfig") == ("binding", "pkg.models.my_llama.code.MyLlamaConfig")
    assert where(found, "main", "llama") == ("module", "pkg.models.llama")
    assert where(found, "main", "m3") == ("module", "pkg.models.m3")
    read = {Path(path).parent.name for path in found.files_read() if path.endswith("code.py")}
    assert read == {"llama", "my_llama"}

    assert where(found, "main", "Other") == ("binding", "pkg.models.m7.code.Other")
    assert where(found, "main", "gone")[0] == "missing"
    assert where(found, "main", "LlamaConfig") == ("binding", "pkg.models.llama.code.LlamaConfig")


def test_lazy_packages_that_import_each_other_terminate(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        {
            "pkg/__init__.py": "if TYPE_CHECKING:\n    from .sub import *\n",
            "pkg/sub/__init__.py": "if TYPE_CHECKING:\n    from .. import *\n    from .real import *\n",
            "pkg/sub/real.py": "PkgSubReal = 1\n",
            "main.py": "from pkg import PkgSubReal, PkgSub\n",
        },
    )
    assert where(found, "main", "PkgSubReal") == ("binding", "pkg.sub.real.PkgSubReal")
    assert where(found, "main", "PkgSub")[0] == "missing"
