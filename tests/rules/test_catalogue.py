"""Properties of every rule, and the choice of the rule for an event."""

from __future__ import annotations

import re
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gblint.diagnostics.break_event import BreakEvent, Confidence, ReachedBreak
from gblint.diagnostics.entry_point import EntryPoint, OptionSource, Region
from gblint.diagnostics.finding import Severity
from gblint.diagnostics.span import ChainLink, Span
from gblint.rules import Rule, all_rules, rule_by_code, rule_for
from gblint.rules.index import INDEX
from gblint.rules.rule import On
from tests.oracle import id_examples
from tests.oracle.examples import KINDS, cases, examples_of, kinds_in, more_examples, name_of_data
from tests.oracle.marks import flagged, marked
from tools import rule_index

HERE = Path(__file__).parent
PLACE = Span("net.py", 3, 5, 3, 13)
ENTRY = EntryPoint("net:Net", "net.py", 1, "call")
PLAIN = Region()


def event(kind: str, subject: str, *context: str, path: str = "net.py") -> BreakEvent:
    return BreakEvent(kind, subject, Span(path, 3, 5, 3, 13), "g", expression="x.item()", context=frozenset(context))


def reached(region: Region = PLAIN, *, path: str = "net.py") -> ReachedBreak:
    chain = (ChainLink("net.py", 3, "Net.forward"),)
    return ReachedBreak(event("tensor-to-python", "item", path=path), PLACE, chain, (ENTRY,), region)


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
class TestEveryRule:
    def test_is_complete(self, rule: Rule) -> None:
        assert re.fullmatch(r"GBL\d{3}", rule.code)
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)
        assert rule.on
        assert rule.message_template
        assert rule.help_template
        assert not rule.message_template.endswith(".")
        assert all(re.fullmatch(r"GB\d{4}", gb_id) for gb_id in rule.gb_ids)

    def test_is_filled_in(self, rule: Rule) -> None:
        """The files that ``make new-rule`` writes have a TODO for each text to fill in."""
        files = [sys.modules[type(rule).__module__].__file__, getattr(more_examples(rule), "__file__", None)]
        for file in filter(None, files):
            lines = Path(file).read_text(encoding="utf-8").splitlines()
            assert [f"{file}:{number}" for number, line in enumerate(lines, 1) if "TODO" in line] == []

    def test_has_a_page(self, rule: Rule) -> None:
        title, *rest = rule.documentation.splitlines()
        assert title.endswith((".", ":"))
        assert any(line.startswith("**Instead**") for line in rest)

    def test_has_a_file_of_its_name(self, rule: Rule) -> None:
        package, _, module = type(rule).__module__.rpartition(".")
        assert module == rule.name.replace("-", "_")
        assert package.startswith("gblint.rules.")

    def test_says_something_of_each_subject(self, rule: Rule) -> None:
        for on in rule.on:
            for subject in on.subjects:
                one = event(on.kind, subject.replace("*", "some"), *on.context)
                assert "{" not in rule.message(one) + rule.help(one)

    def test_has_examples(self, rule: Rule) -> None:
        assert rule.BREAKS or rule.DIVERGES or rule.RECOMPILES or rule.ADVISES
        assert rule.CLEAN

    def test_shows_few_examples(self, rule: Rule) -> None:
        assert all(len(getattr(rule, kind)) <= 2 for kind in (*KINDS, "FIXES"))

    def test_marks_its_examples(self, rule: Rule) -> None:
        examples = {kind: examples_of(rule, kind) for kind in KINDS}
        assert not any(flagged(example.source) for example in examples.pop("CLEAN"))
        assert all(flagged(example.source) for kind in examples.values() for example in kind)
        assert all(marked(example.source) for example in examples["BREAKS"])
        assert all(example.calls for example in examples["RECOMPILES"])
        assert all(example.instead for example in examples["ADVISES"])


def test_codes_and_names_are_used_once() -> None:
    assert len({rule.code for rule in all_rules()}) == len({rule.name for rule in all_rules()}) == len(all_rules())


def test_as_many_near_misses_as_breaks() -> None:
    kinds = [case.kind for case in cases()]
    assert kinds.count("CLEAN") >= kinds.count("BREAKS")


def test_each_data_module_belongs_to_a_rule() -> None:
    """A module in a family of ``tests/rules`` has the name of a rule, and defines tuples of examples."""
    names = {name_of_data(rule).removeprefix("tests.rules.") for rule in all_rules()}
    found = {f"{path.parent.name}.{path.stem}" for path in HERE.glob("*/*.py") if path.name[0] not in "_."}
    assert found <= names
    assert all(any(kinds_in(data)) for data in map(more_examples, all_rules()) if data is not None)


def test_examples_of_ids_are_current() -> None:
    """If this fails: ``python -m tests.oracle.id_examples`` writes the file."""
    assert id_examples.DATA.read_text(encoding="utf-8") == id_examples.contents()


def test_the_index_is_current() -> None:
    """If this fails: ``python -m tools.rule_index`` writes the file."""
    assert Path(INDEX).read_text(encoding="utf-8") == rule_index.contents()


def test_only_the_rules_of_the_findings_are_imported() -> None:
    code = """if True:
        import sys
        from gblint.diagnostics.break_event import BreakEvent
        from gblint.diagnostics.span import Span
        from gblint.rules import rule_for
        assert rule_for(BreakEvent("tensor-to-python", "item", Span("a.py", 1, 0, 1, 1), "f")).code == "GBL101"
        print(*[name for name in sys.modules if name.startswith("gblint.rules.") and name.count(".") > 2])
    """
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["gblint.rules.tensor_to_python.tensor_item"]


def test_no_two_rules_describe_an_event_equally_well() -> None:
    for rule in all_rules():
        for on in rule.on:
            for subject in on.subjects:
                one = event(on.kind, subject.replace("*", "some"), *on.context)
                best = max(other.specificity(one) for other in all_rules())
                assert sum(other.specificity(one) == best for other in all_rules()) == 1, (rule.code, on.kind, subject)


@pytest.mark.parametrize(
    ("kind", "subject", "context", "name"),
    [
        ("tensor-to-python", "item", (), "tensor-item"),
        ("data-dependent-branch", "if", (), "branch-on-tensor"),
        ("data-dependent-branch", "if", ("guard-raise", "loop"), "guard-on-tensor"),
        ("data-dependent-branch", "and", ("loop",), "boolean-operator-on-tensor"),
        ("dynamic-shape", "torch.Tensor.nonzero", (), "nonzero-shape"),
        ("dynamic-shape", "torch.new_operator", (), "dynamic-shape"),
        ("call", "builtins.print", (), "print-call"),
        ("call", "os.getpid", (), "process-state"),
        ("call", "os.listdir", (), "file-access"),
        ("call", "sys.stdout.write", (), "print-call"),
        ("call", "sys._getframe", (), "introspection"),
        ("call", "torch.manual_seed", (), "torch-generator"),
        ("call", "torch.set_num_threads", (), "torch-state"),
        ("call", "unicodedata.normalize", (), "unicode-call"),
        ("call", "locale.getlocale", (), "untraceable-call"),
        ("context-manager", "instance", (), "context-manager-instance"),
        ("context-manager", "contextlib.closing", (), "context-manager"),
        ("tensor-method", "storage_offset", (), "tensor-storage"),
        ("tensor-method", "apply_", (), "untraceable-tensor-method"),
        ("tensor-attribute", "data=", (), "tensor-data-assignment"),
    ],
)
def test_the_closest_rule_is_chosen(kind: str, subject: str, context: tuple[str, ...], name: str) -> None:
    rule = rule_for(event(kind, subject, *context))
    assert rule is not None
    assert rule.name == name
    assert rule.match(event(kind, subject, *context))
    assert rule_by_code(rule.code) is rule_by_code(name) is rule


def test_an_unknown_kind_has_no_rule() -> None:
    assert rule_for(event("nothing-of-the-kind", "item")) is None


def test_a_finding() -> None:
    rule = rule_by_code("GBL101")
    assert rule is not None
    finding = rule.finding(reached())
    assert (finding.code, finding.rule, finding.span) == ("GBL101", "tensor-item", PLACE)
    assert (finding.severity, finding.confidence) == (Severity.WARNING, Confidence.CERTAIN)
    assert finding.entries == ("net:Net",)
    assert finding.message.startswith("`x.item()`")


def test_severity_is_that_of_the_region() -> None:
    rule = rule_by_code("GBL101")
    assert rule is not None
    assert rule.finding(reached(Region(fullgraph=True))).severity is Severity.ERROR
    assert rule.finding(reached(Region(fullgraph=True, error_on_graph_break=False))).severity is Severity.ERROR
    assert rule.finding(reached(Region(error_on_graph_break=True))).severity is Severity.ERROR
    assert rule.finding(reached(Region(error_on_graph_break=False))).severity is Severity.INFO


def test_the_line_that_raises_or_allows_a_break() -> None:
    rule = rule_by_code("GBL101")
    assert rule is not None
    source_of_option = OptionSource("net.py", 1, "fullgraph")
    raised = rule.finding(reached(Region(fullgraph=True, option_source=source_of_option)))
    assert (raised.raised_by, raised.allowed_by) == (source_of_option, None)
    allowed = rule.finding(reached(Region(error_on_graph_break=False, option_source=source_of_option)))
    assert (allowed.raised_by, allowed.allowed_by) == (None, source_of_option)


def test_a_break_in_a_library_is_told_at_the_call() -> None:
    rule = rule_by_code("GBL101")
    assert rule is not None
    assert rule.finding(reached(path="library.py")).message.endswith(", inside `g`, reached through this call")


@given(subject=st.text("ab.", max_size=6), pattern=st.text("ab.*?", max_size=6))
def test_subjects_are_chosen_as_shells_choose_files(subject: str, pattern: str) -> None:
    chosen = On("call", (pattern,)).specificity(subject, frozenset())
    assert (chosen >= 0) == fnmatchcase(subject, pattern)
