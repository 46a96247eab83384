"""The callables that the project compiles, and the eager calls of them."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from gblint.diagnostics.entry_point import EntryKind, OptionSource
from gblint.interp.state import open_methods
from gblint.interp.state.assumed_objects import AssumedObjects
from gblint.interp.state.branch_record import OtherValue, Place
from gblint.interp.state.call_args import Args, says_less
from gblint.interp.state.constructor_calls import ConstructorCalls
from gblint.interp.state.frame import Frame, TracingMode
from gblint.interp.state.open_methods import OpenMethods
from gblint.project.modules import Module
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import dataclass, field
from gblint.values.base import TRUE, Union, Unknown, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import join, join_all
from gblint.values.objects import BoundMethod, BuiltinMethod, Class, Function, Instance, is_nn_module
from gblint.values.shapes import shape
from gblint.values.wrapped import Wrapped

MAX_ALIKE = 4
"""Objects of one class and with parts of the same classes, such as the layers of a model, that one place compiles."""


@dataclass(frozen=True, slots=True)
class CompiledCall:
    """An eager call of a compiled object; ``value`` is the object, or a union of those that it may be.

    free: the free variables of a function that hold objects or functions, with their values at the time of the call.
    """

    args: Args
    value: Value
    module: Module
    node: ast.AST
    function: str
    mode: TracingMode
    free: tuple[tuple[str, Value], ...] = ()


@dataclass(slots=True)
class CompiledObject:
    """An object that the project compiles, with the options and the calls of the result.

    sites: the arguments of each call that is seen, with what was compiled there.
    eager: the stances under which it is called and runs eagerly.
    under: the value of ``error_on_graph_break`` around each call, or around the compiled callable itself.
    undone: the place of a mark on the result, because of which nothing is compiled.
    ignored: the kind of a mark on the compiled function that has no effect.
    seen_in: the files that lead to it, each with the value that is compiled there.
    given: values that do not rest on the annotation of a parameter alone.
    usual: the one of several values that the declared defaults choose.
    incomplete: whether more subclasses stand behind the object than are followed.
    in_other_branches: for each time that it is compiled, the value, and the attributes that only branches store which
        exclude the compilation.
    """

    node: ast.AST
    module: Module
    value: Value
    options: dict[str, Value]
    kind: EntryKind
    owner: Class | None = None
    sites: list[tuple[Args, Value]] = field(default_factory=list)
    calls: list[CompiledCall] = field(default_factory=list)
    under: list[tuple[bool | None, OptionSource | None]] = field(default_factory=list)
    eager: list[OptionSource] = field(default_factory=list)
    undone: OptionSource | None = None
    ignored: str = ""
    seen_in: list[tuple[Value, str]] = field(default_factory=list)
    given: list[Value] = field(default_factory=list)
    usual: Value | None = None
    incomplete: bool = False
    in_other_branches: list[tuple[Value, dict[Place, OtherValue]]] = field(default_factory=list)

    def other_values_of(self, target: Value) -> tuple[OtherValue, ...]:
        """Return the attributes that other branches than those that compile ``target`` store."""
        own = [others for value, others in self.in_other_branches if target in members(value)]
        if not own:
            return ()
        return tuple([other for place, other in own[0].items() if all(place in each for each in own)])

    def is_in(self, node: ast.AST) -> bool:
        """Return whether ``node`` contains the compiling expression, or is decorated with it."""
        return node in getattr(self.node, "decorator_list", ()) or any(
            each is self.node for each in ast_walk.walk(node)
        )

    def called(self, site: CompiledCall) -> None:
        """Add a call; an evaluation of the same call of which more is known stands for it, or takes its place."""
        same = [each for each in self.calls if each.node is site.node and each.value == site.value]
        if any(says_less(site.args, each.args) for each in same):
            return
        for each in same:
            if says_less(each.args, site.args):
                number = self.calls.index(each)
                del self.calls[number], self.under[number]
                self.sites = [known for known in self.sites if known[0] is not each.args]
        self.sites.append((site.args, site.value))
        self.calls.append(site)
        self.under.append((site.mode.error_on_break, site.mode.option_source))

    def sites_of(self, target: Value) -> list[Args]:
        """Return the arguments of the calls that may be calls of ``target``, one of the objects compiled here."""
        own = [args for args, value in self.sites if _may_be(value, target)]
        return own or [args for args, _ in self.sites]

    def calls_of(self, target: Value) -> list[CompiledCall]:
        """Return the calls that may be calls of ``target``, one of the objects compiled here."""
        return [call for call in self.calls if _may_be(call.value, target)] or self.calls


@dataclass(frozen=True, slots=True, eq=False)
class UnknownTarget:
    """An expression that is compiled and of whose value nothing is known, or only that it is a module.

    ``target`` is the expression, ``node`` the call that compiles it.
    """

    module: Module
    node: ast.AST
    target: ast.expr
    value: Value
    kind: EntryKind


@dataclass(slots=True)
class UnknownTargets:
    """The compiled expressions of unknown value.

    by_place: each with its path, line and column.
    passing_calls: calls of functions that compile an argument, which pass something known, or what a caller passes.
    """

    by_place: dict[tuple[str, int, int], UnknownTarget] = field(default_factory=dict)
    passing_calls: set[ast.AST] = field(default_factory=set)

    def left(self) -> list[UnknownTarget]:
        """Return the expressions for which no other call or caller tells more."""
        return [each for each in self.by_place.values() if each.node not in self.passing_calls]


@dataclass(frozen=True, slots=True, eq=False)
class CompiledRef(Value):
    """A compiled callable, with the place where it was compiled."""

    compiled: CompiledObject


def _may_be(value: Value, target: Value) -> bool:
    """Return whether ``value`` may be ``target``: it is, or it stands for any object of a class."""
    return any(each == target or not _is_one_object(each) for each in members(value))


def _is_one_object(value: Value) -> bool:
    receiver = receiver_of(value)
    return isinstance(receiver, Function) or (isinstance(receiver, Instance) and not receiver.from_defaults)


# Methods that are called by way of the class or of the object.
_OF_CLASS = ("__init__", "__new__", "__call__", "__post_init__", "__enter__")


def is_method_of_given(value: Value, given: Value) -> bool:
    """Return whether a bound method is that of another object with the same name as a method which callers pass."""
    if not isinstance(value, BoundMethod) or not isinstance(given, BoundMethod):
        return False
    names = [each.function.name.rpartition(".")[2] for each in (value, given) if isinstance(each.function, Function)]
    return len(set(names)) < 2


def receiver_of(value: Value) -> Value:
    """Return the object behind a method."""
    while isinstance(value, (BoundMethod, Wrapped)):
        value = value.receiver if isinstance(value, BoundMethod) else value.function
    return value


def own_forward(module: Instance) -> Value | None:
    """Return the ``forward`` that is stored on a module and runs in place of that of its class.

    A module, also a compiled one, becomes a submodule called ``forward``, and the method of the class is found before
    it (``Module.__setattr__`` in torch/nn/modules/module.py).
    """
    found = module.attrs.get("forward")
    methods = () if found is None else [each for each in members(found) if not _may_be_module(each)]
    return join_all(methods) if methods else None


def _may_be_module(value: Value) -> bool:
    """Return whether a value may be a module or a compiled module."""
    return any(_may_be_module(v.function) if isinstance(v, Wrapped) else is_nn_module(v) for v in members(value))


def _without_call_method(value: Value) -> Value:
    """Return the module of ``module.__call__``, or of a ``forward`` that only subclasses define."""
    if not isinstance(value, BuiltinMethod) or not isinstance(value.receiver, Instance):
        return value
    module = value.receiver
    is_call = value.name == "__call__" or (value.name == "forward" and isinstance(module.cls, Class))
    return module if is_call and is_nn_module(module) else value


def _open_names(function: Function) -> set[str]:
    """Return the unknown variables of enclosing functions that a function reads."""
    cells = {} if function.scope is None else function.scope.cells
    open_names = {name for name, value in cells.items() if _is_open(value)}
    return open_names & {n.id for n in ast_walk.walk(function.node) if isinstance(n, ast.Name)} if open_names else set()


def _called_by(function: Function) -> set[str]:
    """Return the variables that a function calls, or of which it calls a method."""
    called = [node.func for node in ast_walk.walk(function.node) if isinstance(node, ast.Call)]
    objects = [each.value if isinstance(each, ast.Attribute) else each for each in called]
    return {each.id for each in objects if isinstance(each, ast.Name)}


def _is_open(value: Value) -> bool:
    """Return whether a value is unknown, or a container of unknown values such as ``*args``."""
    if isinstance(value, Seq):
        return value.items is None and isinstance(value.rest, Unknown)
    return isinstance(value, Unknown) or (isinstance(value, Mapping) and isinstance(value.rest, Unknown))


def _stands_for(known: Value, value: Value) -> bool:
    """Return whether ``known`` has an object that stands for any of the class of ``value``, which does so, too."""
    receiver = _assumed_receiver(value)
    others = [_assumed_receiver(each) for each in members(known) if type(each) is type(value)]
    return receiver is not None and any(each is not None and each.cls == receiver.cls for each in others)


def _assumed_receiver(value: Value) -> Instance | None:
    """Return the object that a compiled value is, or whose method it is, if it stands for any object of its class."""
    receiver = receiver_of(value)
    return receiver if isinstance(receiver, Instance) and receiver.from_defaults else None


def _has_alike(known: Value, value: Value) -> bool:
    """Return whether MAX_ALIKE of the objects or methods in ``known`` have the class and the shape of ``value``."""
    receiver = receiver_of(value)
    if not isinstance(receiver, Instance) or value in members(known):
        return False
    others = [receiver_of(each) for each in members(known) if type(each) is type(value)]
    same = [each for each in others if isinstance(each, Instance) and each.cls == receiver.cls]
    return len(same) >= MAX_ALIKE and sum([shape(each) == shape(receiver) for each in same]) >= MAX_ALIKE


def _is_less_known(value: Value, other: Value) -> bool:
    """Return whether two values are the same nested function, and only ``value`` has unknown variables around it."""
    if not isinstance(value, Function) or not isinstance(other, Function) or value.node is not other.node:
        return False
    return bool(_open_names(value)) and not _open_names(other)


def _receivers(value: Value) -> list[Value]:
    return [receiver_of(member) for member in members(value)]


def _called_as(function: Function) -> set[tuple[str, str]]:
    """Return the names under which a function is called, each with its module; a constructor has that of its class."""
    names = function.name.split(".")
    if function.owner is not None:
        names = names[-2:-1] if names[-1] in _OF_CLASS else [".".join(names[-2:])]
    return {(function.module.name, name) for name in names}


def _takes_parts(cls: Class) -> bool:
    """Return whether the constructor of a class takes more than numbers and flags."""
    init = open_methods.constructor(cls)
    if init is None:
        return False
    spec = init.args
    required = len(spec.posonlyargs) + len(spec.args) - len(spec.defaults) > 1
    required |= any(default is None for default in spec.kw_defaults)
    defaults = [*spec.defaults, *filter(None, spec.kw_defaults)]
    return required or spec.vararg is not None or spec.kwarg is not None or not all(map(_is_number, defaults))


def _is_number(default: ast.expr) -> bool:
    """Return whether a default is a number or a flag."""
    node = default.operand if isinstance(default, ast.UnaryOp) else default
    return isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float))


class Compilation:
    """The compiled objects of a project, and everything around them that decides what is compiled.

    objects: the objects that the project compiles.
    compilers: qualified names of functions that compile their argument, from the configuration.
    has_compile_method: the project defines a function or method ``compile``, whose calls may have any arguments.
    compiling_functions: functions of the project that compile one of their parameters: module name and part of the
        qualified name; of a method its class and its name.
    unknown_targets: the compiled expressions whose value is unknown.
    decorators: calls of ``torch.compile`` that were evaluated without an object, and made a decorator.
    call_site: the project's call of a library method that compiles something; reported in place of the library's line.
    scanned_module: the module that is searched for compiled objects at the moment.
    marks: marks of ``torch.compiler`` on functions and classes ("disabled", "in_graph", ...), by node.
    substitutes: functions that replace others (``substitute_in_graph``).
    custom_operators: custom operators, by their qualified name.
    config_settings: settings of ``torch._dynamo.config`` at the top level of a module, as fields of a TracingMode.
    setting_statements: the statements at the top of a module that may change a setting, with all functions and classes.
    entry_module: the module that compiles the current entry point.
    assumed: the objects that stand for the parameters of the function that is searched.
    spared: constructors, each with a subclass whose own constructor runs it without compiling anything.
    limited: places where more objects may be chosen than are followed, with their source text.
    left_out: lines outside of any region in which some of the objects are more than are followed.
    open_methods: the methods that compile a part of their object, of unknown value.
    constructor_calls: the arguments that the project's calls of classes pass.
    """

    def __init__(self) -> None:
        self.spared: set[tuple[ast.AST, Class]] = set()
        self.limited: dict[tuple[str, int], str] = {}
        self.left_out: set[tuple[Module, int]] = set()
        self.objects: list[CompiledObject] = []
        self.compilers: frozenset[str] = frozenset()
        self.has_compile_method = True
        self.compiling_functions: set[tuple[str, str]] = set()
        self.unknown_targets = UnknownTargets()
        self.decorators: set[ast.AST] = set()
        self.call_site: tuple[ast.AST, Module] | None = None
        self.scanned_module: Module | None = None
        self.marks: dict[ast.AST, type[Wrapped]] = {}
        self.substitutes: dict[Value, Value] = {}
        self.custom_operators: dict[str, str] = {}
        self.config_settings: dict[Module, dict[str, Any]] = {}
        self.setting_statements: dict[Module, list[ast.stmt]] = {}
        self.entry_module: Module | None = None
        self.assumed = AssumedObjects()
        self.open_methods = OpenMethods()
        self.constructor_calls = ConstructorCalls()

    def note(
        self, frame: Frame, node: ast.AST, value: Value, options: dict[str, Value], kind: EntryKind, owner: Class | None
    ) -> CompiledObject | None:
        """Note that code outside of any region compiles ``value``; None in a region or with ``disable=True``.

        Objects that are compiled at one place, for example in a loop, are one entry point; functions that are passed to
        a helper which compiles them are several.
        """
        if frame.mode.tracing or options.get("disable") == TRUE:
            return None
        usual = value.usual if isinstance(value, Union) else None
        value = join_all(map(_without_call_method, members(value)))
        assumed = [each for each in _receivers(value) if each in self.assumed]
        if any(each is not self.assumed.receiver for each in assumed):
            self.follow_callers(frame)
        elif assumed:
            self._follow_constructions(assumed[0])
        if isinstance(node, ast.Call) and node.args and open_methods.is_named_by_value(node.args[0]):
            self._note_open_method(frame, node.args[0])
        if isinstance(value, Function) and _open_names(value) & (frame.parameters | _called_by(value)):
            self.follow_callers(frame)
        for known in self.objects:
            if known.node is node and _is_less_known(value, known.value):
                return known
            if known.node is node and assumed and any(map(partial(is_method_of_given, value), known.given)):
                return known
            if known.node is node and (_is_less_known(known.value, value) or self._replaces(known, value)):
                known.value = value
                known.given.clear()
                self._add(known, value)
                return known
            if known.node is node and (known.value == value or not isinstance(value, (Function, BoundMethod))):
                known.usual = known.usual or usual
                self._add(known, value)
                return known
        module = frame.module
        if module.origin == "library" and self.call_site is not None:
            node, module = self.call_site
        compiled = CompiledObject(node, module, value, options, kind, owner, usual=usual)
        self.objects.append(compiled)
        self._add(compiled, value)
        return compiled

    def _add(self, compiled: CompiledObject, value: Value) -> None:
        """Add a value to those that are compiled at one place; the first ones of too many, or of too many alike."""
        others = [v for v in members(value) if not _has_alike(compiled.value, v)]
        if self.constructor_calls.wanted:
            # Of what was known before the second search, the objects of that search stay.
            others = [v for v in others if v in members(compiled.value) or not _stands_for(compiled.value, v)]
        if not others:
            return
        value = value if len(others) == len(members(value)) else join_all(others)
        compiled.given += [v for v in others if receiver_of(v) not in self.assumed and v not in compiled.given]
        joined = join(compiled.value, value)
        if not isinstance(joined, Unknown) or isinstance(value, Unknown):
            compiled.value = joined
        self._note_file(compiled, value)

    def _replaces(self, known: CompiledObject, value: Value) -> bool:
        """Return whether a method of an object that the project makes replaces that of an assumed one."""
        if not isinstance(value, BoundMethod) or not isinstance(known.value, BoundMethod) or known.given:
            return False
        return value.function == known.value.function and receiver_of(value) not in self.assumed

    def _follow_constructions(self, receiver: Value) -> None:
        """Note that a method compiles its own object: the arguments of the constructor decide what that is."""
        if isinstance(receiver, Instance) and isinstance(receiver.cls, Class) and _takes_parts(receiver.cls):
            self.compiling_functions.add((receiver.cls.module.name, receiver.cls.name))

    def note_left_out(self, frame: Frame, node: ast.AST) -> None:
        """Note a place outside of any region where there may be more objects than are followed."""
        if not frame.mode.tracing:
            self.left_out.add((frame.module, getattr(node, "lineno", 0)))

    def compiled_in_place(self, module: Instance) -> CompiledObject | None:
        """Return what the method ``compile`` of a module has compiled; None if it was not called."""
        compiled = (each for each in self.objects if each.kind == "method")
        return next((each for each in compiled if any(value is module for value in members(each.value))), None)

    def compiled_modules(self) -> list[Value]:
        """Return the modules whose method ``compile`` was called."""
        return [value for each in self.objects if each.kind == "method" for value in members(each.value)]

    def has_compiled_in(self, node: ast.AST) -> bool:
        """Return whether something that is compiled inside ``node`` was noted."""
        inside = {each.node for each in self.objects} | {each.node for each in self.unknown_targets.by_place.values()}
        return not inside.isdisjoint(ast_walk.walk(node))

    def follow_callers(self, frame: Frame) -> None:
        """Note that the function of ``frame`` compiles something that depends on its callers."""
        frame.summary.compiled_arguments.from_callers = True
        if frame.function is not None:
            self.note_compiling(frame.function)

    def note_compiling(self, function: Function) -> None:
        """Note that a function compiles one of its parameters, by the names under which it is called."""
        self.compiling_functions |= _called_as(function)

    def compiles_argument_of(self, function: Function) -> bool:
        """Return whether a function is known to compile one of its parameters."""
        return not self.compiling_functions.isdisjoint(_called_as(function))

    def note_constructed(self, constructor: ast.AST, cls: Class, *, complete: bool) -> None:
        """Note that an object of ``cls`` was made, by its own constructor, which may run that of its base class.

        constructor: the constructor of the base class, which compiles a method of the object.
        complete: the code was evaluated to its end.
        """
        receivers = [r for each in self.objects if each.is_in(constructor) for r in _receivers(each.value)]
        if any(isinstance(each, Instance) and each.cls == cls for each in receivers):
            self.spared.discard((constructor, cls))
        elif complete:
            self.spared.add((constructor, cls))

    def is_spared(self, compiled: CompiledObject, cls: Class) -> bool:
        """Return whether objects of ``cls`` are made without the compilation in the constructor of their base class."""
        return any(compiled.is_in(constructor) for constructor, each in self.spared if each == cls)

    def note_unknown(self, frame: Frame, node: ast.AST, target: ast.expr | None, value: Value, kind: EntryKind) -> None:
        """Note that code outside of any region compiles an expression of unknown value."""
        module = frame.module
        if frame.mode.tracing:
            return
        if module.origin == "library":
            if self.call_site is None:
                return
            node, module = self.call_site
            target = node if isinstance(node, ast.expr) else None
        if target is not None:
            self._note_open_method(frame, target)
            place = (module.display, target.lineno, target.col_offset)
            self.unknown_targets.by_place.setdefault(place, UnknownTarget(module, node, target, value, kind))

    def _note_open_method(self, frame: Frame, target: ast.expr) -> None:
        """Note the method of ``frame`` if it compiles a part of the assumed object for which it is searched."""
        receiver, function = self.assumed.receiver, frame.function
        if not isinstance(receiver, Instance) or not isinstance(receiver.cls, Class) or function is None:
            return
        names = [each.arg for each in function.node.args.args[:1]]
        if names and frame.variables.get(names[0]) is receiver:
            parts = open_methods.read_parts(receiver.cls, function.node, names[0], target)
            if open_methods.ANY in parts or not open_methods.given_parts(receiver.cls).isdisjoint(parts):
                self.open_methods.add(receiver.cls, function)

    def note_made(self, frame: Frame, cls: Class, args: Args) -> None:
        """Note that a function makes an object of a class from unknown arguments, which come from its callers."""
        if frame.function is None or not any(owner in self.open_methods.by_class for owner in cls.mro):
            return
        if any(isinstance(v, Unknown) or v in self.assumed for v in args.all()):
            self.open_methods.makers |= _called_as(frame.function)

    def _note_file(self, compiled: CompiledObject, value: Value) -> None:
        if self.scanned_module is not None and self.scanned_module.origin != "library":
            compiled.seen_in.append((value, str(self.scanned_module.path)))
