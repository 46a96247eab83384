"""``gblint explain``: names, and lines of source."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gblint.cli.explain import FORMS, answer_to
from gblint.knowledge.facts import CONDITIONS, EFFECTS
from gblint.report.explain_answers import MessageAnswer, NameAnswer, SourceAnswer, UnknownAnswer
from gblint.report.explain_names import _CONDITIONS, _EFFECTS
from gblint.rules.registry import all_rules
from tests.oracle.marks import marked, without_mark

Run = Callable[..., Any]
TORCH = "2.13"


def source(text: str) -> SourceAnswer:
    found = answer_to(text, TORCH)
    assert isinstance(found, SourceAnswer), found
    return found


def codes(text: str) -> list[str]:
    return [finding.code for finding in source(text).findings]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x.item()", "GBL101"),
        ("scale = x.max().item()  # a comment", "GBL101"),
        ("if x.sum() > 0:", "GBL201"),
        ("elif x.sum() > 0:", "GBL201"),
        ("while x.sum() > 0:", "GBL202"),
        ("case 1:", "GBL207"),
        ("for i in range(n.item()):", "GBL101"),
        ("for _ in range(steps):", "GBL105"),
        ("print(x)", "GBL401"),
        ("x[mask]", "GBL302"),
        ("x[:n]", "GBL104"),
        ("np.interp(a, b, c)", "GBL406"),
        ("torch.nonzero(x)", "GBL301"),
        ("x.requires_grad_()", "GBL602"),
        ("x.requires_grad = True", "GBL602"),
        ("with open(p) as f:", "GBL407"),
        ("with quiet:", "GBL504"),
        ("raise ValueError(str(x))", "GBL108"),
        ("logger.warning('%s', x)", "GBL402"),
        ("time.time()", "GBL408"),
        ("self.count += 1", "GBL706"),
        ("y.data = x", "GBL608"),
        ("class Box:", "GBL505"),
        ("import json\njson.dumps(d)", "GBL466"),
        ("    losses.append(loss.item())", "GBL101"),
        ("x.item(),", "GBL101"),
        ("loss=loss.item(),", "GBL101"),
        ('"loss": loss.item(),', "GBL101"),
        ("), y.item())", "GBL101"),
        ("run(x.item(),", "GBL101"),
        (">>> x.tolist()", "GBL102"),
        ("return [y.item() for y in x]", "GBL101"),
        ("def f(x):\n    return x.item()", "GBL101"),
        ("class Net(nn.Module):\n    def forward(self, x):\n        return x.item()", "GBL101"),
        ("@torch.compile\ndef f(x: Tensor):\n    return np.interp(x, x, x)", "GBL406"),
    ],
)
def test_source_that_breaks(text: str, code: str) -> None:
    assert code in codes(text)


@pytest.mark.parametrize(
    "text",
    [
        "x.relu()",
        "y = F.relu(x) @ self.weight.T",
        "if m is None:",
        "for i in range(3):",
        "def f(x):\n    return torch.relu(x)",
        "@torch.no_grad()",
        "return",
        "else:",
        "break",
    ],
)
def test_source_that_is_traced(text: str) -> None:
    assert codes(text) == []


def test_what_breaks_is_said_with_the_assumption(gblint: Run) -> None:
    result = gblint("explain", "if x.sum() > 0:")
    assert result.status == 0
    assert result.out.startswith(
        "if x.sum() > 0:\n"
        "In a function compiled with torch 2.13, taking `x` for a tensor.\n"
        "\n"
        "GBL201 branch-on-tensor: `if x.sum() > 0` depends on the values of a tensor\n"
        "https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0170.html\n"
        "Why\n"
    )
    assert result.out.endswith("With examples: gblint explain GBL201\n")


def test_what_is_traced_is_said_with_the_assumptions(gblint: Run) -> None:
    assert gblint("explain", "torch.where(x > 0, x, y)").out == (
        "torch.where(x > 0, x, y)\n"
        "In a function compiled with torch 2.13, taking `x` and `y` for tensors.\n"
        "\n"
        "Dynamo 2.13 traces it without a graph break.\n"
    )


def test_what_is_unknown_is_not_called_traced(gblint: Run) -> None:
    out = gblint("explain", "helper(x)").out
    assert "taking `helper` for something unknown and `x` for a tensor." in out
    assert "gblint knows no graph break in it; the rest depends on what `helper` is." in out
    assert "`self.memory` for something\nunknown" in gblint("explain", "y, _ = self.memory(x)").out


def test_what_breaks_only_for_tensors_is_said_to(gblint: Run) -> None:
    out = gblint("explain", "x[:n]").out
    assert "taking `x` and `n` for tensors. gblint knows no other graph" in out
    assert "`y` and `x` for tensors computed there." in gblint("explain", "y.data = x").out


def test_the_version_of_torch_counts(gblint: Run) -> None:
    assert "torch 2.8" in gblint("explain", "--torch-version", "2.8", "x.item()").out
    assert "\ntorch 2.8\n" in gblint("explain", "--torch-version", "2.8", "Tensor.item").out
    assert gblint("explain", "--torch-version", "1.0", "x.item()").status == 2


def test_nothing_of_the_text_is_run(project: Callable[..., Any], gblint: Run) -> None:
    folder = project({})
    assert gblint("explain", "open('made.txt', 'w').write(str(x))").status == 0
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "name", "rule"),
    [
        ("Tensor.tolist", "torch.Tensor.tolist", "GBL102"),
        ("torch.Tensor.item", "torch.Tensor.item", "GBL101"),
        ("Tensor.item()", "torch.Tensor.item", "GBL101"),
        ("item", "torch.Tensor.item", "GBL101"),
        ("numpy.interp", "numpy.interp", "GBL406"),
        ("np.interp", "numpy.interp", "GBL406"),
        ("logging.Logger.warning", "logging.Logger.warning", "GBL402"),
        ("print", "builtins.print", "GBL401"),
        ("torch.nonzero", "torch.nonzero", "GBL301"),
        ("torch.unique", "torch.unique", "GBL303"),
        ("nn.LSTM", "torch.nn.LSTM", "GBL605"),
        ("torch.Tensor.grad_fn", "torch.Tensor.grad_fn", "GBL609"),
        ("torch.device", "torch.device", "GBL503"),
        ("time.time", "time.time", "GBL408"),
        ("torch.Tensor.numpy", "torch.Tensor.numpy", None),
        ("torch.relu", "torch.relu", None),
        ("F.relu", "torch.nn.functional.relu", None),
        ("nn.Linear", "torch.nn.Linear", None),
    ],
)
def test_a_name(text: str, name: str, rule: str | None) -> None:
    found = answer_to(text, TORCH)
    assert isinstance(found, NameAnswer), found
    assert found.name == name
    assert [use.rule.code for use in found.uses if use.rule and use.fact.breaks][:1] == ([rule] if rule else [])


def test_a_name_as_text(gblint: Run) -> None:
    out = gblint("explain", "Tensor.tolist").out
    assert out.startswith("torch.Tensor.tolist\ntorch 2.13\nCalling `torch.Tensor.tolist`: the graph breaks (GB0033, ")
    assert "\nGBL102 tensor-tolist: `.tolist()` of a tensor\nWhy\n" in out
    assert gblint("explain", "torch.relu").out == (
        "torch.relu\ntorch 2.13\nCalling `torch.relu`: Dynamo traces it without a graph break.\n"
    )


def test_names_one_after_the_other(gblint: Run) -> None:
    out = gblint("explain", "torch.relu", "torch.nonzero").out
    assert out.startswith("torch.relu\n")
    assert "\n\ntorch.nonzero\n" in out


def test_every_effect_and_condition_has_words() -> None:
    assert set(_EFFECTS) == EFFECTS
    assert set(_CONDITIONS) == CONDITIONS


def test_a_text_that_is_source_and_message_is_source() -> None:
    assert isinstance(answer_to("raise ValueError(x)", TORCH), SourceAnswer)
    assert isinstance(answer_to("missing: STORE_GLOBAL", TORCH), MessageAnswer)
    assert isinstance(answer_to("Unsupported: generic_jump TensorVariable()", TORCH), MessageAnswer)


@pytest.mark.parametrize(
    "text", ["foo", "foo.bar", "torch.no_such_function", "1 +", "(", "...", "!!!", '"text"', "nonlocal x"]
)
def test_what_is_unknown_comes_with_all_forms(gblint: Run, text: str) -> None:
    result = gblint("explain", text)
    assert (result.status, result.out) == (2, "")
    assert all(f"note: {form}: gblint explain {example}\n" in result.err for form, example in FORMS)


def test_a_misspelled_name_comes_with_the_right_one(gblint: Run) -> None:
    assert "did you mean 'torch.nonzero'" in gblint("explain", "torch.nonzeros").err
    assert "did you mean 'torch.Tensor.sigmoid'" in gblint("explain", "sigmiod").err


def test_the_examples_of_the_forms_are_answered(gblint: Run) -> None:
    for _, example in FORMS[:-1]:
        for each in [example.strip("'")] if example.startswith("'") else example.split(", "):
            assert gblint("explain", each).status == 0


def test_source_on_standard_input(gblint: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("def f(x):\n    return x.item()\n"))
    assert "GBL101" in gblint("explain", "-").out


@pytest.mark.parametrize(
    ("line", "code", "kind"),
    [
        ("optimizer.zero_grad()", "GBL472", "`optimizer` for an optimizer"),
        ("self.lr_scheduler.step()", "GBL472", "`self.lr_scheduler` for a learning-rate scheduler"),
        ("opt.step()", "GBL801", "`opt` for an optimizer"),
    ],
)
def test_names_of_training_loops(gblint: Run, line: str, code: str, kind: str) -> None:
    out = " ".join(gblint("explain", line).out.split())
    assert code in out
    assert f"taking {kind}." in out


def test_as_json(gblint: Run) -> None:
    document = json.loads(gblint("explain", "--output-format", "json", "x[:n]", "Tensor.item").out)
    line, name = document["answers"]
    assert line["kind"] == "source"
    assert line["source"]["only_if_assumed"]
    assert line["source"]["assumptions"][1] == {"name": "n", "taken_for": "a tensor", "known": True}
    assert line["source"]["findings"][0]["code"] == "GBL104"
    assert name["kind"] == "name"
    (use,) = name["name"]["uses"]
    assert (use["effect"], use["breaks"], use["rule"]["code"]) == ("data-dependent", True, "GBL101")


def test_lines_of_the_examples() -> None:
    """The first breaking line of each rule's first example leads to the rule; many lines have no meaning alone."""
    right = total = 0
    for rule in all_rules():
        for example in rule.BREAKS[:1]:
            for line in sorted(marked(example.source))[:1]:
                total += 1
                try:
                    found = answer_to(without_mark(example.source.splitlines()[line - 1]), TORCH)
                except UnknownAnswer:
                    continue
                right += isinstance(found, SourceAnswer) and rule.code in [each.code for each in found.findings]
    assert right > 0.59 * total


NAMES = st.sampled_from(["x", "y", "n", "mask", "self", "torch", "np", "foo", "xs", "d", "input", "super", "_", "Net"])
EXPRESSIONS = st.recursive(
    NAMES | st.sampled_from(["1", "2.5", "None", "'text'", "..."]),
    lambda inner: st.one_of(
        st.builds("{}.{}".format, inner, st.sampled_from(["item", "sum", "shape", "foo", "append", "__class__"])),
        st.builds("{}({})".format, inner, inner),
        st.builds("{}(*{}, **{})".format, inner, inner, inner),
        st.builds("{}[{}]".format, inner, inner),
        st.builds("{}[{}:{}]".format, inner, inner, inner),
        st.builds("({} {} {})".format, inner, st.sampled_from("+ - * @ > == in and or if".split()), inner),
        st.builds("not {}".format, inner),
        st.builds("[{} for y in {}]".format, inner, inner),
        st.builds("(lambda x: {})".format, inner),
        st.builds("(y := {})".format, inner),
        st.builds("{{{}: {}}}".format, inner, inner),
        st.builds("({} if {} else {})".format, inner, inner, inner),
        st.builds("f'{{{}}}'".format, NAMES),
        st.builds("(yield {})".format, inner),
        st.builds("(await {})".format, inner),
    ),
    max_leaves=8,
)
STATEMENTS = st.one_of(
    EXPRESSIONS,
    st.builds("{} = {}".format, EXPRESSIONS, EXPRESSIONS),
    st.builds("{} += {}".format, NAMES, EXPRESSIONS),
    st.builds(
        "{} {}{}".format,
        st.sampled_from(
            "if elif while for return raise del assert with except case global nonlocal import class".split()
        ),
        EXPRESSIONS,
        st.sampled_from(["", ":"]),
    ),
    st.builds("@{}".format, EXPRESSIONS),
    st.builds("for {} in {}:".format, NAMES, EXPRESSIONS),
    st.builds("def f({}):\n    return {}".format, NAMES, EXPRESSIONS),
)


@settings(max_examples=60)
@given(st.lists(STATEMENTS, min_size=1, max_size=3).map("\n".join))
def test_any_source_is_answered_or_unknown(text: str) -> None:
    try:
        answer_to(text, TORCH)
    except UnknownAnswer as error:
        assert str(error)


@settings(max_examples=200)
@given(st.text(max_size=60) | st.text(alphabet="x.()[]{}:=\"'#@\\ \n\t\x0c,if01", max_size=30))
def test_any_text_is_answered_or_unknown(text: str) -> None:
    try:
        answer_to(text, TORCH)
    except UnknownAnswer as error:
        assert str(error)


@pytest.mark.parametrize(
    "text",
    ["x" + " + x" * 5000, "(" * 500, "[" * 90 + "x" + "]" * 90, "-" * 3000 + "x", "\x0cx.item()"],
    ids=["sum", "open", "lists", "signs", "form-feed"],
)
def test_source_that_is_nested_deeply(gblint: Run, text: str) -> None:
    assert "internal error" not in gblint("explain", text).err


@pytest.mark.parametrize(
    ("line", "code"), [(3, "GBL201"), (5, "GBL301"), (6, "GBL301"), (8, "GBL101"), (9, None), ("3:5", "GBL201")]
)
def test_a_line_of_a_file(gblint: Run, tmp_path: Path, line: int | str, code: str | None) -> None:
    path = tmp_path / "net.py"
    path.write_text(
        "import torch\ndef f(x):\n    if x.sum() > 0:\n        y = torch.nonzero(\n            x,\n        )\n"
        "    def g():\n        return x.item()\n    return x\n"
    )
    result = gblint("explain", f"{path}:{line}")
    assert result.status == 0
    assert (f"{code} " in result.out) if code else ("without a graph break" in result.out)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [("x = 1\n\n", 2, "no code on line 2"), ("# only\n", 1, "no code on line 1"), ("x = 1\n", 9, "no code on line 9")],
)
def test_a_line_without_code(gblint: Run, tmp_path: Path, text: str, line: int, said: str) -> None:
    path = tmp_path / "net.py"
    path.write_text(text)
    result = gblint("explain", f"{path}:{line}")
    assert (result.status, result.out) == (2, "")
    assert said in result.err


def test_a_file_that_is_not_there(gblint: Run) -> None:
    result = gblint("explain", "absent.py:3")
    assert result.status == 2
    assert "absent.py: no such file or directory" in result.err
