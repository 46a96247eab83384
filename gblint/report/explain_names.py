"""Look up a qualified name, such as ``torch.Tensor.tolist`` or ``np.interp``, in the facts about Dynamo."""

from __future__ import annotations

import builtins
import difflib
import re
from collections.abc import Iterator
from functools import cache

from gblint.diagnostics.break_event import BreakEvent
from gblint.diagnostics.span import Span
from gblint.knowledge.catalog import Knowledge
from gblint.knowledge.facts import Fact
from gblint.report.explain_answers import NameAnswer, NameUse
from gblint.rules.registry import rule_for
from gblint.rules.rule import Rule

_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_TENSOR = "torch.Tensor."
_NDARRAY = "numpy.ndarray."
# The usual short names of modules and classes.
_SHORT = {
    "Tensor": "torch.Tensor",
    "tensor": "torch.Tensor",
    "np": "numpy",
    "ndarray": "numpy.ndarray",
    "F": "torch.nn.functional",
    "nn": "torch.nn",
    "dist": "torch.distributed",
    "Logger": "logging.Logger",
    "logger": "logging.Logger",
}
# The kinds of events that can be about a callable; an event of the kind ``call`` fits every name.
_CALL_KINDS = (
    "dynamic-shape",
    "data-dependent-op",
    "autograd",
    "hook",
    "disabled-call",
    "explicit-break",
    "compile-error",
    "collective",
    "device-call",
    "call",
)
_NEAR = 3
_LONG_ENOUGH = 5


def looks_like_name(text: str) -> bool:
    """Return whether ``text`` is an identifier or identifiers joined by dots."""
    return _NAME.fullmatch(text) is not None


def name_answer(text: str, knowledge: Knowledge) -> NameAnswer | None:
    """Return the facts about the name ``text``; None if there are none."""
    if text.startswith(("Tensor.", _TENSOR)):
        text = text.removesuffix("()")
    if not looks_like_name(text):
        return None
    for name in _spellings(text):
        uses = tuple(_uses(name, knowledge))
        if uses:
            return NameAnswer(name, knowledge.version, uses)
    return None


def similar_names(text: str, knowledge: Knowledge) -> list[str]:
    """Return the known names with the most similar spelling; none for a short word, which is similar to too many."""
    if "." in text:
        return difflib.get_close_matches(_spellings(text)[0], _all_names(knowledge), n=_NEAR, cutoff=0.8)
    if len(text) < _LONG_ENOUGH:
        return []
    close = difflib.get_close_matches(text, knowledge.names("tensor_methods"), n=_NEAR, cutoff=0.8)
    return [f"{_TENSOR}{name}" for name in close]


def _spellings(text: str) -> list[str]:
    """Return the full names that ``text`` may refer to, the likeliest first."""
    root, dot, rest = text.partition(".")
    if dot:
        full = f"{_SHORT[root]}.{rest}" if root in _SHORT else text
        return list(dict.fromkeys((full, text)))
    if hasattr(builtins, text):
        return [f"builtins.{text}"]
    return [f"{_TENSOR}{text}", f"torch.{text}", f"torch.nn.functional.{text}", f"torch.nn.{text}", f"{text}.{text}"]


def _uses(name: str, knowledge: Knowledge) -> Iterator[NameUse]:
    if name.startswith((_TENSOR, _NDARRAY)):
        yield from _member_uses(name, knowledge)
        return
    manager = knowledge.context_manager(name)
    if manager is not None:
        yield NameUse(f"entering `with {name}(...)`", manager, _rule((("context-manager", name),)))
    module = knowledge.module_class(name)
    if module is not None:
        yield NameUse(f"calling an instance of `{name}`", module, _rule((("module-call", name),)))
        return
    call = knowledge.function(name) or knowledge.class_(name)
    if call is not None and (knowledge.context_manager(name) is None or call != manager):
        yield NameUse(f"calling `{name}`", call, _rule(tuple((kind, name) for kind in _CALL_KINDS)))


def _member_uses(name: str, knowledge: Knowledge) -> Iterator[NameUse]:
    """Yield the uses of a method or an attribute of tensors or of arrays."""
    owner, _, member = name.rpartition(".")
    of_tensor = owner == _TENSOR.rstrip(".")
    method = knowledge.tensor_method(member) if of_tensor else knowledge.ndarray_method(member)
    if method is not None:
        pairs = (
            ("tensor-to-python", member if of_tensor else "numpy-scalar"),
            ("tensor-method", member),
            *((kind, name) for kind in _CALL_KINDS[:-1]),
        )
        yield NameUse(f"calling `{name}`", method, _rule(pairs) or _rule((("call", name),)))
    read = knowledge.tensor_attribute(member) if of_tensor else knowledge.ndarray_attribute(member)
    if read is not None:
        yield NameUse(f"reading `{name}`", read, _rule((("tensor-attribute", member),)))


def _rule(pairs: tuple[tuple[str, str], ...]) -> Rule | None:
    """Return the rule that describes one of the events most closely; the first if several do so equally."""
    best: Rule | None = None
    score = -1
    for kind, subject in pairs:
        event = BreakEvent(kind, subject, Span("", 1), "")
        rule = rule_for(event)
        if rule is not None and rule.specificity(event) > score:
            best, score = rule, rule.specificity(event)
    return best


@cache
def _all_names(knowledge: Knowledge) -> tuple[str, ...]:
    methods = (f"{_TENSOR}{name}" for name in knowledge.names("tensor_methods"))
    return (*knowledge.names("functions"), *methods, *knowledge.names("module_classes"))


def rule_of(use: NameUse) -> Rule | None:
    """Return the rule that reports a use; None if the use breaks nothing."""
    return use.rule if use.fact.breaks else None


def effect_of(fact: Fact) -> str:
    """Return the reaction of Dynamo, as the second part of a sentence."""
    ids = f" ({', '.join(fact.gb_ids)})" if fact.gb_ids else ""
    condition = _CONDITIONS.get(fact.when, "")
    return _EFFECTS[fact.effect].format(ids=ids) + (f", {condition}" if condition else "")


_EFFECTS = {
    "graph": "Dynamo traces it without a graph break",
    "fold": "Dynamo evaluates it while tracing, without a graph break",
    "inline": "Dynamo traces its Python source: only code in it can break the graph",
    "break": "the graph breaks{ids}",
    "dynamic-shape": (
        "the graph breaks{ids}, because the shape of the result depends on data; not under `fullgraph=True` or with "
        "`torch._dynamo.config.capture_dynamic_output_shape_ops = True`"
    ),
    "data-dependent": (
        "the graph breaks{ids}, because the result depends on data; not under `fullgraph=True` or with "
        "`torch._dynamo.config.capture_scalar_outputs = True`"
    ),
    "error": "an exception escapes from the compiled function{ids}",
}
# ``Fact.when`` in words.
_CONDITIONS = {
    "one-arg": "if it is called with one argument",
    "no-num-classes": "if `num_classes` is not given or negative",
    "tensor-repeats": "if `repeats` is a tensor and `output_size` is not given",
    "tensor-sections": "if the sections or indices are a tensor",
    "tensor-arg": "if a tensor is passed instead of a number",
    "container": "if the argument is a list, a dict or a set",
    "input": "if the tensor is an input of the graph (an argument, a parameter, an attribute)",
    "intermediate": "if the tensor was computed in the compiled function",
    "scalar-size": "if no size is given",
    "no-endpoint": "if `endpoint` is false",
}
