"""The compiled objects that cannot be analysed: their values, and the places that compile them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Final

from gblint.diagnostics.entry_point import EntryKind
from gblint.diagnostics.unresolved import Reason, UnresolvedTarget
from gblint.entrypoints.provenance import MODELLED, missing_package, not_installed, provenance, shown
from gblint.entrypoints.unknown_parts import (
    UnknownItems,
    UnknownName,
    UnknownPart,
    is_unknown,
    unknown_parameters,
    unknown_parts,
    unknown_variables,
)
from gblint.entrypoints.unreached import backward_passes, compile_calls
from gblint.interp import Entry
from gblint.interp.domain.torch_records import GRAPH_MODULE
from gblint.interp.evaluator.abstract_methods import has_to_be_implemented
from gblint.interp.evaluator.imported_objects import MAX_CHOICES
from gblint.interp.models.torch import autograd_function, module_wrappers
from gblint.interp.models.torch.nn_modules import COMPILE_ARGUMENTS
from gblint.interp.state.compilation import CompiledObject, UnknownTarget, receiver_of
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.tracer import underlying
from gblint.project import source_text
from gblint.project.modules import Module
from gblint.runtime import ast_text, ast_walk
from gblint.runtime.lazy_dataclasses import dataclass, field, replace
from gblint.values.base import MANY, UNKNOWN, Bottom, Tensor, Unknown, Value, members
from gblint.values.lattice import MAX_OBJECTS
from gblint.values.objects import (
    METHODLESS,
    BoundMethod,
    BuiltinMethod,
    Class,
    ExternalName,
    ExternalObject,
    Function,
    Instance,
    Partial,
    is_nn_module,
)
from gblint.values.wrapped import CompiledFunction, Wrapped

Place = tuple[str, int, int]
Why = tuple[Reason, str]
# Verdicts on a value other than a reason: it can be analysed; it is not callable, so it cannot be the compiled object.
KNOWN: Final = ("known", "")
NO_CALLABLE: Final = ("no-callable", "")
UNKNOWN_VALUE: Final[Why] = ("unknown-value", "its value could not be determined")
NOT_REACHED: Final[Why] = ("not-reached", "the search for entry points did not reach this line")
BACKWARD: Final[Why] = (
    "no-source",
    "it compiles the backward pass, which autograd creates at run time and which has no source",
)
_MODULE = "torch.nn.Module"
OPTIMIZER = "torch.optim.Optimizer"
# Values of calls of torch.compile without an object: the decorator that such a call makes.
_DECORATORS = frozenset(("torch.compile", "functools.update_wrapper"))
# Classes of libraries that add no ``forward`` to ``torch.nn.Module``, by the last part of their names.
_WITHOUT_FORWARD = frozenset(("LightningModule",))
# If a value has so many alternatives, the interpreter has dropped some of them.
MANY_CHOICES = MAX_CHOICES // 2
_COMPILERS = ("compile", "optimize", "export")
# The reasons of a place with several, the most telling first.
_ORDER: tuple[Reason, ...] = (
    "run-eagerly",
    "factory",
    "not-installed",
    "base-class",
    "no-source",
    "not-reached",
    "unknown-value",
)


@dataclass(slots=True)
class _Failure:
    """The compiled values of one place that cannot be analysed, or only without some of their parts.

    parts, assumed: what is not known of them, and of any object of their classes.
    made: the objects of the project whose methods are compiled.
    """

    compiled: CompiledObject
    reasons: list[Why] = field(default_factory=list)
    resolved: bool = False
    parts: list[UnknownPart | UnknownName | UnknownItems] = field(default_factory=list)
    assumed: list[UnknownPart] = field(default_factory=list)
    made: list[Instance] = field(default_factory=list)

    def has_unknown(self) -> list[UnknownPart | UnknownName | UnknownItems]:
        """Return the unknown parts, without those of any object of a class that the objects of the project have."""
        return [*self.parts, *(each for each in self.assumed if each not in self.parts and not self._is_given(each))]

    def _is_given(self, part: UnknownPart) -> bool:
        known = (each for each in self.made if not is_unknown(each.attrs.get(part.name, UNKNOWN)))
        return any(isinstance(each.cls, Class) and part.cls in each.cls.mro for each in known)


_WITHOUT_SUBCLASS = ", and no subclass is known"


class TargetSorter:
    """Divides the entry points of a project into those that can be traced, and the places of the others."""

    def __init__(self, interp: Interpreter, own: Sequence[CompiledObject]) -> None:
        self._interp = interp
        self._places = {place_of(each.module, each.node): _Failure(each) for each in own}
        self._own = own

    def accepts(self, compiled: CompiledObject, entry: Entry) -> bool:
        """Return whether the target of an entry point can be traced; if not, keep the reason."""
        verdict = judge(self._interp, compiled.module, entry.target)
        here = self._places[place_of(compiled.module, compiled.node)]
        if verdict == KNOWN:
            here.resolved = True
            receiver = receiver_of(entry.target)
            unknown = list(unknown_parts(self._interp, entry.target))
            here.parts += [UnknownItems()] if is_unknown(entry.target) else []
            if isinstance(receiver, Instance) and receiver.from_defaults:
                here.assumed += [each for each in unknown if each not in here.assumed]
            else:
                here.parts += [each for each in unknown if each not in here.parts]
                here.made += [receiver] if isinstance(receiver, Instance) else []
            here.parts += [each for each in unknown_parameters(self._interp, entry) if each not in here.parts]
            here.parts += [each for each in unknown_variables(entry) if each not in here.parts]
        elif verdict != NO_CALLABLE:
            here.reasons.append(verdict)  # type: ignore[arg-type]
        return verdict == KNOWN

    def skip(self, compiled: CompiledObject) -> None:
        """Note that an object is not analysed, since all its calls run eagerly."""
        where = " and ".join(dict.fromkeys(source_text.place(each.path, each.line) for each in compiled.eager[:2]))
        why = f"a stance of `torch.compiler.set_stance` ({where}) makes every call that was found run eagerly"
        self._places[place_of(compiled.module, compiled.node)].reasons.append(("run-eagerly", why))

    def leave_out(self, compiled: CompiledObject, why: str) -> None:
        """Note that an object is analysed only in part."""
        self._places[place_of(compiled.module, compiled.node)].reasons.append(("factory", why))

    def unresolved(self, modules: Iterable[Module], inside: Iterable[ast.AST]) -> list[UnresolvedTarget]:
        """Return the places in ``modules``, each once, in order.

        Calls ``inside`` of compiled functions compile nothing.
        """
        compilation = self._interp.compilation
        objects = {each.compiled.node for each in self._places.values()}
        # A call may make a decorator on one way, and compile an object on another.
        skipped = {*inside, *(compilation.decorators - objects)}
        incomplete = {place_of(each.module, each.node) for each in self._own if each.incomplete}
        for place, failure in self._places.items():
            followed = len(members(failure.compiled.value))
            if not failure.resolved:
                continue
            # What cannot be called is not compiled where something else is.
            failure.reasons = [each for each in failure.reasons if not each[1].endswith(_WITHOUT_SUBCLASS)]
            if place in incomplete:
                text = "its class has more subclasses than gblint follows"
                failure.reasons.append(("base-class", text))
            elif _chooses_among_more(failure.compiled, compilation.left_out):
                failure.reasons.append(("factory", f"more than {MAX_OBJECTS} objects can stand there"))
            elif compilation.limited and followed >= MANY_CHOICES:
                failure.reasons.append(("factory", f"gblint follows {followed} of the objects that can stand there"))
        found = [
            self._of_object(each)
            for each in self._places.values()
            if (each.reasons or each.has_unknown() or _is_open(each)) and each.compiled.node not in skipped
        ]
        evaluated = {*self._places, *(place_of(each.module, each.node) for each in compilation.objects)}
        for each in compilation.unknown_targets.left():
            place = place_of(each.module, each.node)
            known = place in self._places or each.node in skipped
            if (not known or _is_unpacked(each)) and is_compilation(each):
                why = judge(self._interp, each.module, each.value)
                reasons = [UNKNOWN_VALUE if why in (KNOWN, NO_CALLABLE) else why]
                partly = place in self._places
                found.append(self._described(each.module, each.node, each.target, each.kind, reasons, partly))  # type: ignore[arg-type]
            evaluated.add(place)
        for module, node, target, kind in compile_calls(modules):
            if place_of(module, node) not in evaluated and node not in skipped:
                found.append(self._described(module, node, target, kind, [NOT_REACHED]))
        for module, node in backward_passes(modules):
            found.append(self._described(module, node, node, "call", [BACKWARD]))
        once = {(each.path, each.line, each.column): each for each in reversed(found)}
        return [once[place] for place in sorted(once)]

    def _of_object(self, failure: _Failure) -> UnresolvedTarget:
        compiled = failure.compiled
        target = _compiled_expression(compiled.node)
        unknown = failure.has_unknown()
        if unknown and not failure.reasons:
            part = unknown[0]
            reason: Why = ("unknown-value", part.explanation)
            found = self._described(compiled.module, compiled.node, target, compiled.kind, [reason], True)
            return replace(found, hint=part.hint)
        reasons = failure.reasons or [UNKNOWN_VALUE]
        return self._described(compiled.module, compiled.node, target, compiled.kind, reasons, failure.resolved)

    def _described(
        self, module: Module, node: ast.AST, target: ast.expr, kind: EntryKind, reasons: list[Why], partly: bool = False
    ) -> UnresolvedTarget:
        source = provenance(self._interp, module, target)
        why: Why = min(reasons, key=lambda each: _ORDER.index(each[0]))
        if UNKNOWN_VALUE in reasons and source.reason != "unknown-value":
            why = (source.reason, source.explanation)
        hint = source.hint
        if why[0] == "not-installed":
            hint = f"install it or choose another environment with --python, or {hint}"
        elif why[0] == "run-eagerly":
            hint = "if it is called elsewhere, too, name it with --entry"
        elif why == BACKWARD:
            hint = "run it with TORCH_LOGS=graph_breaks to see its graph breaks"
        line = getattr(node, "lineno", 1)
        before = module.lines[line - 1].encode()[: getattr(node, "col_offset", 0)]
        column = len(before.decode(errors="replace")) + 1
        return UnresolvedTarget(module.display, line, column, shown(target), kind, *why, hint, partly)


def judge(interp: Interpreter, module: Module, value: Value) -> tuple[str, str]:
    """Return why a value cannot be analysed, as a code and a sentence; KNOWN if it can, NO_CALLABLE for data."""
    if isinstance(value, (Wrapped, Partial)) and not isinstance(
        value.function, (Function, BoundMethod, Class, Instance)
    ):
        inner = [judge(interp, module, each) for each in members(value.function)]
        if len(inner) == 1:
            return inner[0]
        # The alternatives are compiled by themselves as well.
        return next((each for each in inner if each not in (KNOWN, NO_CALLABLE)), NO_CALLABLE)
    if value == MANY:
        return "factory", f"more than {MAX_OBJECTS} objects can stand there"
    if isinstance(value, (Unknown, Bottom)):
        return UNKNOWN_VALUE
    if isinstance(value, ExternalName):
        return NO_CALLABLE if value.name in _DECORATORS else _external(interp, module, value.name)
    if isinstance(value, ExternalObject):
        why = _external(interp, module, value.cls.partition(":")[0])
        traced = value.cls == GRAPH_MODULE  # its operators are in the graph, and no source of the project runs
        return _no_source(value.cls) if why == KNOWN and not traced else why
    if isinstance(value, BuiltinMethod):
        return _method(interp, module, value)
    if isinstance(value, (Function, Class)):
        return KNOWN
    if isinstance(value, (BoundMethod, Instance, Wrapped, Partial)):
        return _object(interp, module, value)
    return NO_CALLABLE


def _method(interp: Interpreter, module: Module, method: BuiltinMethod) -> tuple[str, str]:
    """Judge a method that has no source."""
    receiver = method.receiver
    if isinstance(receiver, Class) and autograd_function.is_function_class(receiver) and method.name == "apply":
        return KNOWN
    if isinstance(receiver, ExternalObject) and receiver.cls == OPTIMIZER and method.name == "step":
        return KNOWN
    if isinstance(receiver, Instance) and isinstance(receiver.cls, Class):
        return _no_source(f"{receiver.class_name}.{method.name}")
    if isinstance(receiver, (Instance, ExternalObject, Unknown)):
        return judge(interp, module, receiver)
    return KNOWN if isinstance(receiver, Tensor) else NO_CALLABLE


def _object(interp: Interpreter, module: Module, value: Value) -> tuple[str, str]:
    """Judge a bound method or an instance, maybe under a decorator."""
    function, _, _ = underlying(interp, value)
    if function is not None:
        is_method = function.owner is not None and not isinstance(value, (Wrapped, Partial))
        return (
            ("base-class", f"`{function.name}` is abstract, and no class that overrides it is known")
            if is_method and has_to_be_implemented(function)
            else KNOWN
        )
    while isinstance(value, (Wrapped, Partial, BoundMethod)):
        value = value.function
    if not isinstance(value, Instance):
        return judge(interp, module, value)
    if isinstance(value.cls, ExternalName):
        if module_wrappers.is_wrapper(value):
            return "unknown-value", f"nothing is known of the module in `{value.cls.name}`"
        return _external(interp, module, value.cls.name)
    if "forward" in value.attrs:
        return (
            "unknown-value",
            f"the `forward` of its `{value.cls.name}` is replaced by a value that could not be determined",
        )
    bases = [name for name in value.cls.externals if name not in METHODLESS]
    if not _WITHOUT_FORWARD.isdisjoint(name.rpartition(".")[2] for name in bases):
        return KNOWN
    reasons = [_external(interp, value.cls.module, name) for name in bases]
    specific = next((why for why in reasons if why[0] in ("not-installed", "no-source")), None)
    if specific is not None:
        return specific
    if KNOWN in reasons:
        return KNOWN
    return (
        "base-class",
        f"`{value.cls.name}` has no `{'forward' if is_nn_module(value) else '__call__'}`{_WITHOUT_SUBCLASS}",
    )


def _external(interp: Interpreter, module: Module, name: str) -> tuple[str, str]:
    """Judge an object that is known by its qualified name only."""
    if name == _MODULE:
        return "base-class", f"only its base class `{name}` is known"
    if name.partition(".")[0] in MODELLED:
        return KNOWN
    package = missing_package(interp, module, name)
    return ("not-installed", not_installed(package)) if package else _no_source(name)


def _no_source(name: str) -> Why:
    return "no-source", f"`{name}` has no Python source to trace"


def place_of(module: Module, node: ast.AST) -> Place:
    """Return the path, line and column of a node."""
    return module.display, getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _chooses_among_more(compiled: CompiledObject, left_out: set[tuple[Module, int]]) -> bool:
    """Return whether the function that compiles an object chooses among more objects than are followed.

    A single function of a module is not chosen, whatever else is.
    """
    chosen = {each.function if isinstance(each, CompiledFunction) else each for each in members(compiled.value)}
    if len(chosen) == 1 and all(isinstance(each, Function) for each in chosen):
        return False
    lines = [line for module, line in left_out if module is compiled.module]
    here = getattr(compiled.node, "lineno", 0)
    functions = (n for n in ast_walk.walk(compiled.module.tree) if isinstance(n, ast.FunctionDef)) if lines else ()
    spans = [(f.lineno, f.end_lineno or 0) for f in functions if f.lineno <= here <= (f.end_lineno or 0)]
    return any(first <= line <= last for first, last in spans for line in lines)


def _is_open(failure: _Failure) -> bool:
    """Return whether nothing is known of a place at which something is compiled."""
    if failure.resolved:
        return False
    node = failure.compiled.node
    return isinstance(node, ast.Call) and any(word in ast_text.unparse(node.func) for word in _COMPILERS)


def _is_unpacked(target: UnknownTarget) -> bool:
    """Return whether the compiled value is in ``*args``: a call passed it, even if others make a decorator."""
    given = target.node.args if isinstance(target.node, ast.Call) else ()
    return any(isinstance(each, ast.Starred) and each.value is target.target for each in given)


def is_compilation(unknown: UnknownTarget) -> bool:
    """Return whether ``x.compile()`` of an unknown object may be that of a module: its result is not used."""
    node = unknown.node
    if unknown.kind != "method" or not isinstance(node, ast.Call):
        return True
    if not unknown.module.contains("torch"):
        return False
    if any(keyword.arg in COMPILE_ARGUMENTS for keyword in node.keywords):
        return True
    tree = unknown.module.tree
    return any(isinstance(each, ast.Expr) and each.value is node for each in ast_walk.walk(tree))


def _compiled_expression(node: ast.AST) -> ast.expr:
    """Return the compiled expression in a call that compiles it."""
    if isinstance(node, ast.Call):
        given = [*node.args[:1], *(each.value for each in node.keywords if each.arg in ("model", "mod", "f"))]
        if given:
            return given[0]
        if isinstance(node.func, ast.Attribute):
            return node.func.value
    if isinstance(node, ast.expr):
        return node
    name = ast.Name(getattr(node, "name", "<unknown>"), ast.Load())
    return ast.copy_location(name, node)
