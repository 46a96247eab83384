"""The entry points that a compiled object makes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gblint.diagnostics.entry_point import EntryPoint
from gblint.entrypoints.calls_apart import calls_apart
from gblint.entrypoints.module_modes import ModuleModes
from gblint.entrypoints.region import option_source, region_of, with_toggles
from gblint.entrypoints.subclasses import behind, with_overrides
from gblint.interp import Entry
from gblint.interp.domain import free_variables, reach
from gblint.interp.evaluator import alternatives, input_values
from gblint.interp.models.python.type_tests import is_any_module
from gblint.interp.models.torch.dynamo_config import common_settings
from gblint.interp.state.call_args import Args
from gblint.interp.state.compilation import CompiledCall, CompiledObject, is_method_of_given, receiver_of
from gblint.interp.state.events import span_of
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.path_conditions import INPUT, OPTION, Condition
from gblint.interp.tracer import is_static, underlying
from gblint.project.modules import Module
from gblint.runtime import ast_text
from gblint.values.base import NONE, UNKNOWN, Const, Union, Unknown, Value, members, scalar_of
from gblint.values.lattice import as_input, join, join_all
from gblint.values.objects import (
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
from gblint.values.wrapped import Wrapped


def is_passed(compiled: CompiledObject) -> bool:
    """Return whether the project is seen to make the object, so that it does not rest on an annotation."""
    receivers = [each.receiver if isinstance(each, BoundMethod) else each for each in compiled.given]
    return any(isinstance(each, Instance) and not each.from_defaults for each in receivers)


def order(compiled: CompiledObject) -> tuple[str, int, bool, bool]:
    """Return the place of a compiled object; of one place, objects that are seen to be made and called come first."""
    return (compiled.module.display, getattr(compiled.node, "lineno", 0), not is_passed(compiled), not compiled.sites)


def entries_of(
    interp: Interpreter, compiled: CompiledObject, modes: ModuleModes, *, is_rival: bool = False
) -> Iterator[Entry]:
    """Yield the entry points of a compiled object, one for each callable that it may be.

    modes: what tells objects of one class apart.
    is_rival: the project is seen to make other objects that are compiled at the same place.
    """
    span = span_of(compiled.module, compiled.node)
    region = with_toggles(region_of(compiled.options, option_source(compiled)), compiled)
    for target in _called(interp, compiled, _targets(interp, compiled)):
        name = _name_of(target)
        if name is None:
            name = f"{compiled.module.name}:{_text(compiled)}"
        point = EntryPoint(name, span.path, span.line, compiled.kind, region)
        decorated = compiled.kind == "decorator"
        args = _args_of_decorated(interp, target, compiled) if decorated else _args_of(interp, target, compiled)
        bound = decorated and _is_bound(interp, target, compiled)
        assumed = input_values.of_class(interp, compiled.owner) if bound and compiled.owner and args else None
        calls = _calls(interp, compiled, target)
        free = free_variables.values_of(interp, target)
        apart = calls_apart(calls, args, modes, int(bound), assumed, free)
        # The only object on which it is called stands for all of them.
        receiver = apart[0].receiver if len(apart) == 1 else None
        files, first = _files(compiled, target), _first_call(compiled)
        apart = () if receiver is not None else apart
        chosen = _choice(compiled, target, is_rival)
        settings, owner = common_settings(calls), compiled.owner
        grad = not calls or any(call.mode.grad for call in calls)
        others = compiled.other_values_of(target)
        yield Entry(
            point, target, compiled.module, args, owner, first, files, apart, receiver, chosen, settings, grad, others
        )


def _choice(compiled: CompiledObject, target: Value, is_rival: bool) -> Condition | None:
    """Return the choice of ``target`` if the declared defaults or the visible calls choose another value."""
    ruled_out = compiled.usual is not None and target != compiled.usual
    if not (ruled_out or is_rival) or not isinstance(compiled.node, ast.Call):
        return None
    node = next(iter(compiled.node.args), compiled.node)
    receiver = target.receiver if isinstance(target, BoundMethod) else target
    return Condition(node, compiled.module, True, OPTION if ruled_out else INPUT, reach.name_of(receiver))


def _targets(interp: Interpreter, compiled: CompiledObject) -> list[Value]:
    """Return the callables that a compiled object may be.

    The values that callers pass have priority over the annotation of the parameter; subclasses replace an abstract
    class.
    """
    found = list(members(compiled.value))
    for value in found:
        receiver = value.receiver if isinstance(value, BoundMethod) else value
        if isinstance(receiver, Instance) and isinstance(receiver.cls, Class) and receiver.partial:
            interp.any_instance(receiver.cls)
    if any(_is_specific(v) for v in compiled.given):
        found = [v for v in found if v in compiled.given or not _is_replaced(v, compiled.given)]
    # Of equal objects the first one is traced: what the project makes comes before what annotations admit.
    found.sort(key=_is_assumed)
    known = [v for v in found if not is_any_module(v) and v != NONE]
    return [
        each for v in (known or found) for each in (behind(interp, compiled, v) or with_overrides(interp, compiled, v))
    ]


def _called(interp: Interpreter, compiled: CompiledObject, targets: list[Value]) -> list[Value]:
    """Return those of several callables whose parameters take the arguments of a visible call; all if none does."""

    def takes(target: Value) -> bool:
        sites = compiled.sites_of(target)
        return not sites or any(alternatives.may_take(interp, target, each) for each in sites)

    return [each for each in targets if takes(each)] or targets if len(targets) > 1 else targets


def _sites(interp: Interpreter, compiled: CompiledObject, target: Value) -> list[Args]:
    """Return the arguments of the visible calls that the parameters of ``target`` take; all if they take none.

    The other calls are those of another callable that is compiled at the same place.
    """
    sites = compiled.sites_of(target)
    return [each for each in sites if alternatives.may_take(interp, target, each)] or sites


def _calls(interp: Interpreter, compiled: CompiledObject, target: Value) -> list[CompiledCall]:
    """Return the visible calls whose arguments the parameters of ``target`` take; all if they take none."""
    calls = compiled.calls_of(target)
    return [each for each in calls if alternatives.may_take(interp, target, each.args)] or calls


def _is_replaced(value: Value, given: list[Value]) -> bool:
    """Return whether what callers pass stands in place of a value, as another method of the object does not."""
    return not isinstance(value, BoundMethod) or any(is_method_of_given(value, each) for each in given)


def _is_specific(value: Value) -> bool:
    receiver = value.receiver if isinstance(value, BoundMethod) else value
    return isinstance(receiver, Instance) and not is_any_module(receiver)


def _is_assumed(value: Value) -> bool:
    receiver = receiver_of(value)
    return isinstance(receiver, Instance) and receiver.from_defaults


def _files(compiled: CompiledObject, target: Value) -> frozenset[str]:
    """Return the project's files that lead to the compilation of ``target`` or call the result."""
    own = {path for value, path in compiled.seen_in if target in members(value)}
    calls = {str(site.module.path) for site in compiled.calls if site.module.origin != "library"}
    return frozenset(calls | (own or {path for _, path in compiled.seen_in}))


def _first_call(compiled: CompiledObject) -> tuple[Module, int] | None:
    if not compiled.calls:
        return None
    site = compiled.calls[0]
    return site.module, getattr(site.node, "lineno", 0)


def _text(compiled: CompiledObject) -> str:
    node = compiled.node
    if isinstance(node, ast.Call) and node.args:
        return ast_text.unparse(node.args[0])[:60]
    return "<unknown>"


def _name_of(target: Value) -> str | None:
    if isinstance(target, BoundMethod):
        inner = target.function
        while isinstance(inner, Wrapped):
            inner = inner.function
        cls = target.receiver.cls if isinstance(target.receiver, Instance) else target.receiver
        if isinstance(inner, Function) and isinstance(cls, Class):
            return f"{cls.module.name}:{cls.name}.{inner.name.rpartition('.')[2]}"
        return _name_of(inner)
    if isinstance(target, (Wrapped, Partial)):
        return _name_of(target.function)
    if isinstance(target, (Function, Class)):
        return f"{target.module.name}:{target.name}"
    if isinstance(target, Instance):
        if isinstance(target.cls, Class):
            return f"{target.cls.module.name}:{target.cls.name}"
        return target.cls.name if is_nn_module(target) else None
    if isinstance(target, BuiltinMethod) and isinstance(target.receiver, ExternalObject):
        return f"{target.receiver.cls}.{target.name}"
    if isinstance(target, BuiltinMethod) and isinstance(target.receiver, Class):
        return f"{_name_of(target.receiver)}.{target.name}"
    if isinstance(target, ExternalObject):
        return target.cls.partition(":")[0]
    return target.name if isinstance(target, ExternalName) else None


def _args_of_decorated(interp: Interpreter, target: Value, compiled: CompiledObject) -> Args | None:
    """Return the arguments of a decorated function: the kinds of values that calls pass, else those of the signature.

    Invisible callers may use it, too: a number or flag that a call passes is one of several, and a parameter that no
    call passes need not have its default.
    """
    function, _, cls = underlying(interp, target)
    bound = _is_bound(interp, target, compiled)
    # A call of a method passes the receiver first.
    sites = [each.drop(int(bound)) for each in compiled.sites_of(target) if each.star is None and each.kwstar is None]
    if not sites or function is None:
        return None
    guess = input_values.unknown_arguments(interp, function, cls, soft=False, bound=bound)
    names = [each.arg for each in (*function.node.args.posonlyargs, *function.node.args.args)][int(bound) :]
    pos = tuple(
        _passed(interp, sites, index, name, guess.pos[index]) for index, name in enumerate(names[: len(guess.pos)])
    )
    kw = {name: _passed(interp, sites, None, name, value) for name, value in guess.kw.items()}
    return Args(pos, kw, guess.star, guess.kwstar)


def _is_bound(interp: Interpreter, target: Value, compiled: CompiledObject) -> bool:
    """Return whether a decorated function is a method, which gets the receiver first."""
    return underlying(interp, target)[1] is not None or (compiled.owner is not None and not is_static(target))


def _passed(interp: Interpreter, sites: list[Args], index: int | None, name: str, guess: Value) -> Value:
    """Return the kinds of values that the calls pass for a parameter; the guess if one of them is unknown."""
    found: Value | None = None
    for site in sites:
        value = site.pos[index] if index is not None and index < len(site.pos) else site.kw.get(name)
        if value is None:
            continue
        for member in members(value):
            if isinstance(member, Unknown):
                return guess
            if isinstance(member, Const):
                member = join(NONE, guess) if member == NONE else scalar_of(member.value)
            found = member if found is None else join(found, member)
    return guess if found is None else as_input(found)


def _args_of(interp: Interpreter, target: Value, compiled: CompiledObject) -> Args | None:
    """Return the arguments that the visible calls pass; unknown ones are guessed from the signature."""
    sites = _sites(interp, compiled, target)
    if not sites:
        return None
    function, receiver, cls = underlying(interp, target)
    if function is None:
        return None
    guess = input_values.unknown_arguments(interp, function, cls, soft=False, bound=receiver is not None)
    width = max(len(s.pos) for s in sites)
    pos: list[Value] = []
    for index in range(width):
        value: Value | None = None
        for site in sites:
            if index < len(site.pos):
                value = site.pos[index] if value is None else join(value, site.pos[index])
        fallback = guess.pos[index] if index < len(guess.pos) else UNKNOWN
        pos.append(fallback if value is None or isinstance(value, Unknown) else as_input(_filled(value, fallback)))
    kw: dict[str, Value] = {}
    for site in sites:
        for key, value in site.kw.items():
            kw[key] = join(kw[key], value) if key in kw else as_input(value)
    star = next((s.star for s in sites if s.star is not None), None)
    if isinstance(star, Unknown):
        # ``compiled(*args)`` is as useless as no call.
        pos, star = [*pos, *guess.pos[len(pos) :]], guess.star
    kwstar = next((s.kwstar for s in sites if s.kwstar is not None), None)
    guessed = _by_name(function, guess, receiver is not None)
    if isinstance(kwstar, Unknown) and star is None:
        # ``compiled(**batch)`` may pass any of the others.
        kw = {**dict.fromkeys(list(guessed)[len(pos) :], UNKNOWN), **kw}
    kw = {
        k: reach.expected(guessed.get(k, v), None) if isinstance(v, Unknown) else _filled(v, guessed.get(k, v))
        for k, v in kw.items()
    }
    return Args(tuple(pos), {k: v for k, v in kw.items() if not isinstance(v, Unknown)}, star, kwstar)


def _filled(value: Value, guess: Value) -> Value:
    """Return a value that may be unknown, such as ``batch.get(name)``, with the guess in place of what is unknown."""
    if not isinstance(value, Union) or UNKNOWN not in value.members:
        return value
    guessed = [each for each in members(guess) if each != NONE and not isinstance(each, Unknown)]
    if not guessed:
        return value
    known = [each for each in value.members if each != UNKNOWN]
    return reach.expected(join_all([*known, *guessed]), value.usual)


def _by_name(function: Function, guess: Args, bound: bool) -> dict[str, Value]:
    """Return the guessed arguments by the names of the parameters, in order; those without a guess are left out."""
    spec = function.node.args
    names = [each.arg for each in (*spec.posonlyargs, *spec.args)][int(bound) :]
    return {**dict(zip(names, guess.pos)), **guess.kw}
