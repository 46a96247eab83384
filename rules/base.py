"""What a rule is, how the rules are found, and the vocabulary of events that they speak about.

A rule never walks a tree: the interpreter has done that and hands over a ``BreakEvent``.  ``kind`` and ``subject`` of
an event are the contract between the two.  Subjects that are callables are the dotted names of where the object is
defined or commonly known (``builtins.print``, ``logging.Logger.warning``, ``numpy.interp``, ``torch.nonzero``,
``torch.Tensor.nonzero``).

====================== ==============================================================================================
kind                   subjects
====================== ==============================================================================================
tensor-to-python       What needs the value of a tensor as a Python object: ``item``, ``tolist``, ``int``, ``float``,
                       ``bool``, ``complex``, ``round``, ``index`` (``operator.index`` and implicit ``__index__``),
                       ``slice-bound``, ``range``, ``list-index`` (a list, tuple, ``x.shape`` or ``ModuleList``
                       subscripted by a tensor), ``tensor-index`` (a tensor subscripted by an integer scalar tensor),
                       ``size-arg`` (a size, shape, count or other integer parameter of an operator), ``scalar-arg``
                       (``alpha=``, ``math.sqrt(t)``, ``torch.scalar_tensor(t)``), ``pow`` (``pow(t, 2)``),
                       ``is_nonzero``, ``numpy-scalar`` (``int``/``float`` of an ndarray element, ``ndarray.tolist``),
                       ``str``, ``repr``, ``format`` (``'%s' % t``, a format spec, or an f-string whose text is used),
                       ``sorted`` (``sorted(t)`` or tensors as keys).  What Dynamo traces (``hash``, ``len``,
                       ``f"{t}"`` whose text is not used) is no event.
data-dependent-branch  Where the truth of a tensor decides the way: ``if``, ``elif``, ``while``, ``ternary``, ``and``,
                       ``or``, ``not``, ``compare-chain``, ``in``, ``any``, ``all``, ``min``, ``max``, ``filter``,
                       ``match``, ``comprehension-if``, ``assert``, ``check`` (``torch._check`` and such).  The
                       context has ``assert`` for a part of what an ``assert`` asserts, and ``guard-raise`` where the
                       branch only raises, warns or exits.
dynamic-shape          A call whose output shape depends on data, by qualified name: ``torch.nonzero``,
                       ``torch.argwhere``, ``torch.where`` (one argument), ``torch.Tensor.__getitem__`` (boolean mask),
                       ``torch.masked_select``, ``torch.unique``, ``torch.unique_consecutive``, ``torch.bincount``,
                       ``torch.repeat_interleave``, ``torch.combinations``, ``torch.linalg.lstsq``,
                       ``torch.nn.functional.one_hot``, ``torch.nn.functional.ctc_loss``, ``numpy.nonzero``, ...; the
                       method forms as ``torch.Tensor.nonzero``.
data-dependent-op      An operator that returns a Python value computed from data: ``torch.equal``,
                       ``torch.allclose``, ``torch.cov``, ``torch.corrcoef``, ``torch.tensor_split``,
                       ``torch.nn.functional.gaussian_nll_loss``, ``numpy.allclose``, ...
call                   A call that Dynamo cannot trace, by qualified name: ``builtins.print``,
                       ``logging.Logger.warning``, ``warnings.warn``, ``numpy.interp``, ``time.time``,
                       ``PIL.Image.fromarray``, ``tqdm.tqdm``, ``unicodedata.normalize``, ``random.random``,
                       ``torch.manual_seed``, ``importlib.import_module``, ``copy.copy``, ... The rule
                       ``untraceable-call`` takes every name that no other rule claims.  Wrappers with a body
                       (``warning_once`` of transformers) are traced into: the event is the call inside them.
context-manager        Entering a manager that Dynamo does not support: its qualified name (``torch.device``,
                       ``builtins.open``, ``threading.Lock``, ``contextlib.closing``,
                       ``torch.autograd.detect_anomaly``, ...), or ``instance`` for any manager that was made outside
                       the region.
iterator               Consuming an iterator made outside the region: ``outside-generator``, ``outside-iterator``
                       (``map``, ``zip``, ``enumerate``, ``iter``), or the qualified class of an iterable that Dynamo
                       cannot iterate (``torch.utils.data.DataLoader``, ``range-like``, ``unknown``).
generator              ``live-across-break`` (a generator is alive at a break), ``entry`` (the compiled function is a
                       generator, fullgraph only), ``yield``.
module-call            Calling an ``nn.Module`` that Dynamo refuses, by qualified class: ``torch.nn.LSTM``,
                       ``torch.nn.GRU``, ``torch.nn.RNN``, ``torch.jit.ScriptModule``.
tensor-attribute       Attribute of a tensor: ``requires_grad=``, ``data=``, ``real=``, ``imag=`` (stores), ``grad_fn``,
                       ``grad_dtype``, ``missing`` (reads).
tensor-method          Untraceable method of a tensor by bare name: ``requires_grad_``, ``retain_grad``, ``resize_``,
                       ``resize_as_``, ``set_``, ``random_``, ``storage``, ``storage_offset``, ``untyped_storage``,
                       ``data_ptr`` (compared or computed with), ``is_pinned``, ``is_shared``, ``share_memory_``,
                       ``to_sparse``, ``unsqueeze_`` and the other in-place views of a graph input, ``apply_``,
                       ``map_``, ``__deepcopy__``, ``as_subclass``, ...
autograd               ``torch.Tensor.backward``, ``torch.autograd.grad``, ``torch.autograd.backward``,
                       ``torch.autograd.Function`` (keyword arguments to ``apply``), ``requires_grad=True`` (a factory).
traced-autograd        What ``backward`` and ``torch.autograd.grad`` refuse where they are traced: ``non-leaf``,
                       ``made-leaf``, ``no-inputs``, ``key``, ``type``, ``edge``, ``outside``, ``twice``, ``returned``.
autograd-function      What is wrong with a ``torch.autograd.Function``: ``jvp``, ``vjp``, ``duplicate``, ``keyword``,
                       ``callable``, ``dirty``, ``mark_dirty``, ``materialize``, ``method``, ``class-method``.
tensor-hook            What a hook of a tensor or a backward pass reads: ``is_neg``, ..., ``layout``; ``global-handle``.
tensor-layout          Using a tensor that cannot enter a graph: ``sparse``, ``nested``, ``quantized``, ``object`` (an
                       array of Python objects), ``set`` (a set of tensors).
numpy-off              A call of NumPy that a setting keeps from being traced, by qualified name.
tensor-subclass        An instance of a user's subclass of ``torch.Tensor``: ``as_subclass``, ``constructor``,
                       ``_base``, ``override``, ``__setitem__``, ``__reversed__``, ``not-implemented``.
tensor-argument        An operator is given what it cannot take: ``set``, ``integer``, ``dtypes``, ``pullback``.
module-state           A method that puts other parameters into a module, or ``__init__`` of one that was there before.
hook                   ``register_forward_hook``, ``register_forward_pre_hook``, ``register_full_backward_hook``, ...
                       called in the region; ``full-backward-hook`` for calling a module that carries one.
construct              ``class`` (a class statement), ``parameter``, ``module`` (with parameters), ``exec``, ``eval``,
                       ``compile``, ``globals``, ``async``, ``del-global``, ``del-closure``, ``type-alias``,
                       ``type-parameter``, ``import-star``,
                       ``import-missing``, ``object`` (an object of a C class: ``decimal.Decimal``, ``datetime``),
                       ``class-assign`` (``obj.__class__ =``), ``function-attribute`` (``f.n += 1``),
                       ``class-attribute`` (``C.n = 1``, before torch 2.13),
                       ``torch.Generator``.
exception              ``uncaught-raise``, ``except-star``, ``custom-init`` (raising an exception whose
                       ``__init__`` calls ``super().__init__``), ``attribute`` (``e.foo = 1``), ``format``
                       (``traceback.format_exc``).
disabled-call          Name of a function marked ``torch.compiler.disable`` (also a disabled module).
reordered-call         A logging function that Dynamo was told to reorder, and cannot with these arguments.
explicit-break         ``torch._dynamo.graph_break``, ``torch._dynamo.skip_frame``.
random-number          Where a number that ``random`` drew in the region is needed itself: ``arithmetic``, ``branch``,
                       ``int`` and the other conversions, ``index``, ``key``, ``slice-bound``, ``range``, ``argument``
                       (of an operator), ``divmod``, ``in``.
skipped-function       Qualified name of a Python function in a file that Dynamo skips (``sklearn``, ``pandas``,
                       ``networkx``, ...; user modules that shadow one).
compile-error          What Dynamo raises over whatever the mode (category ``compile-error``): ``builtins.format``,
                       ``torch.as_tensor`` and ``torch.asarray`` of tensors, ``byte-mask``, ``decimal-number``,
                       ``custom-operator`` and ``leaf-function`` (without a fake implementation), and by name what is
                       forbidden in a region: ``torch.compiler.set_stance``, ``torch._dynamo.mark_dynamic``, ...
higher-order           What ``torch.cond`` and its kin refuse: ``predicate``, ``operands``, ``function``, ``inputs``,
                       ``additional-inputs``, ``arguments``, ``empty``, ``operator``; of the functions they are given:
                       ``output``, ``branches``, ``condition``, ``aliasing``, ``mutation``, ``side-effect``,
                       ``attribute``.
divergence             What Dynamo traces to something else than Python does, without a break (category
                       ``divergence``): ``yield-from-value``, ``coroutine-call``, ``compiled-generator`` (nothing is
                       compiled), ``operator-error`` (a handler that never runs), ``cached-function``,
                       ``torch.seed``, ``numpy-random``, ``numpy-division``, ``own-module`` (nothing is compiled).
recompile              What is compiled again (category ``recompile``): in a region ``counter`` and ``growing-list``;
                       at a call of something compiled, whose parameter is the expression, ``optional``, ``number``,
                       ``mode``, ``type``, ``length``.
check-message          ``torch._check`` and its like, with ``-closure`` where what the message closes over is at fault.
device-call            ``torch.get_device_module``, ``torch.accelerator.current_stream``, ``torch.Event.ipc_handle``.
collective             ``torch.distributed.all_reduce`` (``async_op=True``), ``torch.distributed.isend``, ...
out-argument           ``shape``, ``strides`` of what ``out=`` is given.
operator-arguments     Name of an operator that is called with what it does not take.
unseen-function        Under ``nonstrict_trace`` and ``assume_constant_result``: ``made-here``, ``argument``,
                       ``module``, ``result``, ``constant-argument``, ``data``, ``no-tensor``.
opaque-object          ``member``, ``getattr``, ``result``, ``class-attribute``, ``descriptor``.
name                   ``undefined``.
config                 Settings and calls around the regions (category ``config``), the expression being a name:
                       ``unknown-setting``, ``suppress_errors``, ``disable``, ``late-environment``, ``force-eager``,
                       ``result-unused``, ``error_on_graph_break`` (allows breaks under ``fullgraph=True``),
                       ``raises-under-fullgraph`` and ``raises-twice`` (``error_on_graph_break(True)`` that changes
                       nothing), ``disable-below`` and ``compile-below`` (under ``torch.compile``), ``compile-undone``,
                       ``compile-inside`` (a region), ``mark-on-method``, and, with the number of breaks as operand,
                       ``capture_scalar_outputs``, ``capture_dynamic_output_shape_ops``.
mutation               ``sequence-compare``, ``unsupported-store`` and what has no better kind.
====================== ==============================================================================================
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import cache
from typing import ClassVar

from gblint.diagnostics.findings import BreakEvent, Category, Finding, ReachedBreak, Severity
from gblint.knowledge.versions import release
from gblint.runtime.lazy_dataclasses import dataclass

_SHORT = 60
# Ways around what Dynamo cannot trace, for what may run unseen in the middle of a graph.
OPAQUE = ("escape_hatches.leaf", "escape_hatches.custom_op", "escape_hatches.disabled", "escape_hatches.allowed")
# For what only Dynamo stumbles over: the tracers below it take it as it is.
UNSEEN = (
    "escape_hatches.leaf",
    "escape_hatches.nonstrict",
    "escape_hatches.custom_op",
    "escape_hatches.disabled",
    "escape_hatches.allowed",
)
# For what has to stay out of graphs.
OUTSIDE = ("escape_hatches.disabled", "escape_hatches.allowed")


@dataclass(frozen=True, slots=True)
class On:
    """The events that a rule speaks about: a kind, subjects (shell-style patterns), and what the context must have.

    The kind ``*`` stands for events of any kind, and comes before what names one.
    """

    kind: str
    subjects: tuple[str, ...] = ("*",)
    context: frozenset[str] = frozenset()

    def specificity(self, subject: str, context: frozenset[str]) -> int:
        """How closely the event is described: -1 if not at all, otherwise the more the closer."""
        if not self.context <= context:
            return -1
        best = -1
        for pattern in self.subjects:
            if pattern == subject:
                best = 1000
            elif _fits(subject, pattern):
                best = max(best, len(pattern.replace("*", "")))
        return best if best < 0 else best + 2000 * len(self.context) + (10_000 if self.kind == "*" else 0)


def _fits(subject: str, pattern: str) -> bool:
    """As ``fnmatchcase``; what has nothing but asterisks needs no regular expression, which takes long to compile."""
    if "?" in pattern or "[" in pattern:
        return fnmatchcase(subject, pattern)
    if "*" not in pattern:
        return subject == pattern
    first, *between, last = pattern.split("*")
    at = len(first)
    for part in between:
        at = subject.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return subject.startswith(first) and subject.endswith(last) and at + len(last) <= len(subject)


@dataclass(frozen=True, slots=True)
class Example:
    """A complete module that Dynamo judges.

    ``source`` defines the entry: a function ``f`` or a module class ``Net`` (built without arguments).  It is compiled
    as it stands, or, where ``source`` calls ``torch.compile`` itself, called as it is.  ``inputs`` is an expression
    for the tuple of arguments, evaluated in the module; ``calls`` has those of several calls instead.  Each line where
    Dynamo breaks ends in ``# breaks: GB0124`` (several ids allowed; bare ``# breaks`` where Dynamo gives none), or in
    ``# diverges``, ``# recompiles``, ``# advises`` for the rules that are about these.  ``raises`` is for a region
    that raises instead.  ``instead`` is ``source`` after the advice, with which Dynamo must do something else.
    ``python`` is the first version of Python that it holds for, ``needs`` the distributions it imports besides torch.
    ``since`` is the first torch that it holds for, ``until`` the first that it does not hold for any more.
    ``files`` are modules beside it that it imports, as pairs of a file name and a text; they are not linted themselves.
    """

    source: str
    inputs: str = "(torch.randn(4),)"
    raises: bool = False
    python: tuple[int, int] = (3, 10)
    needs: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    instead: str = ""
    since: str | None = None
    until: str | None = None
    files: tuple[tuple[str, str], ...] = ()

    def holds(self, version: str) -> bool:
        """Whether it speaks of this version of torch."""
        return _between(self.since, version, self.until)


@dataclass(frozen=True, slots=True)
class FixExample:
    """What a fix promises: ``before`` becomes ``after``, byte for byte, and Dynamo finds no break in it.

    ``calls`` are the arguments of calls that take different ways; each gives the same before and after, compiled and
    not: values, dtypes, shapes, gradients, whether it raises.  ``safe`` is the applicability.  ``choice`` is the way to
    fix that the configuration asks for.  ``allowed`` are the ids of breaks that are left on purpose.
    """

    before: str
    after: str
    calls: tuple[str, ...] = ("(torch.randn(4),)",)
    safe: bool = True
    choice: str | None = None
    allowed: tuple[str, ...] = ()


class Rule:
    """One thing that gblint says.  The docstring of the module that defines it is its page in the documentation.

    ``said`` and ``advice`` are templates over the event: ``{subject}``, ``{name}`` (its last part), ``{expression}``,
    ``{function}``, ``{operand}``.  ``wording`` has other words for single subjects: a shell-style pattern, what is
    said, what is advised; the first that fits counts.  A rule with ``opt_in`` says nothing unless it is selected.
    ``recipes`` names the ways to fix it, the preferred one first: functions of ``gblint.fix.recipes``, as
    ``module.function``.  ``hatches`` are those that leave the code as it is and keep Dynamo out of it; they are shown
    where nothing better is known.

    What Dynamo shows of the examples: in ``BREAKS`` the breaks on the marked lines, in ``DIVERGES`` that the results
    (or what is raised) differ from those without compilation, or that nothing at all was compiled, in ``RECOMPILES``
    that the calls compile a function again, in ``ADVISES`` that it does something else with the text ``instead``; in
    ``CLEAN`` one graph and nothing of all that.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    summary: ClassVar[str]
    on: ClassVar[tuple[On, ...]]
    said: ClassVar[str]
    advice: ClassVar[str]
    wording: ClassVar[tuple[tuple[str, str, str], ...]] = ()
    gb_ids: ClassVar[tuple[str, ...]] = ()
    severity: ClassVar[Severity] = Severity.WARNING
    category: ClassVar[Category] = Category.GRAPH_BREAK
    since: ClassVar[str | None] = None
    until: ClassVar[str | None] = None
    opt_in: ClassVar[bool] = False
    recipes: ClassVar[tuple[str, ...]] = ()
    hatches: ClassVar[tuple[str, ...]] = OPAQUE
    BREAKS: ClassVar[tuple[Example, ...]] = ()
    DIVERGES: ClassVar[tuple[Example, ...]] = ()
    RECOMPILES: ClassVar[tuple[Example, ...]] = ()
    ADVISES: ClassVar[tuple[Example, ...]] = ()
    CLEAN: ClassVar[tuple[Example, ...]] = ()
    FIXES: ClassVar[tuple[FixExample, ...]] = ()

    @property
    def sections(self) -> tuple[tuple[str, tuple[Example, ...]], ...]:
        """The examples under the titles that they have on the page."""
        titled = (
            ("Breaks", self.BREAKS),
            ("Differs from eager Python", self.DIVERGES),
            ("Recompiles", self.RECOMPILES),
            ("Advised against", self.ADVISES),
            ("Does not break" if self.BREAKS else "Is fine", self.CLEAN),
        )
        return tuple((title, examples) for title, examples in titled if examples)

    @property
    def ways(self) -> tuple[str, ...]:
        """The names of the recipes as the configuration knows them."""
        return tuple(name.rpartition(".")[2].replace("_", "-") for name in self.recipes)

    @property
    def documentation(self) -> str:
        """The page about this rule: the docstring of its module."""
        return (sys.modules[type(self).__module__].__doc__ or "").strip()

    def specificity(self, event: BreakEvent) -> int:
        """How closely this rule describes ``event``; -1 if not at all."""
        return max(
            (on.specificity(event.subject, event.context) for on in self.on if on.kind in ("*", event.kind)), default=-1
        )

    def holds(self, version: str) -> bool:
        """Whether the rule speaks about this version of torch."""
        return _between(self.since, version, self.until)

    def match(self, event: BreakEvent) -> bool:
        """Whether this rule has something to say about ``event``; another rule may describe it more closely."""
        return self.specificity(event) >= 0

    def message(self, event: BreakEvent) -> str:
        """What happens, in one line."""
        return _fill(self._words(event)[0], event)

    def help(self, event: BreakEvent) -> str:
        """What to write instead, in one line."""
        return _fill(self._words(event)[1], event)

    def finding(self, reached: ReachedBreak) -> Finding:
        """The finding for a break that entry points reach."""
        event = reached.event
        message = self.message(event)
        if event.span.path != reached.span.path:
            message += f", inside `{event.function}`, reached through this call"
        return Finding(
            code=self.code,
            rule=self.name,
            category=event.category,
            severity=self._severity(reached),
            confidence=event.confidence,
            span=reached.span,
            message=message,
            help=self.help(event),
            gb_ids=event.gb_ids or self.gb_ids,
            entries=tuple(dict.fromkeys(entry.name for entry in reached.entries)),
            chain=reached.chain,
            consequence=reached.consequence,
            cost=reached.cost,
            raised_by=reached.region.said if _is_break(reached) and reached.region.raises else None,
            allowed_by=reached.region.said if _is_break(reached) and reached.region.allows else None,
        )

    def _severity(self, reached: ReachedBreak) -> Severity:
        if reached.event.category is Category.COMPILE_ERROR or (_is_break(reached) and reached.region.raises):
            return Severity.ERROR
        return Severity.INFO if _is_break(reached) and reached.region.allows else self.severity

    def _words(self, event: BreakEvent) -> tuple[str, str]:
        for pattern, said, advice in self.wording:
            if _fits(event.subject, pattern):
                return said, advice
        return self.said, self.advice


def _is_break(reached: ReachedBreak) -> bool:
    return reached.event.category is Category.GRAPH_BREAK


def all_rules() -> tuple[Rule, ...]:
    """Every rule of the catalogue, by code."""
    return _discover()


def rule_by_code(code: str) -> Rule | None:
    """The rule with this code or name."""
    return next((rule for rule in _discover() if code in (rule.code, rule.name)), None)


def rule_for(event: BreakEvent) -> Rule | None:
    """The rule that describes ``event`` most closely; None for a kind that no rule speaks about."""
    return _choose(event.kind, event.subject, event.context)


@cache
def _choose(kind: str, subject: str, context: frozenset[str]) -> Rule | None:
    best: Rule | None = None
    score = -1
    for on, rule in (*_by_kind().get(kind, ()), *_by_kind().get("*", ())):
        found = on.specificity(subject, context)
        if found > score:
            best, score = rule, found
    return best


@cache
def _by_kind() -> dict[str, list[tuple[On, Rule]]]:
    table: dict[str, list[tuple[On, Rule]]] = {}
    for rule in _discover():
        for on in rule.on:
            table.setdefault(on.kind, []).append((on, rule))
    return table


@cache
def _discover() -> tuple[Rule, ...]:
    import pkgutil

    package = importlib.import_module("gblint.rules")
    modules = (importlib.import_module(f"gblint.rules.{info.name}") for info in pkgutil.iter_modules(package.__path__))
    rules = (rule() for module in modules for rule in _defined_in(vars(module).values(), module.__name__))
    return tuple(sorted(rules, key=lambda rule: rule.code))


def _defined_in(values: Iterable[object], module: str) -> Iterable[type[Rule]]:
    return (
        value
        for value in values
        if isinstance(value, type) and issubclass(value, Rule) and value is not Rule and value.__module__ == module
    )


def _between(since: str | None, version: str, until: str | None) -> bool:
    now = release(version)
    return (since is None or release(since) <= now) and (until is None or now < release(until))


def _fill(template: str, event: BreakEvent) -> str:
    return template.format(
        subject=event.subject,
        name=event.subject.rpartition(".")[2],
        expression=_shorten(event.expression),
        function=event.function,
        operand=event.operand,
    )


def _shorten(expression: str) -> str:
    text = " ".join(expression.split())
    return text if len(text) <= _SHORT else text[: _SHORT - 3] + "..."
