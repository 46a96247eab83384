"""Assignment to names, attributes and items, and destructuring."""

from __future__ import annotations

import ast

from gblint.interp.domain import (
    call_state,
    container_aliases,
    parameter_usage,
    reach,
    released_variables,
    stored_items,
    unusual_stores,
)
from gblint.interp.domain.access_paths import access_path, table_of_default
from gblint.interp.domain.containers import with_item
from gblint.interp.domain.dtypes import dtype_family
from gblint.interp.evaluator import subscripts
from gblint.interp.models.python import (
    divergence,
    exceptions,
    input_containers,
    split_lists,
    super_and_descriptors,
    uncaught,
)
from gblint.interp.models.torch import (
    autograd_calls,
    captured_functions,
    nn_module_mutation,
    opaque_types,
    tensor_hooks,
    torch_functions,
)
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.trace_ir import FunctionSummary
from gblint.runtime import ast_walk
from gblint.values import folding
from gblint.values.base import BOTTOM, FALSE, NONE, TRUE, UNKNOWN, Const, Tensor, Union, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import as_input, join, join_all
from gblint.values.objects import Class, ExternalName, ExternalObject, Function, Instance, Partial, Scope, is_nn_module
from gblint.values.wrapped import CompiledFunction, Property, Wrapped


def assign(interp: Interpreter, target: ast.expr, value: Value, frame: Frame) -> None:
    """``target = value``."""
    if isinstance(target, ast.Name):
        if frame.names.outer_names.get(target.id, frame.scope) is None:
            tensor_hooks.check_stored(interp, value, frame, target)
        _assign_name(interp, target, value, frame)
    elif isinstance(target, ast.Attribute):
        _assign_attribute(interp, target, value, frame)
    elif isinstance(target, ast.Subscript):
        _assign_item(interp, target, value, frame)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(interp, target.elts, value, frame, target)
    elif isinstance(target, ast.Starred):
        assign(interp, target.value, value, frame)


def _assign_name(interp: Interpreter, target: ast.Name, value: Value, frame: Frame) -> None:
    name = target.id
    if name in frame.names.outer_names:
        scope = frame.names.outer_names[name]
        captured_functions.write_name(interp, scope, name, frame, target)
        if scope is None:
            _store_global(interp, name, value, frame)
        else:
            _store_in(interp, scope, name, value, frame)
        return
    if value == NONE and not frame.mode.tracing and _is_released(target, frame):
        return
    frame.scope.cells[name] = value
    frame.names.rebound.add(name)
    if name in frame.refined:
        forget_attributes(frame, name)


def _is_released(target: ast.Name, frame: Frame) -> bool:
    return frame.function is not None and released_variables.is_released(frame.function.node, target)


def _store_global(interp: Interpreter, name: str, value: Value, frame: Frame) -> None:
    place = (frame.module.name, name)
    if place not in interp.caches.globals:
        interp.module_attribute(frame.module, name)  # what the module binds to it before
    old = interp.caches.globals.get(place, BOTTOM)
    usual = old.usual if isinstance(old, Union) else None
    interp.caches.globals[place] = new = join(old, value) if usual is None else reach.expected(join(old, value), usual)
    call_state.note_stored(interp, frame, None, name, old, new)
    call_state.note_eager(interp, frame.module.name, name, old)
    interp.note_change(frame, old, new)


def _store_in(interp: Interpreter, scope: Scope | None, name: str, value: Value, frame: Frame) -> None:
    while scope is not None:
        if name in scope.cells:
            old = scope.cells[name]
            scope.cells[name] = new = join(old, value)
            call_state.note_stored(interp, frame, None, name, old, new)
            interp.note_change(frame, old, new)
            return
        scope = scope.parent


def forget_attributes(frame: Frame, name: str) -> None:
    """Drop the narrowed attributes of a variable that has a new value or was passed to other code."""
    if name.partition(".")[0] not in frame.refined:
        return
    variables = frame.variables
    prefix, key = f"@{name}.", f".[{name}]"
    for place in [n for n in variables if n[0] == "@" and (n.startswith(prefix) or n.endswith(key))]:
        del variables[place]


def _unpack(interp: Interpreter, targets: list[ast.expr], value: Value, frame: Frame, node: ast.AST) -> None:
    starred = next((i for i, t in enumerate(targets) if isinstance(t, ast.Starred)), None)
    if starred is None:
        uncaught.check_unpacking(interp, value, len(targets), frame, node)
    alternatives = _fitting(value, len(targets)) if starred is None else members(value)
    parts = [_split(interp, member, len(targets), starred, frame, node) for member in alternatives]
    usable = [p for p in parts if p is not None]
    guessed = all(isinstance(each, Tensor) and not each.proven and not each.is_input for each in alternatives)
    guessed = guessed and _unpacks_call(interp, node, frame)
    for index, target in enumerate(targets):
        part = join_all(p[index] for p in usable) if usable else UNKNOWN
        assign(interp, target, UNKNOWN if guessed and _is_number(interp, target, frame) else part, frame)


def _unpacks_call(interp: Interpreter, target: ast.AST, frame: Frame) -> bool:
    """Return whether what is unpacked into ``target`` is the result of a call."""
    if frame.function is None:
        return False
    function, known = frame.function.node, interp.caches.syntax.unpacked_calls
    if function not in known:
        assigned = (node for node in ast_walk.walk(function) if isinstance(node, ast.Assign))
        known[function] = frozenset(t for node in assigned if isinstance(node.value, ast.Call) for t in node.targets)
    return target in known[function]


def _is_number(interp: Interpreter, target: ast.expr, frame: Frame) -> bool:
    """Return whether a function uses what it unpacks as a number: ``x, height, width = self.embed(x)``."""
    if not isinstance(target, ast.Name) or frame.function is None:
        return False
    return parameter_usage.is_no_tensor(interp, frame.function, target.id)


def _fitting(value: Value, count: int) -> tuple[Value, ...]:
    """Return the alternatives of a value that is unpacked: not a tensor beside a sequence of ``count`` items.

    A function returns ``x, weights`` or ``x``, and its caller unpacks the result under the same condition.
    """
    alternatives = members(value)
    if any(isinstance(each, Seq) and each.items is not None and len(each.items) == count for each in alternatives):
        return tuple(each for each in alternatives if not isinstance(each, Tensor))
    return alternatives


def _split(
    interp: Interpreter, value: Value, count: int, starred: int | None, frame: Frame, node: ast.AST
) -> list[Value] | None:
    """Return ``value`` in ``count`` parts; None if it cannot be unpacked so."""
    if isinstance(value, Const):
        return None
    # Dynamo runs a generator to its end to see whether it has too many items.
    divergence.check_endless(interp, value, frame, node)
    items = interp.items_of(value, frame, node)
    if items is None:
        item = interp.item_of(value, frame, node)
        known = value.first[: count if starred is None else starred] if isinstance(value, Seq) else ()
        if isinstance(value, Seq) and known and len(known) == len(value.first):
            item = value.later  # the other parts come after all those that are known one by one
        parts = [*known, *[item] * (count - len(known))]
        if starred is not None:
            parts[starred] = Seq("list", None, item)
        return parts
    if starred is None:
        return list(items) if len(items) == count else None
    after = count - starred - 1
    if len(items) < count - 1:
        return None
    middle = Seq("list", tuple(items[starred : len(items) - after]))
    return [*items[:starred], middle, *items[len(items) - after :]]


def _assign_attribute(interp: Interpreter, target: ast.Attribute, value: Value, frame: Frame) -> None:
    base = interp.eval(target.value, frame)
    for member in [part for each in members(base) for part in _stored_in(each)]:
        if isinstance(member, Instance):
            interp.set_attribute(member, target.attr, value, frame, target)
        elif isinstance(member, Tensor):
            _tensor_attribute(interp, member, target, value, frame)
        elif isinstance(member, (Function, Partial)):
            if isinstance(member, Function) and frame.function is not None and member.scope is frame.scope:
                continue  # made by the running function
            interp.emit(frame, target, "construct", "function-attribute", ("setattr-on-unsupported-type",))
        elif isinstance(member, ExternalObject):
            exceptions.set_attribute(interp, member, target.attr, frame, target)
            if member.cls == torch_functions.P2P:
                interp.emit(frame, target, "collective", "torch.distributed.P2POp.attribute", ("p2pop-mutation",))
        elif isinstance(member, Class):
            if interp.knowledge.event("construct", "class-attribute") is not None:
                interp.emit(frame, target, "construct", "class-attribute")
            divergence.note_class_store(member, target.attr, frame)
            old = member.attrs.get(target.attr, BOTTOM)
            # After `C.f = mark(C.f)` at the top of a module the cached attribute is stale.
            replaced = _wraps_again(interp, value, old, frame)
            replaced = replaced or (frame.function is not None and frame.function.name.endswith("__init_subclass__"))
            if isinstance(value, Function) and isinstance(old, Function) and value.scope is frame.scope:
                if value.node is old.node:
                    continue  # the function that replaces a method was called before
                replaced = replaced or any(each is old for each in frame.variables.values())
            member.attrs[target.attr] = new = value if replaced else join(old, value)
            call_state.note_stored(interp, frame, member, target.attr, old, new)
            interp.caches.class_attributes.clear()
            interp.note_change(frame, old, new)
    place = access_path(target)
    if place is not None:
        forget_attributes(frame, place[1:])
        refine(frame, place, value)


def _stored_in(holder: Value) -> tuple[Value, ...]:
    """Return the objects that get an attribute of a value: a compiled module hands it on to the module.

    See ``OptimizedModule.__setattr__`` in torch/_dynamo/eval_frame.py.
    """
    if isinstance(holder, CompiledFunction) and any(map(is_nn_module, members(holder.function))):
        return members(holder.function)
    return (holder,)


def _wraps_again(interp: Interpreter, value: Value, old: Value, frame: Frame) -> bool:
    """Return whether a method takes the place of the one that it wraps, in code that runs without a condition."""
    unconditional = frame.function is None or not (frame.mode.tracing or interp.effects.branch_path)
    if not unconditional or not isinstance(value, Wrapped):
        return False
    # The statement may be evaluated twice.
    return value.function == old or (isinstance(old, Wrapped) and value.function == old.function)


def refine(frame: Frame, place: str, value: Value) -> None:
    """Store the narrowed value of an attribute under its access path."""
    frame.refined.add(place[1:].partition(".")[0])
    frame.scope.cells[place] = value


def _keeps_default(interp: Interpreter, instance: Instance, name: str, frame: Frame) -> bool:
    """Return whether a store of a flag is ignored: on an unusual way of making an object, or in an unlikely branch."""

    if frame.mode.unlikely_branch and frame.mode.tracing:
        return is_nn_module(instance)
    if not frame.mode.non_default_branch or frame.mode.tracing:
        return False
    old = instance.attrs.get(name)
    if old is None and isinstance(instance.cls, Class):
        old = interp.class_attribute(instance.cls, name)
    return old in (TRUE, FALSE)


def _wraps_argument(interp: Interpreter, instance: Instance, name: str, value: Value, frame: Frame) -> bool:
    """Return whether a constructor wraps a method of its argument, which stands for all objects of its class.

    An example is a scheduler that counts the calls of ``optimizer.step``: other optimizers have none.
    """
    function = frame.function
    if frame.mode.tracing or not instance.from_defaults or function is None or not function.name.endswith("__init__"):
        return False
    parameters = function.node.args.args
    if not parameters or frame.variables.get(parameters[0].arg) is instance or isinstance(value, CompiledFunction):
        return False
    found = interp.class_attribute(instance.cls, name) if isinstance(instance.cls, Class) else None
    return isinstance(found, Function)


def set_attribute(
    interp: Interpreter, instance: Instance, name: str, value: Value, frame: Frame, node: ast.AST
) -> None:
    """Run ``instance.name = value``, through a property setter or ``__setattr__`` if there is one."""

    if _keeps_default(interp, instance, name, frame) or _wraps_argument(interp, instance, name, value, frame):
        return
    if name == "__dict__":
        input_containers.replace_dict(instance, value)
        interp.summary_cache.on_change(instance.uid)
    super_and_descriptors.structure(interp, instance, "c-level-descriptor-setattr", frame, node)
    if name == "__class__":
        interp.emit(frame, node, "construct", "class-assign", ("class-assignment-on-object",))
        return
    if isinstance(instance.cls, Class):
        hook = interp.class_attribute(instance.cls, "__setattr__")
        super_and_descriptors.hook(interp, "__setattr__", hook, frame, node)
        if frame.mode.tracing and isinstance(hook, Function) and hook.module.origin == "user":
            place = ("setattr", instance.uid)
            if place not in interp.calls.in_progress:
                interp.calls.in_progress.add(place)
                try:
                    interp.call(hook, Args((instance, Const(name), value)), frame, node)
                finally:
                    interp.calls.in_progress.discard(place)
        found = interp.class_attribute(instance.cls, name)
        if isinstance(found, Property):
            if found.setter is not None:
                interp.call(found.setter, Args((instance, value)), frame, node)
            return
        if isinstance(found, Instance) and isinstance(found.cls, Class):
            setter = interp.class_attribute(found.cls, "__set__")
            if isinstance(setter, Function):
                interp.call(setter, Args((found, instance, value)), frame, node)
                return
    if not frame.mode.tracing:
        value = as_input(value)
    captured_functions.set_attribute(interp, instance, name, value, frame, node)
    nn_module_mutation.check_buffer(interp, instance, value, frame, node)
    opaque_types.read(interp, instance, "__setattr__", frame, node)
    old = instance.attrs.get(name)
    call_state.note_stored(interp, frame, instance, name, BOTTOM if old is None else old, value)
    interp.store_attribute(instance, name, value)
    reach.stored(instance, name, old, value, interp.is_usual_branch)
    if name == "forward" and not frame.mode.tracing:
        unusual_stores.note(interp, instance, name)


def _tensor_attribute(interp: Interpreter, tensor: Tensor, target: ast.Attribute, value: Value, frame: Frame) -> None:
    """Report stores on tensors that Dynamo refuses (torch/_dynamo/variables/tensor.py)."""
    if target.attr == "requires_grad":
        if not frame.mode.tracing:
            autograd_calls.note_set(interp, frame, target.value, tensor, value)
        interp.emit(
            frame, target, "tensor-attribute", "requires_grad=", ("setattr-on-tensor-requires-grad",), about=tensor
        )
    elif target.attr == "data" and not tensor.is_input:
        interp.emit(frame, target, "tensor-attribute", "data=", ("tensor-data-mutation-failure",), about=tensor)
    elif target.attr in ("real", "imag"):
        interp.emit(
            frame, target, "tensor-attribute", f"{target.attr}=", ("failed-to-set-tensor-attribute",), about=tensor
        )


_CASTS = frozenset("float double half bfloat16 long int short bool byte to type cfloat cdouble".split())


def check_data(interp: Interpreter, target: ast.Attribute, value: ast.expr, frame: Frame) -> None:
    """Report ``p.data = p.data.double()``: Dynamo supports new data only if it has the same dtype."""
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _CASTS):
        return
    if value.func.attr in ("to", "type") and not any(_is_dtype(interp.eval(a, frame)) for a in value.args):
        return
    tensor = interp.eval(target.value, frame)
    if any(isinstance(v, Tensor) and v.is_input for v in members(tensor)):
        same = value.func.attr in ("float", "to", "type")
        interp.emit(
            frame,
            target,
            "tensor-attribute",
            "data=",
            ("tensor-data-mutation-to-other-dtype",),
            about=tensor,
            likely=same,
        )


def _is_dtype(value: Value) -> bool:

    return isinstance(value, ExternalName) and value.name.startswith("torch.") and dtype_family(value.name) is not None


def _assign_item(interp: Interpreter, target: ast.Subscript, value: Value, frame: Frame) -> None:
    container = interp.eval(target.value, frame)
    split_lists.check_store(interp, container, target, frame)
    index = interp.eval(target.slice, frame)
    new = join_all([subscripts.store(interp, v, index, value, frame, target) for v in members(container)])
    if new != container:
        store_back(interp, target.value, container, new, frame)
    if isinstance(container, (Seq, Mapping)):
        stored_items.store(target, index, value, frame)


def store_back(interp: Interpreter, target: ast.expr, old: Value, value: Value, frame: Frame) -> None:
    """Assign a container that was changed in place to the expression it came from, and to its other names."""
    value = folding.bounded(value)
    _store_at(interp, target, value, frame)
    stored_items.forget(target, frame)
    container_aliases.update(interp, frame, old, value)


def _store_at(interp: Interpreter, target: ast.expr, value: Value, frame: Frame) -> None:
    if isinstance(target, ast.Name):
        name = target.id
        if name in frame.variables and name not in frame.names.outer_names:
            container_aliases.note_mutation(frame, name, frame.variables[name])
            frame.variables[name] = value
        elif frame.scope.lookup(name) is not None:
            _store_in(interp, frame.scope.parent, name, value, frame)
        elif (frame.module.name, name) in interp.caches.globals:
            _store_global(interp, name, value, frame)
    elif isinstance(target, ast.Attribute):
        base = interp.eval(target.value, frame)
        for member in members(base):
            if isinstance(member, Instance) and target.attr == "__dict__":
                _update_dict(interp, member, value)
            elif isinstance(member, Instance):
                call_state.note_stored(interp, frame, member, target.attr, member.attrs.get(target.attr, BOTTOM), value)
                interp.store_attribute(member, target.attr, value)
            elif isinstance(member, Class):
                _store_in_class(interp, member, target.attr, value, frame)
        place_name = access_path(target)
        if place_name is not None:
            refine(frame, place_name, value)
    elif isinstance(target, ast.Subscript):
        _store_item_back(interp, target.value, target.slice, value, frame)
    elif isinstance(target, ast.Call) and (method := table_of_default(target)) is not None:
        _store_item_back(interp, method.value, target.args[0], value, frame)


def _store_item_back(interp: Interpreter, table: ast.expr, index: ast.expr, value: Value, frame: Frame) -> None:
    """Assign an item of a container that was changed in place."""
    container = interp.eval(table, frame)
    if isinstance(container, (Seq, Mapping)):
        new = with_item(container, interp.eval(index, frame), value)
        if new != container:
            store_back(interp, table, container, new, frame)


def _store_in_class(interp: Interpreter, cls: Class, name: str, value: Value, frame: Frame) -> None:
    """Store a container that was changed in place in the class that has it."""
    owner = next((each for each in cls.mro if name in each.attrs), cls)
    old = owner.attrs.get(name, BOTTOM)
    owner.attrs[name] = new = join(old, value) if frame.mode.tracing else value
    call_state.note_stored(interp, frame, owner, name, old, new)
    interp.caches.class_attributes.clear()
    interp.note_change(frame, old, new)


def destructure(interp: Interpreter, target: ast.expr, value: Value, frame: Frame) -> dict[str, Value]:
    """Return the names that ``target = value`` binds, with their values."""
    inner = Frame(frame.module, Scope({}, frame.scope), FunctionSummary("<module>", frame.module), frame.mode)
    assign(interp, target, value, inner)
    return {name: v for name, v in inner.variables.items() if not name.startswith("@")}


def forget_changed(node: ast.Call, frame: Frame, args: Args) -> None:
    """Drop narrowed attributes of the receiver and the arguments, which the call may change."""
    if not frame.refined:
        return
    base: ast.expr = node.func
    while isinstance(base, ast.Attribute):
        base = base.value
    names = [base.id] if isinstance(base, ast.Name) and isinstance(node.func, ast.Attribute) else []
    variables = frame.scope.cells
    names += [a.id for a in node.args if isinstance(a, ast.Name) and isinstance(variables.get(a.id), Instance)]
    for name in names:
        forget_attributes(frame, name)


def _update_dict(interp: Interpreter, instance: Instance, value: Value) -> None:
    """Run ``instance.__dict__.update(...)``: the items are attributes."""
    input_containers.replace_dict(instance, value)
    for key, item in value.entries if isinstance(value, Mapping) else ():
        if isinstance(key, Const) and isinstance(key.value, str) and instance.attrs.get(key.value) is not item:
            interp.store_attribute(instance, key.value, item)
