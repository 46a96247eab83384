"""Entry points in the forms of real code, and the region of each."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from gblint.diagnostics.break_event import Confidence, ReachedBreak
from gblint.diagnostics.entry_point import EntryPoint
from gblint.entrypoints.search import find_entries
from gblint.interp import new_interpreter, trace
from gblint.knowledge.catalog import load
from gblint.project.environment import Environment
from gblint.project.project import Project

HEAD = """
import functools
import torch
import torch as th
from torch import nn
from torch import compile as quick
"""


def project(folder: Path, files: dict[str, str]) -> Project:
    for name, source in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source))
    return Project([folder], root=folder)


def entries(folder: Path, source: str) -> list[tuple[str, str, str]]:
    m = new_interpreter(project(folder, {"m.py": HEAD + textwrap.dedent(source)}), load("2.13"), {})
    return [(e.point.name, e.point.kind, e.point.region.name) for e in find_entries(m, assume="never").entries]


def reached(folder: Path, files: dict[str, str], *names: str, assume: str = "auto") -> list[ReachedBreak]:
    m = new_interpreter(project(folder, files), load("2.13"), {})
    search = find_entries(m, names, assume=assume)
    assert not search.problems, search.problems
    return trace(m, search.entries)


NET = """
class Net(nn.Module):
    def __init__(self, d: int = 3):
        super().__init__()
        self.encoder = Encoder()
    def forward(self, x: torch.Tensor):
        return self.encoder(x)
    def step(self, x: torch.Tensor):
        return x.item()

class Encoder(nn.Module):
    def forward(self, x: torch.Tensor):
        return x.nonzero()

def f(x: torch.Tensor):
    return x.item()
"""


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("@torch.compile\ndef f(x): ...", [("m:f", "decorator", "default")]),
        ("@torch.compile(fullgraph=True)\ndef f(x): ...", [("m:f", "decorator", "fullgraph")]),
        ("@quick\ndef f(x): ...", [("m:f", "decorator", "default")]),
        ("@functools.partial(torch.compile, fullgraph=True)\ndef f(x): ...", [("m:f", "decorator", "fullgraph")]),
        ("full = functools.partial(torch.compile, fullgraph=True)\n@full\ndef compiled(x): ...", None),
        (NET + "g = torch.compile(f)", [("m:f", "call", "default")]),
        (NET + "g = th.compile(f, fullgraph=True)", [("m:f", "call", "fullgraph")]),
        (NET + "g = torch.compile(lambda x: x.item())", [("m:<lambda>", "call", "default")]),
        (NET + "g = torch.compile(Net())", [("m:Net", "call", "default")]),
        (NET + "g = torch.compile(Net().__call__)", [("m:Net", "call", "default")]),
        (NET + "net = Net()\nnet.compile(fullgraph=True)", [("m:Net", "method", "fullgraph")]),
        (
            "class Base(nn.Module):\n    def fast(self):\n        return torch.compile(self.__call__)\n"
            "class Real(Base):\n    def forward(self, x):\n        return x",
            [("m:Real", "call", "default")],
        ),
        (
            "class Base(nn.Module):\n    def fast(self):\n        return torch.compile(self.forward)\n"
            "class Real(Base):\n    def forward(self, x):\n        return x",
            [("m:Real", "call", "default")],
        ),
        (NET + "net = Net()\nnet.encoder = torch.compile(net.encoder)", [("m:Encoder", "call", "default")]),
        (NET + "net = Net()\nnet.step = torch.compile(net.step)", [("m:Net.step", "call", "default")]),
        (NET + "g = torch._dynamo.optimize('eager')(f)", [("m:f", "call", "default")]),
        (NET + "p = torch.export.export(Net(), (torch.ones(3),), strict=True)", [("m:Net", "call", "fullgraph")]),
        (NET + "def main():\n    return torch.compile(Net())", [("m:Net", "call", "default")]),
        (NET + "if __name__ == '__main__':\n    g = torch.compile(f)", [("m:f", "call", "default")]),
        (
            "def outer():\n    @torch.compile\n    def inner(x): ...\n    return inner",
            [("m:outer.inner", "decorator", "default")],
        ),
        (
            "class A(nn.Module):\n    @torch.compile\n    def step(self, x): ...",
            [("m:A.step", "decorator", "default")],
        ),
        ("import re\npattern = re.compile('a')", []),
    ],
)
def test_forms(tmp_path: Path, source: str, expected: list[tuple[str, str, str]] | None) -> None:
    if expected is None:
        expected = [("m:compiled", "decorator", "fullgraph")]
    assert entries(tmp_path, source) == expected


def test_modules_in_a_container_of_torch_are_traced(tmp_path: Path) -> None:
    source = HEAD + NET + "net = torch.compile(nn.Sequential(nn.Linear(3, 3), Net()))\n"
    (item,) = reached(tmp_path, {"m.py": source})
    assert [(link.function, link.line) for link in item.chain][-1][0] == "Encoder.forward"


def test_every_forward_is_assumed_without_an_entry_point(tmp_path: Path) -> None:
    found = reached(tmp_path, {"m.py": HEAD + NET})
    points: set[EntryPoint] = {point for item in found for point in item.entries}
    assert {(p.name, p.kind) for p in points} == {("m:Net", "assumed"), ("m:Encoder", "assumed")}
    assert all(len(item.entries) == 2 for item in found), "both reach the encoder's break"


def test_chain_goes_through_files(tmp_path: Path) -> None:
    files = {
        "pkg/__init__.py": "from .ops import count",
        "pkg/ops.py": "def count(mask):\n    return _rows(mask)\n\ndef _rows(mask):\n    return mask.nonzero()\n",
        "train.py": """
            import torch
            from pkg import count

            @torch.compile
            def step(x: torch.Tensor):
                return count(x > 0)
        """,
    }
    (item,) = reached(tmp_path, files)
    assert [(Path(link.path).name, link.line, link.function) for link in item.chain] == [
        ("train.py", 7, "step"),
        ("ops.py", 2, "count"),
        ("ops.py", 5, "_rows"),
    ]
    assert item.event.confidence is Confidence.CERTAIN


def test_breaks_in_a_library_are_reported_at_the_users_call(tmp_path: Path) -> None:
    folder = tmp_path / "app"
    library = tmp_path / "site"
    (library / "lib").mkdir(parents=True)
    (library / "lib" / "__init__.py").write_text("def pick(x):\n    return x.nonzero()\n")
    folder.mkdir()
    (folder / "m.py").write_text(
        "import torch\nfrom lib import pick\n"
        "@torch.compile\ndef f(x: torch.Tensor):\n    y = x + 1\n    return pick(y)\n"
    )
    from gblint.project.environment import Environment

    environment = Environment(python=None, version=(3, 11), search_path=(library,))
    own = Project([folder], root=folder, environment=environment)
    m = new_interpreter(own, load("2.13"), {})
    (item,) = trace(m, find_entries(m).entries)
    assert (Path(item.span.path).name, item.span.line) == ("m.py", 6)
    assert (Path(item.event.span.path).parent.name, item.event.span.line) == ("lib", 2)
    followed = Project([folder], root=folder, environment=environment, follow=["lib"])
    m = new_interpreter(followed, load("2.13"), {})
    (item,) = trace(m, find_entries(m).entries)
    assert (Path(item.span.path).parent.name, item.span.line) == ("lib", 2)


def test_fullgraph_captures_what_breaks_by_default(tmp_path: Path) -> None:
    body = "def f(x: torch.Tensor):\n    n = x.nonzero()\n    k = x.sum().item()\n"
    body += "    if k > 0:\n        n = n + 1\n    return n\n"
    default = {i.event.span.line for i in reached(tmp_path, {"m.py": "import torch\n@torch.compile\n" + body})}
    full = {
        i.event.span.line for i in reached(tmp_path, {"m.py": "import torch\n@torch.compile(fullgraph=True)\n" + body})
    }
    assert (default, full) == ({4, 5}, {6})


def test_error_on_graph_break_marks_the_code_that_it_covers(tmp_path: Path) -> None:
    source = """
        import torch

        @torch.compile
        def f(x: torch.Tensor):
            with torch._dynamo.error_on_graph_break(True):
                print(1)
            with torch._dynamo.error_on_graph_break(False):
                print(2)
            print(3)
            return x
    """
    found = {i.event.span.line: (i.region.raises, i.region.allows) for i in reached(tmp_path, {"m.py": source})}
    assert found == {7: (True, False), 9: (False, True), 10: (False, False)}


def test_visible_calls_determine_the_arguments(tmp_path: Path) -> None:
    source = (
        HEAD
        + "def f(n, x):\n    if n > 2:\n        return x\n    return x.item()\n"
        + "g = torch.compile(f)\ng(1, torch.ones(1))\n"
    )
    (item,) = reached(tmp_path, {"m.py": source})
    assert item.event.subject == "item" and item.event.confidence is Confidence.CERTAIN


def test_an_entry_that_is_not_there_is_a_problem_with_a_suggestion(tmp_path: Path) -> None:
    m = new_interpreter(project(tmp_path, {"m.py": HEAD + NET}), load("2.13"), {})
    search = find_entries(m, ["m:Nett"])
    assert not search.entries
    assert "did you mean 'Net'?" in search.problems[0].message


def test_columns_count_characters(tmp_path: Path) -> None:
    source = 'import torch\n@torch.compile\ndef f(x: torch.Tensor):\n    ä = "öß"; return x.item()\n'
    (item,) = reached(tmp_path, {"m.py": source})
    assert (item.span.column, item.span.end_column, item.event.expression) == (22, 30, "x.item()")


def test_a_script_finds_its_neighbours_first(tmp_path: Path) -> None:
    train = "import torch\nfrom helper import pick\n@torch.compile\ndef {0}(x: torch.Tensor):\n    return pick(x)\n"
    files = {
        "one/helper.py": "def pick(x):\n    return x.nonzero()\n",
        "one/train.py": train.format("f"),
        "two/helper.py": "def pick(x):\n    return x + 1\n",
        "two/train2.py": train.format("g"),
    }
    (item,) = reached(tmp_path, files)
    assert [point.name.rpartition(":")[2] for point in item.entries] == ["f"]


HELPERS = {
    "fast.py": """
        import functools
        import torch

        def optimized(function):
            compiled = torch.compile(function)
            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                return compiled(*args, **kwargs)
            return wrapper

        def speed_up(model: torch.nn.Module) -> torch.nn.Module:
            return torch.compile(model)
    """,
    "use.py": """
        import fast
        import torch
        from fast import optimized, speed_up

        class Net(torch.nn.Module):
            def forward(self, x: torch.Tensor):
                return x.nonzero()

        @optimized
        def one(x: torch.Tensor):
            return x.item()

        class Two:
            @fast.optimized
            def method(self, x: torch.Tensor):
                return x.tolist()

        net = speed_up(Net())
    """,
}


def test_helpers_that_compile_their_arguments(tmp_path: Path) -> None:
    found = reached(tmp_path, HELPERS)
    assert sorted((item.entries[0].name, item.span.line) for item in found) == [
        ("use:Net", 8),
        ("use:Two.method", 17),
        ("use:one", 12),
    ]


def test_uncalled_helper_is_not_an_entry_point(tmp_path: Path) -> None:
    m = new_interpreter(project(tmp_path, {"fast.py": HELPERS["fast.py"]}), load("2.13"), {})
    assert find_entries(m).entries == []


def test_compilers_by_name(tmp_path: Path) -> None:
    source = """
        from somewhere.fast import speed

        @speed(mode="x")
        def one(x: torch.Tensor):
            return x.item()

        two = speed(lambda x: x.tolist())
    """
    m = new_interpreter(project(tmp_path, {"m.py": HEAD + textwrap.dedent(source)}), load("2.13"), {})
    search = find_entries(m, compilers=["somewhere.fast.speed"])
    assert [entry.point.name for entry in search.entries] == ["m:one", "m:<lambda>"]


def test_only_strict_export_is_traced_by_dynamo(tmp_path: Path) -> None:
    call = "torch.export.export(Net(), (torch.ones(3),){})\n"
    assert entries(tmp_path, NET + call.format("")) == []
    assert entries(tmp_path, NET + call.format(", strict=True")) == [("m:Net", "call", "fullgraph")]


def test_compiled_objects_that_are_unknown(tmp_path: Path) -> None:
    files = {"m.py": "import torch\nfrom elsewhere import load\n\nmodel = torch.compile(load('x').net)\n"}
    search = find_entries(new_interpreter(project(tmp_path, files), load("2.13"), {}), assume="never")
    assert search.entries == []
    (item,) = search.unresolved
    assert (item.line, item.column, item.expression, item.reason) == (4, 9, "load('x').net", "not-installed")


LIBRARY = """
import torch

class Base(torch.nn.Module):
    _repeated = ["Block"]

    @classmethod
    def from_pretrained(cls, name):
        return load_file(name)

    def compile_repeated(self, **options):
        for module in self.modules():
            if module.__class__.__name__ in self._repeated:
                module.compile(**options)

class Block(torch.nn.Module):
    def forward(self, x):
        return x.item()

class Model(Base):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(3)
        self.layers = torch.nn.ModuleList([Block() for _ in range(3)])

    def forward(self, x):
        return self.norm(x)

def compile_quietly():
    return torch.compile(torch.nn.Sequential(Block()))

class AutoModel:
    def __init__(self):
        raise OSError("use from_pretrained")

    @classmethod
    def from_pretrained(cls, name):
        return registry[name].from_pretrained(name)
"""


def in_library(folder: Path, source: str) -> list[tuple[str, str]]:
    site = folder / "site-packages"
    (site / "lib").mkdir(parents=True)
    (site / "lib" / "__init__.py").write_text(LIBRARY)
    main = folder / "project" / "main.py"
    main.parent.mkdir()
    main.write_text("import torch\nfrom lib import AutoModel, Model\n" + textwrap.dedent(source))
    environment = Environment(None, (3, 12), (site,))
    m = new_interpreter(Project([main], root=main.parent, environment=environment), load("2.13"), {})
    return [(e.point.name, Path(e.point.path).name) for e in find_entries(m, assume="never").entries]


def test_models_that_a_library_loads(tmp_path: Path) -> None:
    assert in_library(tmp_path, "model = torch.compile(Model.from_pretrained('x'))") == [("lib:Model", "main.py")]


def test_factory_class_is_unknown(tmp_path: Path) -> None:
    assert in_library(tmp_path, "model = torch.compile(AutoModel.from_pretrained('x'))") == []


def test_a_library_that_compiles_parts_of_a_model(tmp_path: Path) -> None:
    source = "model = Model.from_pretrained('x')\nmodel.compile_repeated(fullgraph=True)"
    assert in_library(tmp_path, source) == [("lib:Block", "main.py")]


def test_internal_compilation_of_a_library_is_ignored(tmp_path: Path) -> None:
    source = "model = Model.from_pretrained('x')\nmodel.compile_repeated()\ncompile_quietly()"
    imported = "from lib import compile_quietly\n"
    assert in_library(tmp_path, imported + source) == [("lib:Block", "main.py")]


LIT = """
import torch
import lightning as L
from lightning.pytorch import Trainer

class Lit(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(3, 3)
    def forward(self, x: torch.Tensor):
        return self.net(x)
    def training_step(self, batch: torch.Tensor, index):
        return self(batch).sum().item()
    def predict_step(self, batch: torch.Tensor, index):
        return self(batch).tolist()
"""


@pytest.mark.parametrize(
    ("head", "source", "expected"),
    [
        (
            "from transformers import Trainer, TrainingArguments",
            "args = TrainingArguments('out', torch_compile=True)\ntrainer = Trainer(model=Net(), args=args)",
            [("m:Net", "default")],
        ),
        (
            "import transformers",
            "def main():\n    args = transformers.TrainingArguments('out', torch_compile_backend='inductor')\n"
            "    transformers.Trainer(Net(), args).train()",
            [("m:Net", "default")],
        ),
        (
            "from transformers import Trainer, TrainingArguments",
            "class Mine(Trainer):\n    def log(self, logs): ...\n\n"
            "Mine(model_init=lambda: Net(), args=TrainingArguments('out', torch_compile_mode='default'))",
            [("m:Net", "default")],
        ),
        (
            "from transformers import Trainer, TrainingArguments",
            "def train(model):\n    Trainer(model=model, args=TrainingArguments('out', torch_compile=True)).train()\n\n"
            "train(Net())",
            [("m:Net", "default")],
        ),
        (
            "from transformers import Trainer, TrainingArguments",
            "args = TrainingArguments('out', torch_compile=False)\ntrainer = Trainer(model=Net(), args=args)",
            [],
        ),
        (
            "from accelerate import Accelerator",
            "def main():\n    net = Net()\n    accelerator = Accelerator(dynamo_backend='inductor')\n"
            "    net, other = accelerator.prepare(net, [])",
            [("m:Net", "default")],
        ),
        (
            "from accelerate import Accelerator\nfrom accelerate.utils import DynamoBackend, TorchDynamoPlugin",
            "plugin = TorchDynamoPlugin(backend=DynamoBackend.INDUCTOR, fullgraph=True)\n"
            "accelerator = Accelerator(dynamo_plugin=plugin)\nnet = accelerator.prepare(Net())",
            [("m:Net", "fullgraph")],
        ),
        (
            "from accelerate import Accelerator",
            "accelerator = Accelerator(dynamo_backend='no')\nnet = accelerator.prepare(Net())",
            [],
        ),
    ],
)
def test_libraries_that_compile_by_an_option(
    tmp_path: Path, head: str, source: str, expected: list[tuple[str, str]]
) -> None:
    m = new_interpreter(project(tmp_path, {"m.py": f"{HEAD}{head}\n{NET}\n{source}\n"}), load("2.13"), {})
    found = find_entries(m, assume="never").entries
    assert [(entry.point.name, entry.point.region.name) for entry in found] == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("model = torch.compile(Lit())\nTrainer().fit(model)", ["m:Lit", "m:Lit.training_step"]),
        ("def main():\n    L.Trainer().predict(torch.compile(Lit()))", ["m:Lit", "m:Lit.predict_step"]),
        ("Trainer().fit(Lit())", []),
    ],
)
def test_parts_of_a_compiled_model_that_lightning_compiles(tmp_path: Path, source: str, expected: list[str]) -> None:
    m = new_interpreter(project(tmp_path, {"m.py": f"{LIT}\n{source}\n"}), load("2.13"), {})
    assert sorted(entry.point.name for entry in find_entries(m, assume="never").entries) == expected


SPREAD = {
    "speed.py": HEAD
    + """
def faster(f, mode="default"):
    return torch.compile(f, mode=mode)

def compiles_nothing(f):
    return f

@torch.compile
def loss(x: torch.Tensor):
    return x.item()
""",
    "layers.py": HEAD
    + NET
    + """
    compiled = False
""",
    "use.py": HEAD
    + """
from speed import faster, loss
from layers import Net
net = faster(Net())
def train(x: torch.Tensor):
    loss(x)
    return net(x)
""",
    "undo.py": HEAD
    + """
from speed import loss
slow = torch.compiler.disable(loss)
""",
    "speaks.py": "# torch.compile\nimport re\nPATTERN = re.compile('a')\n",
}


def test_search_of_many_files_finds_the_same_entry_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def found() -> tuple[list[EntryPoint], list[ReachedBreak]]:
        m = new_interpreter(project(tmp_path, SPREAD), load("2.13"), {})
        search = find_entries(m)
        return [entry.point for entry in search.entries], trace(m, search.entries)

    expected = found()
    monkeypatch.setattr("gblint.project.project.MOST_SOURCE", 1)
    assert len(expected[0]) == 2
    assert found() == expected


def test_search_releases_the_trees_of_files_that_it_only_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "base.py": HEAD + "class Base(torch.nn.Module):\n    def run(self):\n        return torch.compile(self)\n",
        "net.py": HEAD + "from base import Base\nclass Net(Base):\n    def forward(self, x):\n        return x\n",
        "looked_at.py": "class Base: ...\n",
    }
    m = new_interpreter(project(tmp_path, files), load("2.13"), {})
    modules = {module.name: module for module in m.project.user_modules()}
    _ = modules["looked_at"].symbols
    assert modules["looked_at"].is_parsed
    monkeypatch.setattr("gblint.project.project.MOST_SOURCE", 1)
    assert [entry.point.name for entry in find_entries(m).entries] == ["net:Net"]
    assert [name for name, module in modules.items() if module.is_parsed] == ["base", "net"]


LATER = """
def later(fn=None, times=1):
    if fn is None:
        return lambda fn: later(fn, times)
    def wrapper(*args):
        return torch.compile(fn)(*args)
    return wrapper
"""


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (LATER + "@later\ndef f(x): ...", [("m:f", "call", "default")]),
        (LATER + "@later(times=3)\ndef f(x): ...", [("m:f", "call", "default")]),
        (LATER + NET + "run = later(Net())", [("m:Net", "call", "default")]),
        (
            LATER + "class Case:\n    @later\n    def f(x): ...\n    g = later(lambda x: x)",
            [("m:Case.f", "call", "default"), ("m:Case.<lambda>", "call", "default")],
        ),
        ("def f(x): ...\ntorch._dynamo.explain(f)(3)", [("m:f", "call", "default")]),
        (
            "import torch._dynamo.testing\ndef test(self):\n    def fn(x): ...\n"
            "    torch._dynamo.testing.standard_test(self, fn, 1)",
            [("m:test.fn", "call", "fullgraph")],
        ),
        (
            "import torch._dynamo.testing\ndef make_test(fn):\n    def test_fn(self):\n"
            "        return torch._dynamo.testing.standard_test(self, fn=fn, nargs=1)\n    return test_fn\n"
            "class Case:\n    @make_test\n    def test_f(x): ...",
            [("m:Case.test_f", "call", "fullgraph")],
        ),
    ],
)
def test_functions_that_compile_when_they_are_called(
    tmp_path: Path, source: str, expected: list[tuple[str, str, str]]
) -> None:
    assert entries(tmp_path, source) == expected


def test_lambdas_that_are_passed_on(tmp_path: Path) -> None:
    source = """
        class Case(Unknown):
            def test(self):
                def f(x): ...
                self.assertRaises(ValueError, lambda: torch.compile(f)(3))
    """
    assert entries(tmp_path, textwrap.dedent(source)) == [("m:Case.test.f", "call", "default")]


def test_a_decorator_is_followed_for_each_function(tmp_path: Path) -> None:
    functions = "".join(f"@later\ndef f{n}(x): ...\n" for n in range(80))
    assert len(entries(tmp_path, LATER + functions)) == 80


def test_arguments_of_a_wrapper_tell_as_little_as_no_call(tmp_path: Path) -> None:
    source = HEAD + textwrap.dedent(LATER) + "@later\ndef f(x):\n    return x.item()\n"
    found = reached(tmp_path, {"m.py": source})
    assert [each.event.confidence for each in found] == [Confidence.LIKELY]


def test_a_standard_test_passes_matrices(tmp_path: Path) -> None:
    source = HEAD + textwrap.dedent(
        """
        import torch._dynamo.testing
        def test(self):
            def fn(x, size):
                return x.is_inference(), size.is_inference()
            torch._dynamo.testing.standard_test(self, fn, 2)
        """
    )
    found = reached(tmp_path, {"m.py": source})
    assert [each.event.confidence for each in found] == [Confidence.CERTAIN, Confidence.CERTAIN]


def test_a_decorator_that_a_function_rebinds_to_the_compiler(tmp_path: Path) -> None:
    (tmp_path / "fuser.py").write_text(
        "import torch\nfuse = torch.jit.script\n"
        "def leave(function):\n    return function\n"
        "def enable():\n    global fuse\n    try:\n        fuse = torch.compile\n"
        "    except ImportError:\n        fuse = leave\n"
        "def disable():\n    global fuse\n    fuse = leave\n"
        "enable()\n"
    )
    (tmp_path / "m.py").write_text("from fuser import fuse\n@fuse\ndef f(x):\n    return x\n")
    found = find_entries(new_interpreter(Project([tmp_path], root=tmp_path), load("2.13"), {}), assume="never")
    assert [entry.point.name for entry in found.entries] == ["m:f"]
    assert found.unresolved == []
