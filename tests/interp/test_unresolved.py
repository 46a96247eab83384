"""Compiled objects that cannot be analysed: the reason, the hint, and the places that compile nothing."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from gblint.diagnostics.unresolved import UnresolvedTarget
from gblint.entrypoints.search import EntrySearch, find_entries
from gblint.interp import new_interpreter
from gblint.knowledge.catalog import load
from gblint.project.environment import Environment
from gblint.project.project import Project

HEAD = """
import torch
from torch import nn
from abc import abstractmethod
import absent
from absent import Base, Thing

class Net(nn.Module):
    def forward(self, x):
        return x
"""


def search(folder: Path, source: str, pins: dict[str, tuple[str, ...]] | None = None) -> EntrySearch:
    folder.joinpath("m.py").write_text(HEAD + textwrap.dedent(source))
    project = Project([folder], root=folder, environment=Environment(None, (3, 12), ()))
    return find_entries(new_interpreter(project, load("2.13"), pins or {}), assume="never")


def unresolved(folder: Path, source: str) -> list[UnresolvedTarget]:
    return search(folder, source).unresolved


@pytest.mark.parametrize(
    ("source", "reason", "said"),
    [
        ("f = torch.compile(absent.make())", "not-installed", "`absent`"),
        ("f = torch.compile(Thing())", "not-installed", "`absent`"),
        ("f = torch.compile(absent.fn)", "not-installed", "`absent`"),
        (
            "def main():\n    from other.place import build\n    net = build()\n    torch.compile(net)",
            "not-installed",
            "other",
        ),
        ("class Own(Base):\n    pass\nf = torch.compile(Own())", "not-installed", "`absent`"),
        ("def build(cfg):\n    return eval(cfg)()\nf = torch.compile(build(3))", "factory", "`build(...)`"),
        (
            "def build(cfg):\n    return eval(cfg)()\nclass T:\n    def __init__(self, cfg):\n"
            "        self.net = build(cfg).to('cuda')\n        self.net = torch.compile(self.net)",
            "factory",
            "`build(...)`",
        ),
        ("def main(model):\n    return torch.compile(model)", "parameter", "`model` is a parameter of `main`"),
        (
            "class T:\n    def __init__(self, net):\n        self.net = net\n"
            "    def go(self):\n        torch.compile(self.net)",
            "parameter",
            "`net` of `T.__init__`",
        ),
        ("def main(model: nn.Module):\n    return torch.compile(model)", "base-class", "`torch.nn.Module`"),
        (
            "class A(nn.Module):\n    @abstractmethod\n    def step(self, x):\n        pass\n"
            "def main(a: A):\n    return torch.compile(a.step)",
            "base-class",
            "`A.step` is abstract",
        ),
        (
            "class A(nn.Module):\n    def forward(self, x):\n        raise NotImplementedError\n"
            "def main(a: A):\n    return torch.compile(a)",
            "base-class",
            "`A.forward` is abstract",
        ),
        (
            "from torch.nn.parallel import DistributedDataParallel\n"
            "def main(net):\n    return torch.compile(DistributedDataParallel(net))",
            "factory",
            "DistributedDataParallel",
        ),
        (
            "class T:\n    def go(self):\n        torch.compile(self.never)",
            "unknown-value",
            "its value could not be determined",
        ),
        ("def main():\n    raise OSError\n    return torch.compile(Net())", "not-reached", "did not reach this line"),
        ("def main():\n    raise OSError\n    Net().compile(dynamic=True)", "not-reached", "did not reach this line"),
        ("def main(a):\n    for b in a.blocks:\n        b.compile(dynamic=True)", "unknown-value", ""),
        ("def main(a):\n    net = a.net\n    net.compile()", "unknown-value", ""),
        ("class T:\n    net = None\n    def go(self):\n        torch.compile(self.net)", "unknown-value", ""),
        (
            "def main(x):\n    with torch._dynamo.compiled_autograd._enable(torch.compile(fullgraph=True)):\n"
            "        x.backward()",
            "no-source",
            "backward pass",
        ),
        (
            "def main(x):\n    compiler = torch.compile(fullgraph=True)\n"
            "    with torch._dynamo.compiled_autograd.enable(compiler):\n        x.backward()",
            "no-source",
            "backward pass",
        ),
        (
            "def patch(monkeypatch):\n    original = torch.compile\n"
            "    monkeypatch.setattr(torch, 'compile', lambda fn, **kwargs: original(fn, dynamic=False))",
            "not-reached",
            "did not reach",
        ),
        (
            "def main(net, fast=False):\n    raise OSError\n"
            "    compiler = torch.compile if fast else lambda x: x\n    return compiler(net)",
            "not-reached",
            "did not reach",
        ),
        (
            "import functools\ndef main(net):\n    raise OSError\n"
            "    compiler = functools.partial(torch.compile, dynamic=True)\n    return compiler(net)",
            "not-reached",
            "did not reach",
        ),
    ],
)
def test_reasons(tmp_path: Path, source: str, reason: str, said: str) -> None:
    found = search(tmp_path, source)
    (target,) = found.unresolved
    assert (target.reason, said in target.explanation) == (reason, True)
    assert found.entries == []


@pytest.mark.parametrize(
    "source",
    [
        "f = torch.compile(Net())",
        "def main(net):\n    return torch.compile(net)\nmain(Net())",
        "f = torch.compile(nn.Linear(3, 3))",
        "f = torch.compile(torch.add)",
        "decorate = torch.compile(dynamic=True)\n@decorate\ndef f(x): ...",
        "def decorate(f=None):\n    return torch.compile(f, dynamic=True)\n@decorate()\ndef f(x): ...",
        "def main(model):\n    model.compile(loss='mse', optimizer='adam')",
        "class Keras(Base, nn.Module):\n    pass\nKeras().compile(loss='mse', optimizer='adam')",
        "def main(model):\n    model.compile('adam', 'mse')",
        "def main(query):\n    return query.compile()",
        "import re\npattern = re.compile('a')",
        "def main(net):\n    return torch.compile(net, disable=True)",
        "def main():\n    raise OSError\n    return torch.compile(Net(), disable=True)",
        "@torch.compile\ndef f(x):\n    return torch.compile(absent.make())(x)",
    ],
)
def test_places_that_are_known_or_compile_nothing(tmp_path: Path, source: str) -> None:
    assert unresolved(tmp_path, source) == []


def test_the_result_of_compiling_something_unknown_compiles_nothing(tmp_path: Path) -> None:
    found = search(tmp_path, "def main(net):\n    net = torch.compile(net, dynamic=True)\n    return net(Net())")
    assert ([entry.point.name for entry in found.entries], len(found.unresolved)) == ([], 1)


def test_a_call_that_makes_a_decorator_on_one_way(tmp_path: Path) -> None:
    source = "class Own(Base):\n    pass\ndef wrap(f):\n    return torch.compile(f)\nwrap(None)\nwrap(Own())"
    (target,) = unresolved(tmp_path, source)
    assert target.reason == "not-installed"


def test_the_forward_below_a_base_class_without_source(tmp_path: Path) -> None:
    source = "class Own(Base):\n    def forward(self, x):\n        return x.item()\ntorch.compile(Own())"
    found = search(tmp_path, source)
    assert ([entry.point.name for entry in found.entries], found.unresolved) == (["m:Own"], [])


def test_a_place_that_is_known_in_part(tmp_path: Path) -> None:
    source = "def main(big):\n    net = absent.make() if big else Net()\n    return torch.compile(net)"
    found = search(tmp_path, source)
    (target,) = found.unresolved
    assert [entry.point.name for entry in found.entries] == ["m:Net"]
    assert target.partly and "was analysed only in part" in target.message


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("def main(net):\n    return torch.compile(net)", "m:main.net"),
        (
            "class T:\n    def __init__(self, net):\n        self.net = net\n"
            "    def go(self):\n        torch.compile(self.net)",
            "m:T.net",
        ),
        (
            "class T:\n    def __init__(self):\n        self.net = absent.make()\n"
            "    def go(self):\n        torch.compile(self.net.forward)",
            "m:T.net",
        ),
    ],
)
def test_the_pin_of_the_hint_names_the_object(tmp_path: Path, source: str, place: str) -> None:
    (target,) = unresolved(tmp_path, source)
    assert f'"{place}" = "package.module:Class"' in target.hint
    pinned = search(tmp_path, source, {place: ("m:Net",)})
    assert pinned.unresolved == []
    assert [entry.point.name.partition(".")[0] for entry in pinned.entries] == ["m:Net"]


def test_the_place_of_an_unresolved_target(tmp_path: Path) -> None:
    (target,) = unresolved(tmp_path, "def main(net):\n    é = 'é'; return torch.compile(\n        net.a[0])")
    assert (Path(target.path).name, target.line, target.column, target.expression, target.kind) == (
        "m.py",
        12,
        21,
        "net.a[0]",
        "call",
    )


def test_what_a_library_compiles_at_a_line_of_the_project(tmp_path: Path) -> None:
    source = "from accelerate import Accelerator\nAccelerator(dynamo_backend='inductor').prepare(absent.make(), [])"
    (target,) = unresolved(tmp_path, source)
    assert (target.line, target.reason) == (12, "not-installed")


STANCES = {
    "a manager": "def main(x):\n    with torch.compiler.set_stance('force_eager'):\n        return g(x)",
    "a statement": "torch.compiler.set_stance('force_eager')\ng(torch.ones(3))\ntorch.compiler.set_stance('default')",
    "a statement in a function": "def main(x):\n    torch.compiler.set_stance('force_eager')\n    return g(x)",
    "a decorator": "@torch.compiler.set_stance('force_eager')\ndef main(x):\n    return g(x)",
    "an exit stack": (
        "import contextlib\ndef main(x):\n    with contextlib.ExitStack() as stack:\n"
        "        stack.enter_context(torch.compiler.set_stance('force_eager'))\n        return g(x)"
    ),
    "nothing new": "def main(x):\n    with torch.compiler.set_stance('eager_on_recompile'):\n        return g(x)",
}
OTHER_STANCES = {
    "default again": (
        "@torch.compiler.set_stance('force_eager')\ndef main(x):\n"
        "    with torch.compiler.set_stance('default'):\n        return g(x)"
    ),
    "default after it": (
        "torch.compiler.set_stance('force_eager')\ng(torch.ones(3))\n"
        "torch.compiler.set_stance('default')\ng(torch.ones(3))"
    ),
    "another call": f"{STANCES['a manager']}\ng(torch.ones(3))",
    "under a condition": (
        "def main(x, eager=False):\n    if eager:\n        torch.compiler.set_stance('force_eager')\n    return g(x)"
    ),
    "no call": "torch.compiler.set_stance('default')",
}


@pytest.mark.parametrize("source", STANCES.values(), ids=STANCES)
def test_all_calls_run_eagerly(tmp_path: Path, source: str) -> None:
    found = search(tmp_path, f"def h(x):\n    return x + 1\ng = torch.compile(h)\n{source}\n")
    assert found.entries == []
    assert [each.reason for each in found.unresolved] == ["run-eagerly"]


@pytest.mark.parametrize("source", OTHER_STANCES.values(), ids=OTHER_STANCES)
def test_a_call_is_compiled(tmp_path: Path, source: str) -> None:
    found = search(tmp_path, f"def h(x):\n    return x + 1\ng = torch.compile(h)\n{source}\n")
    assert [entry.point.name for entry in found.entries] == ["m:h"]
    assert found.unresolved == []


PARTS = """
    class Outer(nn.Module):
        def __init__(self, inner, part=None):
            super().__init__()
            self.inner = inner
            self.part = part
        def forward(self, x):
            return self.head(self.inner(x))
        def head(self, x):
            return {head}
        def save(self):
            self.part.save()
    def main(cfg):
        return torch.compile(Outer({args}))
"""


@pytest.mark.parametrize(
    ("args", "head", "said"),
    [
        ("eval(cfg)()", "x", "`self.inner` of `Outer`, which it calls"),
        ("Net(), eval(cfg)()", "self.part(x)", "`self.part` of `Outer`, which it calls"),
        ("Net(), eval(cfg)()", "self.part.apply(x)", "`self.part` of `Outer`, which it calls"),
        ("Outer(Net(), eval(cfg)())", "self.part(x)", "`self.part` of `Outer`, which it calls"),
        ("Net(), eval(cfg)()", "x", None),
        ("Net(), Net()", "self.part(x)", None),
        ("Net()", "x if self.part is None else self.part(x)", None),
    ],
)
def test_parts_of_which_nothing_is_known(tmp_path: Path, args: str, head: str, said: str | None) -> None:
    found = search(tmp_path, PARTS.format(args=args, head=head))
    assert [each.point.name for each in found.entries] == ["m:Outer"]
    if said is None:
        assert found.unresolved == []
    else:
        (target,) = found.unresolved
        assert said in target.explanation
        assert target.partly


def test_the_hint_for_a_part_is_a_pin_that_helps(tmp_path: Path) -> None:
    source = PARTS.format(args="eval(cfg)()", head="x")
    (target,) = search(tmp_path, source).unresolved
    assert target.hint == 'pin it: pins = {"m:Outer.inner" = "package.module:Class"}'
    assert search(tmp_path, source, {"m:Outer.inner": ("m:Net",)}).unresolved == []


CONTAINER = """
class Outer(nn.Module):
    def __init__(self, layers{annotation}):
        super().__init__()
        self.layers = {made}
        self.unread = nn.ModuleList(layers)
    def forward(self, x):
        for layer in {read}:
            x = layer(x)
        return x

def main(layers):
    return torch.compile(Outer(layers))
"""


@pytest.mark.parametrize(
    ("annotation", "made", "read", "told"),
    [
        ("", "nn.ModuleList(layers)", "self.layers", True),
        (": list[Net]", "nn.ModuleList(layers)", "self.layers", False),
        ("", "nn.ModuleList([Net() for _ in layers])", "self.layers", False),
        ("", "nn.Sequential(*layers)", "self.layers", True),
        (": list[Net]", "nn.Sequential(*layers)", "self.layers", False),
        ("", "nn.ModuleDict(layers)", "self.layers.values()", True),
        ("", "nn.ModuleDict({str(k): Net() for k in layers})", "self.layers.values()", False),
    ],
)
def test_containers_of_modules_of_which_nothing_is_known(
    tmp_path: Path, annotation: str, made: str, read: str, told: bool
) -> None:
    found = unresolved(tmp_path, CONTAINER.format(annotation=annotation, made=made, read=read))
    assert [each.partly for each in found] == [True] * told
    assert all("nothing is known of some items of `self.layers` of `Outer`" in each.explanation for each in found)


ITEMS = """
class Outer(nn.Module):
    def __init__(self, parts):
        super().__init__()
        self.parts = parts
    def forward(self, x, key):
        return {body}

def main(parts):
    return torch.compile(Outer({given}))
"""


@pytest.mark.parametrize(
    ("body", "given", "told"),
    [
        ("self.parts[key](x)", "parts", True),
        ("self.parts[key](x)", "{'a': Net(), 'b': Net()}", False),
        ("[part(x) for part in self.parts]", "parts", True),
        ("[part(x) for part in self.parts]", "[Net(), Net()]", False),
        ("[part.forward(x) for _, part in enumerate(self.parts)]", "parts", False),
        ("[part(x) for _, part in enumerate(self.parts)]", "parts", True),
        ("sum(Net()(part) for part in self.parts)", "parts", False),
    ],
)
def test_items_of_which_nothing_is_known(tmp_path: Path, body: str, given: str, told: bool) -> None:
    found = unresolved(tmp_path, ITEMS.format(body=body, given=given))
    assert [each.partly for each in found] == [True] * told
    assert all("nothing is known of some items of `self.parts` of `Outer`" in each.explanation for each in found)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "@torch.compile\ndef step(nets, x):\n    for net in nets:\n        x = net(x)\n    return x",
            "some items of the parameter `nets`",
        ),
        ("@torch.compile\ndef step(state, x):\n    return state['net'](x)", "some items of the parameter `state`"),
        ("@torch.compile\ndef step(nets: list[Net], x):\n    return [net(x) for net in nets]", None),
        ("@torch.compile\ndef step(batches, x):\n    return [torch.relu(each) for each in batches]", None),
        (
            "def main(nets):\n    @torch.compile\n    def step(x):\n        return nets['a'](x)\n    return step",
            "some items of the variable `nets`",
        ),
        (
            "def main(nets):\n    return torch.compile(nn.Sequential(Net(), *nets))",
            "nothing is known of some of the modules in it",
        ),
        ("def main(nets):\n    return torch.compile(nn.Sequential(Net(), Net()))", None),
    ],
)
def test_unknown_items_that_a_function_calls(tmp_path: Path, source: str, said: str | None) -> None:
    found = unresolved(tmp_path, source)
    assert [each.partly for each in found] == [True] * (said is not None)
    assert said is None or said in found[0].explanation


def test_helper_that_passes_on_all_arguments(tmp_path: Path) -> None:
    """It makes a decorator in one place, compiles a function in another, and something unknown in a third."""
    source = """
    def compiled(*args, **kwargs):
        return torch.compile(*args, **kwargs)

    @compiled()
    def f(x):
        return x

    g = compiled(lambda x: x + 1)

    class Depth:
        def __init__(self, device):
            self.net = compiled(torch.hub.load("a", "b").to(device))
    """
    found = search(tmp_path, source)
    assert sorted(each.point.name for each in found.entries) == ["m:<lambda>", "m:f"]
    assert [(each.expression, each.line) for each in found.unresolved] == [("args", 13)]
    source = source[: source.index("    class Depth")]
    assert search(tmp_path, source).unresolved == []


def test_one_of_several_methods_of_a_place_has_too_many_overrides(tmp_path: Path) -> None:
    classes = "\n".join(f"class S{n}(Net):\n    def part(self, x):\n        return {n}" for n in range(6))
    source = f"""
class Net(nn.Module):
    def part(self, x):
        return x
    def step(self, x):
        return self.part(x)
{classes}
class Other(nn.Module):
    def other(self, x):
        return x
def compiled(function):
    return torch.compile(function)
class Task:
    def __init__(self, net: Net, other: Other):
        compiled(net.step)
        compiled(other.other)
"""
    explanations = [each.explanation for each in unresolved(tmp_path, source)]
    assert explanations == ["its class has more subclasses than gblint follows"]


PARAMETERS = {
    "of-a-function": ("@torch.compile\ndef step(net, x):\n    return net(x)", "m:step.net"),
    "of-a-method": ("class T:\n    @torch.compile\n    def step(self, net, x):\n        return net(x)", "m:T.step.net"),
    "called-with-known": ("@torch.compile\ndef step(net, x):\n    return net(x)\nstep(Net(), torch.ones(2))", ""),
    "annotated": ("@torch.compile\ndef step(net: Net, x):\n    return net(x)", ""),
    "default": ("@torch.compile\ndef step(x, act=torch.relu):\n    return act(x)", ""),
    "method-is-called": ("@torch.compile\ndef step(net, x):\n    return x * net.peak(x)", "m:step.net"),
    "part-is-called": ("@torch.compile\ndef step(net, x):\n    return net.part.apply(x)", "m:step.net"),
    "method-of-a-dict": ("@torch.compile\ndef step(net, x):\n    return x if net.ready else net.get(x)", ""),
    "method-of-a-tensor": ("@torch.compile\ndef step(net, x):\n    return x if net.ready else net.view(x)", ""),
    "not-called": ("@torch.compile\ndef step(x, kind):\n    return x if kind else x + 1", ""),
}


@pytest.mark.parametrize(("source", "pin"), PARAMETERS.values(), ids=PARAMETERS)
def test_parameter_that_is_called(tmp_path: Path, source: str, pin: str) -> None:
    """The code of a parameter is not analysed if nothing is known of it; a pin names it."""
    found = unresolved(tmp_path, source)
    assert [pin in each.hint and each.partly for each in found] == ([True] if pin else [])
    if pin:
        assert "the parameter `net`" in found[0].message
        assert search(tmp_path, source, {pin: ("m:Net",)}).unresolved == []


VARIABLES = {
    "unknown": ("absent.make()", True),
    "known": ("Net()", False),
    "annotated": ("absent.make()", False),
}


@pytest.mark.parametrize(("value", "told"), VARIABLES.values(), ids=VARIABLES)
def test_variable_around_a_function_that_calls_it(
    tmp_path: Path, value: str, told: bool, request: pytest.FixtureRequest
) -> None:
    annotation = ": Net" if "annotated" in request.node.callspec.id else ""
    source = f"""
        import absent
        def make():
            net{annotation} = {value}
            @torch.compile
            def step(x):
                return net(x) + 1
            return step
    """
    found = unresolved(tmp_path, source)
    assert [each.partly for each in found] == [True] * told
    assert all("the variable `net` around `make.step`" in each.message for each in found)


OBJECTS = {
    "made": ("Agent(Net())", []),
    "made-of-unknown": ("Agent(absent.make())", [True]),
    "not-made": ("None", [True]),
}


@pytest.mark.parametrize(("made", "told"), OBJECTS.values(), ids=OBJECTS)
def test_part_that_the_constructor_is_given(tmp_path: Path, made: str, told: list[bool]) -> None:
    """The objects that the project makes decide; one of which nothing is known stands for others only."""
    source = f"""
        import absent
        class Agent:
            def __init__(self, model):
                self.model = model
                self.act = torch.compile(self._act)
            def _act(self, x):
                return self.model(x)
        agent = {made}
        if agent is not None:
            agent.act(torch.ones(2))
    """
    assert [each.partly for each in unresolved(tmp_path, source)] == told


def test_a_method_that_compiles_on_one_way_only_for_objects_of_another_file(tmp_path: Path) -> None:
    """The method is evaluated for any object, too: what it compiles then is not known, nor after the branch."""
    (tmp_path / "main.py").write_text(
        "from m import Pipeline, Net\npipe = Pipeline(Net())\npipe.enable_compile(False)\n"
    )
    source = """
        class Pipeline:
            def __init__(self, net):
                self.net = net
            def enable_compile(self, whole):
                if not whole:
                    self.net = torch.compile(self.net)
    """
    found = search(tmp_path, source)
    assert [each.point.name for each in found.entries] == ["m:Net"]
    assert found.unresolved == []


HELPER = """
import torch
from torch import nn

def fast(fn, *, mode="default"):
    compiled = torch.compile(fn, mode=mode)
    def call(*args):
        return compiled(*args)
    return call

class Known(nn.Module):
    def forward(self, x):
        return x

class Net(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder
        self.known = Known()

    def compile_all(self):
        self.encoder.forward = fast(self.encoder.forward, mode="max-autotune")
        self.known.forward = fast(fn=self.known.forward)

def passed_on(model):
    return fast(model)

def main(config):
    passed_on(config.make())
"""


def test_the_calls_of_a_helper_that_compiles_what_is_not_known(tmp_path: Path) -> None:
    found = search(tmp_path, HELPER)
    assert [each.point.name for each in found.entries] == ["m:Known.forward"]
    assert [each.expression for each in found.unresolved] == ["self.encoder.forward", "config.make()"]


@pytest.mark.parametrize("wrapper", ["nn.DataParallel", "nn.parallel.DistributedDataParallel"])
@pytest.mark.parametrize(("net", "known"), [("Net()", True), ("absent.net()", False)])
def test_a_wrapper_is_known_if_the_module_in_it_is(tmp_path: Path, wrapper: str, net: str, known: bool) -> None:
    source = f"""
        class Trainer:
            def build(self, parallel):
                self.net = {net}
                if parallel:
                    self.net = {wrapper}(self.net)

            def start(self):
                return torch.compile(self.net)
    """
    found = search(tmp_path, source)
    assert [entry.point.name for entry in found.entries] == (["m:Net"] if known else [])
    assert bool(found.unresolved) == (not known)
