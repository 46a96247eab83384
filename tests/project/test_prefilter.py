"""Texts that may contain an entry point."""

from __future__ import annotations

import pytest

from gblint.entrypoints.prefilter import compiles, has_forward, sets


@pytest.mark.parametrize(
    "text",
    [
        "model = torch.compile(model)",
        "from torch import compile as c",
        "def compile_all(model): ...",
        "if compiler.is_compiling(): ...",
        "x.re.compile(a)",
        "core.compile(a)",
        'x = f"{torch.compile(f)}"',
        """x = f"{d["a"]} # {torch.compile(f)}" """,
        "'it is not closed\n# compile",
        '"a\\\\" + torch.compile(f)',
        '"""a\\""" # """; compile(f)',
        "x = '#'; y = torch.compile(f)",
        "# compile\nfrom torch._dynamo import optimize",
        "# compile\nd.optimize()(f)",
        "# torch.compile: what lightning does\ntrainer.fit(m)",
        "args = {'torch_compile': True}",
        "with error_on_graph_break(True): ...",
        "with config.patch(x=1): ...",
        "compiler = True if x else None; compiler == compile",
    ],
)
def test_code_that_may_compile(text: str) -> None:
    assert compiles(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# torch.compile",
        '"""Works with torch.compile."""\nx = 1',
        "x = 'torch.compile' + \"it's compiled\"",
        "regex = re.compile(r'\"')",
        "if torch.compiler.is_compiling(): ...",
        "from .utils import is_compiled_module",
        "prepare_model_for_compiled_hotswap(model)",
        "r'\\' compile'",
        '""" "compile" \\""" """',
        "x = rb'compile'  # it's compiled",
        "config.patch_size  # compile",
        "_can_compile_fullgraph = True",
        "f'{x}'  # compile",
        "torch.compiler.cudagraph_mark_step_begin()",
        "# compile\n'it is not closed",
    ],
)
def test_text_that_only_mentions_compilation(text: str) -> None:
    assert not compiles(text)


def test_configured_words_are_searched_for() -> None:
    assert compiles("x = quick(f)", ["quick"])


@pytest.mark.parametrize(
    "text",
    [
        "torch._dynamo.config.x = 1",
        "torch._dynamo . config.x = 1",
        "from torch._dynamo import config",
        "import torch._dynamo as d",
        'os.environ["TORCHDYNAMO_VERBOSE"] = "1"',
    ],
)
def test_code_that_may_set_something(text: str) -> None:
    assert sets(text)


@pytest.mark.parametrize("text", ["torch._dynamo.eval_frame.x", "os.environ['HOME']", "torch._dynamo.configure()"])
def test_code_that_sets_nothing(text: str) -> None:
    assert not sets(text)


@pytest.mark.parametrize(
    "text",
    [
        "class M(nn.Module):\n    def forward(self, x): ...",
        "class M(nn.Module):\n    async def  forward (self): ...",
        "class M(nn.Module):\n    def \\\n forward(self): ...",
        "    forward = step",
        "    forward: Callable",
        "    step = forward = other",
        "    from a import forward",
        "    from a import (\n  b,\n  forward\n)",
        "    from a import b as forward, c",
        "    (forward, back) = both",
        "    [a, forward] = both",
        "    for forward in steps: pass",
        "    with a as forward: pass",
        "    if (forward := x): pass",
        "    class forward(B): ...",
        "    def forward[T](self): ...",
        "    from a import forward # noqa",
        "    import a as forward; b = 1",
    ],
)
def test_code_that_may_have_a_forward(text: str) -> None:
    assert has_forward(text)


@pytest.mark.parametrize(
    "text",
    [
        "x = self.model.forward(x)",
        "feed_forward = FeedForward()",
        "straightforward = 1",
        "forward_hooks = {}",
        "the forward process is fixed",
        "y = forward(x)",
        "model.forward = other",
    ],
)
def test_code_that_has_no_forward(text: str) -> None:
    assert not has_forward(text)
