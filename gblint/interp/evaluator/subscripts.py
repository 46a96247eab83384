"""Subscripts: loads and stores of items of tensors, sequences, mappings and instances."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, Final

from gblint.interp.domain import (
    builtin_names,
    class_fields,
    stored_items,
    stored_keys,
    tensor_indices,
    tensor_layouts,
    tensordicts,
    unbacked_symints,
)
from gblint.interp.domain.containers import store_own_item, with_item
from gblint.interp.domain.dtypes import is_numpy_scalar
from gblint.interp.evaluator import chosen_objects, classes, external_items, library_registries
from gblint.interp.models.python import (
    container_methods,
    generic_aliases,
    input_containers,
    random_numbers,
    symbolic_sizes,
    type_slots,
    uncaught,
)
from gblint.interp.models.torch import captured_functions, hard_errors, tensor_subclasses, triton_kernels
from gblint.interp.state import trace_builder
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.runtime import ast_walk
from gblint.runtime.lazy_dataclasses import replace
from gblint.values import folding
from gblint.values.base import INT, NONE, STR, UNKNOWN, Const, Scalar, Tensor, Union, Unknown, Value, members
from gblint.values.containers import Mapping, Range, Seq, Slice
from gblint.values.dispatch import HandlersByClass
from gblint.values.lattice import element, is_text, join_all, open_ended
from gblint.values.objects import Class, ExternalName, ExternalObject, Function, Instance
from gblint.values.wrapped import TritonKernel

_Handler = Callable[[Interpreter, Any, Value, Frame, ast.AST], Value]
_StoreHandler = Callable[[Interpreter, Any, Value, Value, Frame, ast.Subscript], Value]


def subscript(interp: Interpreter, node: ast.expr, frame: Frame) -> Value:
    """``base[index]``."""
    assert isinstance(node, ast.Subscript)
    base = interp.eval(node.value, frame)
    index = interp.eval(node.slice, frame)
    if index == Const(0) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        if unbacked_symints.captures_shapes(frame.mode):
            owner = interp.eval(node.value.value, frame)
            if isinstance(owner, Tensor) and owner.unbacked:
                return unbacked_symints.LENGTH
    if chosen_objects.is_searched(interp, frame):
        chosen = chosen_objects.item(interp, base, node, index, frame)
        if chosen is not None:
            return chosen
    named = stored_items.load(node, index, frame)
    if named is None:
        named = chosen_objects.by_known_name(interp, node.value, index, frame)
    if named is None:
        named = library_registries.entry(interp, base, node.value, index, frame)
    return interp.get_item(base, index, frame, node) if named is None else named


def get(interp: Interpreter, base: Value, index: Value, frame: Frame, node: ast.AST) -> Value:
    """Return ``base[index]`` (Dynamo: ``mp_subscript_impl`` of the variables)."""
    return _HANDLERS[type(base)](interp, base, index, frame, node)


def _of_union(interp: Interpreter, base: Union, index: Value, frame: Frame, node: ast.AST) -> Value:
    """Return the join over the alternatives; None among them is left out, as it would raise.

    What is indexed by a tensor is mostly a tensor, and no list.
    """
    found = [v for v in base.members if v != NONE]
    if any(isinstance(v, Tensor) for v in members(index)) and any(isinstance(v, (Tensor, Unknown)) for v in found):
        found = [v for v in found if not isinstance(v, Seq)]
    return join_all(interp.get_item(v, index, frame, node) for v in found) if found else UNKNOWN


def _of_sequence(interp: Interpreter, base: Seq, index: Value, frame: Frame, node: ast.AST) -> Value:
    _tensor_bound(interp, index, frame, node, of_tensor=False)
    if isinstance(index, Slice):
        return _sliced(base, index)
    _check_tensor_index(interp, index, frame, node)
    if any(isinstance(v, Scalar) and v.origin == "data" for v in members(index)):
        interp.emit(frame, node, "tensor-to-python", "list-index", (), about=index)
    random_numbers.check_item(interp, base, index, frame, node)
    uncaught.check_item(interp, base, index, frame, node)
    return container_methods.at(base, index)


def _of_mapping(interp: Interpreter, base: Mapping, index: Value, frame: Frame, node: ast.AST) -> Value:
    input_containers.read(interp, base, frame, node)
    if random_numbers.is_random_number(index):
        random_numbers.report(interp, "key", ("observed-exception",), frame, node)
    if unbacked_symints.is_symbol(index):
        interp.emit(frame, node, "tensor-to-python", "list-index", (), about=index)
    uncaught.check_item(interp, base, index, frame, node)
    value = container_methods.value_at(base, index)
    if isinstance(value, Tensor) and value is base.rest and isinstance(index, Const) and isinstance(index.value, str):
        return UNKNOWN if stored_keys.holds_no_tensor(interp, index.value) else value
    return value


def _of_range(interp: Interpreter, base: Range, index: Value, frame: Frame, node: ast.AST) -> Value:
    return INT


def _of_constant(interp: Interpreter, base: Const, index: Value, frame: Frame, node: ast.AST) -> Value:
    return folding.part_of(base.value, index) if isinstance(base.value, str) else UNKNOWN


def _of_scalar(interp: Interpreter, base: Scalar, index: Value, frame: Frame, node: ast.AST) -> Value:
    type_slots.refused(interp, "getitem", base, frame, node)
    return STR if base.kind == "str" else UNKNOWN


def _of_class(interp: Interpreter, base: Class, index: Value, frame: Frame, node: ast.AST) -> Value:
    """Return ``Generic[T]``, which is ``Generic``, or the enum member ``Color["RED"]``."""
    if not base.inherits(*builtin_names.ENUMS):
        return generic_aliases.subscripted(interp, base, index, frame, node)
    if isinstance(index, Const) and isinstance(index.value, str):
        return interp.class_attribute(base, index.value) or UNKNOWN
    return join_all(classes.enum_members(interp, base)) if isinstance(index, (Scalar, Unknown)) else base


def _of_unknown(interp: Interpreter, base: Unknown, index: Value, frame: Frame, node: ast.AST) -> Value:
    """Return an item of an unknown value.

    ``x[:, 0]``, ``x[..., 0]`` and ``x[mask]`` show an array, which is mostly a tensor in traced code.
    """
    parts = index.items or () if isinstance(index, Seq) and index.cls == "tuple" else (index,)
    if frame.mode.tracing and any(isinstance(p, Tensor) and p.dtype == "bool" and p.rank != 0 for p in parts):
        return _of_tensor(interp, Tensor(proven=False), index, frame, node)
    if frame.mode.tracing and len(parts) > 1 and any(isinstance(p, Slice) or p == Const(...) for p in parts):
        return Tensor(proven=False)
    return base if base.hint == "tensor" else UNKNOWN


def _of_kernel(interp: Interpreter, base: TritonKernel, index: Value, frame: Frame, node: ast.AST) -> Value:
    return triton_kernels.with_grid(base, index)


def _of_other(interp: Interpreter, base: Value, index: Value, frame: Frame, node: ast.AST) -> Value:
    type_slots.refused(interp, "getitem", base, frame, node)
    return UNKNOWN


_FIRST: Final = (NONE, Const(1), NONE)
_LAST: Final = (Const(-1), NONE, NONE)


def _sliced(base: Seq, index: Slice) -> Value:
    parts = (index.lower, index.upper, index.step)
    if base.items is not None and all(isinstance(p, Const) for p in parts):
        bounds = [p.value for p in parts if isinstance(p, Const) and (p.value is None or isinstance(p.value, int))]
        if len(bounds) == 3 and bounds[2] != 0:
            return Seq(base.cls, base.items[slice(*bounds)])
        return UNKNOWN
    start = index.lower.value if isinstance(index.lower, Const) else None
    if base.first and isinstance(start, int) and start >= 0 and index.upper == NONE and index.step == NONE:
        return open_ended(base.cls, base.first[start:], base.later)
    if base.cls == "Size" and parts in (_FIRST, _LAST):  # a tensor has at least one dimension
        return Seq(base.cls, (element(base),))
    return Seq(base.cls, None, element(base))


def _of_instance(interp: Interpreter, base: Instance, index: Value, frame: Frame, node: ast.AST) -> Value:

    of_tensors = tensordicts.item(base, index)
    if of_tensors is not None:
        return of_tensors
    items = base.attrs.get("__items__")
    if isinstance(base.cls, Class):
        method = interp.class_attribute(base.cls, "__getitem__")
        if isinstance(method, Function) and not (
            base.cls.inherits("collections.OrderedDict") and class_fields.is_dataclass(base.cls)
        ):
            return interp.call(method, Args((base, index)), frame, node)
        if class_fields.is_dataclass(base.cls) or base.cls.inherits("typing.NamedTuple"):
            return _of_record(base, index)
    if items is not None:
        _check_tensor_index(interp, index, frame, node)
        if isinstance(items, Seq) and isinstance(index, Slice):
            _tensor_bound(interp, index, frame, node, of_tensor=False)
            sliced = Instance(base.cls, from_defaults=base.from_defaults, branch_id=interp.branch_id)
            sliced.attrs["__items__"] = _sliced(items, index)
            return sliced
        return interp.get_item(items, index, frame, node)
    if isinstance(base.cls, ExternalName) and isinstance(index, Slice):
        return base
    tensor = tensor_subclasses.plain(interp, base)
    if isinstance(tensor, Tensor):
        return tensor_subclasses.wrapped(interp, _of_tensor(interp, tensor, index, frame, node), base)
    return UNKNOWN


def _of_record(base: Instance, index: Value) -> Value:
    """Return an item of a ``ModelOutput`` or a named tuple: a field by name, or a set field by position."""
    assert isinstance(base.cls, Class)

    if isinstance(index, Const) and isinstance(index.value, str):
        return base.attrs.get(index.value, UNKNOWN)
    values = [base.attrs.get(name, UNKNOWN) for name, *_ in class_fields.fields(base.cls)]
    if isinstance(index, Slice):
        return _sliced(Seq("tuple", tuple(values)), index)
    if isinstance(index, Const) and isinstance(index.value, int):
        position = index.value
        certain = [v for v in values if v != NONE]
        unions = any(NONE in members(v) for v in certain)
        if not unions and -len(certain) <= position < len(certain):
            return certain[position]
    return join_all(v for x in values for v in members(x) if v != NONE)


def _check_tensor_index(interp: Interpreter, index: Value, frame: Frame, node: ast.AST) -> None:
    """Report a tensor as the index of a list, which Dynamo reads as a number.

    A scalar of NumPy that comes in is guarded on.  Where scalars are captured, that of a tensor made from numbers is
    known (``FakeTensor.constant``), and that of an integer that comes in is guarded on.
    """
    tensors = [v for v in members(index) if isinstance(v, Tensor) and not is_numpy_scalar(v)]
    if any(not ((v.constant or unbacked_symints.is_guarded(v)) and frame.mode.keeps_scalars) for v in tensors):
        causes = ("tensor-item-without-capture-scalar-outputs",)
        interp.emit(frame, node, "tensor-to-python", "list-index", causes, about=index)


# -- tensors ---------------------------------------------------------------------------------------------------------


def _tensor_bound(interp: Interpreter, index: Value, frame: Frame, node: ast.AST, *, of_tensor: bool = True) -> None:
    """Report a tensor as a bound of a slice, which Dynamo reads as a number; slices of tensors take captured ones."""
    parts = index.items if isinstance(index, Seq) and index.items is not None else (index,)
    for part in parts:
        if isinstance(part, Slice):
            if random_numbers.check_bounds(interp, (part.lower, part.upper, part.step), frame, node):
                return
            for bound in (part.lower, part.upper, part.step):
                tensors = [v for v in members(bound) if isinstance(v, Tensor) and not is_numpy_scalar(v)]
                if frame.mode.keeps_scalars and (of_tensor or all(map(unbacked_symints.is_guarded, tensors))):
                    continue
                if tensors:
                    interp.emit(
                        frame,
                        node,
                        "tensor-to-python",
                        "slice-bound",
                        ("tensor-item-without-capture-scalar-outputs",),
                        about=bound,
                    )
                    return


def _of_tensor(interp: Interpreter, base: Tensor, index: Value, frame: Frame, node: ast.AST) -> Value:
    """Return ``tensor[index]``; a boolean mask has a data-dependent shape.

    A string as the index shows that the annotation of an argument is wrong.
    """
    if isinstance(index, Const) and isinstance(index.value, str) and base.proven and not base.ndarray:
        return UNKNOWN
    plain = tensor_subclasses.plain(interp, index)
    if plain is not index:
        return tensor_subclasses.wrapped(interp, _of_tensor(interp, base, plain, frame, node), index)
    tensor_layouts.touch(interp, base, frame, node)
    _tensor_bound(interp, index, frame, node)
    symbolic_sizes.check_array_index(interp, base, index, frame, node)
    parts = index.items if isinstance(index, Seq) and index.cls == "tuple" and index.items is not None else (index,)
    rank: int | None = base.rank
    known = True
    advanced: list[Tensor] = []
    for part, written in zip(parts, _written_parts(node, len(parts))):
        for member in members(part):
            if isinstance(member, Tensor):
                _tensor_index(
                    interp, base, member, part, frame, node, is_mask=tensor_indices.is_written_as_mask(written)
                )
        if isinstance(part, Scalar) and part == Scalar("int", "random"):
            random_numbers.report(interp, "index", ("data-dependent-operator",), frame, node)
        if tensor_indices.is_bool_list(part):
            causes = ("dynamic-shape-operator",)
            interp.emit(frame, node, "dynamic-shape", "torch.Tensor.__getitem__", causes, about=base)
        if isinstance(part, Tensor):
            advanced.append(part)
        elif isinstance(part, Const) and part.value is None:
            rank = None if rank is None else rank + 1
        elif isinstance(part, (Scalar, Const)) and not (isinstance(part, Const) and part.value is ...):
            rank = None if rank is None else rank - 1
        elif not (isinstance(part, (Slice, Const))):
            known = False
    if advanced:
        rank = tensor_indices.advanced_rank(rank, advanced)
    result = _selected(base, index, parts, rank if known and (rank is None or rank >= 0) else None, frame)
    trace_builder.record_operator(frame, node, result)
    return result


def _selected(base: Tensor, index: Value, parts: tuple[Value, ...], rank: int | None, frame: Frame) -> Tensor:
    """Return the tensor that an index of several parts selects."""
    first = parts[0] if parts else None  # ``x[()]``
    length = 0 if isinstance(first, Slice) and first.upper == Const(0) else None
    is_input = base.is_input and is_text(index)  # the guessed tensor is a dict of tensors
    transposed = tensor_indices.is_strided(parts)
    result = Tensor(rank, base.dtype, base.proven, is_input, base.ndarray, length=length, transposed=transposed)
    if (base.unbacked and isinstance(first, Slice)) or (
        unbacked_symints.captures_shapes(frame.mode) and any(isinstance(p, Tensor) and p.dtype == "bool" for p in parts)
    ):
        result = replace(result, unbacked=True)
    if base.constant and not base.ndarray and all(isinstance(p, Const) and type(p.value) is int for p in parts):
        result = replace(result, constant=True)
    return result


def _is_item(interp: Interpreter, node: ast.AST, frame: Frame) -> bool:
    """Return whether a subscript has a loop variable as its index: an item of a tensor, mostly of one dimension."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Name) or frame.function is None:
        return False
    return node.slice.id in _loop_variables(interp, frame.function.node)


def _loop_variables(interp: Interpreter, function: ast.AST) -> frozenset[str]:
    """Return the variables to which the loops and comprehensions of a function assign single items."""
    known = interp.caches.syntax.loop_variables.get(function)
    if known is None:
        loops = [n for n in ast_walk.walk(function) if isinstance(n, (ast.For, ast.comprehension))]
        known = frozenset(loop.target.id for loop in loops if isinstance(loop.target, ast.Name))
        interp.caches.syntax.loop_variables[function] = known
    return known


def _written_parts(node: ast.AST, count: int) -> Sequence[ast.expr | None]:
    """Return the expressions of the ``count`` parts of the index of a subscript; None for those that are unknown."""
    index = node.slice if isinstance(node, ast.Subscript) else None
    if isinstance(index, ast.Tuple) and len(index.elts) == count:
        return index.elts
    return [index if count == 1 else None] * count


def _is_read(index: Tensor) -> bool:
    """Return whether Dynamo reads the number in an index without dimensions.

    It does so for truth values, and for integers that the region computes (``_getitem`` and ``_setitem`` of
    torch/csrc/autograd/python_variable_indexing.cpp); an integer that comes in is not read.
    """
    return not index.constant and (index.dtype == "bool" or (index.dtype == "int" and not index.is_input))


def _tensor_index(
    interp: Interpreter, base: Tensor, index: Tensor, part: Value, frame: Frame, node: ast.AST, is_mask: bool
) -> None:
    if index.dtype == "uint8" and index.rank != 0 and not base.ndarray:
        hard_errors.check_mask(interp, index, frame, node)
    elif (index.dtype == "bool" and index.rank != 0) or (index.dtype is None and index.rank != 0 and is_mask):
        interp.emit(
            frame,
            node,
            "dynamic-shape",
            "torch.Tensor.__getitem__",
            ("dynamic-shape-operator",),
            about=part,
            likely=not base.proven or index.dtype is None,
        )
    elif (
        (index.rank == 0 or (index.rank is None and index.dtype == "int" and _is_item(interp, node, frame)))
        and (index.dtype is None or _is_read(index))
        and not (index.dtype is None and (base.ndarray or index.constant or index.is_input))
    ):
        interp.emit(
            frame,
            node,
            "tensor-to-python",
            "tensor-index",
            ("data-dependent-operator",),
            about=part,
            likely=index.dtype is None or index.rank is None,
        )


_HANDLERS: Final[HandlersByClass[_Handler]] = HandlersByClass(
    {
        Tensor: _of_tensor,
        Seq: _of_sequence,
        Mapping: _of_mapping,
        Instance: _of_instance,
        Range: _of_range,
        Const: _of_constant,
        Scalar: _of_scalar,
        Class: _of_class,
        ExternalName: external_items.of_name,
        ExternalObject: external_items.of_object,
        TritonKernel: _of_kernel,
        Unknown: _of_unknown,
        Union: _of_union,
        Value: _of_other,
    }
)


# -- stores ----------------------------------------------------------------------------------------------------------


def store(interp: Interpreter, base: Value, index: Value, value: Value, frame: Frame, target: ast.Subscript) -> Value:
    """Return ``base`` after ``base[index] = value`` (Dynamo: ``mp_ass_subscript_impl`` of the variables)."""
    return _STORES[type(base)](interp, base, index, value, frame, target)


def _store_in_tensor(
    interp: Interpreter, base: Tensor, index: Value, value: Value, frame: Frame, target: ast.Subscript
) -> Value:
    """Run ``tensor[index] = value``; a mask is traced as it is (``index_put_``), whatever the value."""
    _tensor_bound(interp, index, frame, target)
    parts = index.items if isinstance(index, Seq) and index.cls == "tuple" and index.items is not None else (index,)
    for part in parts:
        if isinstance(part, Tensor) and part.rank == 0 and _is_read(part):
            interp.emit(frame, target, "tensor-to-python", "tensor-index", ("data-dependent-operator",), about=part)
    trace_builder.record_operator(frame, target, base)
    captured_functions.write_tensor(interp, base, frame)
    return base


def _store_in_instance(
    interp: Interpreter, base: Instance, index: Value, value: Value, frame: Frame, target: ast.Subscript
) -> Value:
    if isinstance(base.cls, Class):
        method = interp.class_attribute(base.cls, "__setitem__")
        tensor_subclasses.check_protocol(interp, base, "__setitem__", frame, target)
        if isinstance(method, Function):
            interp.call(method, Args((base, index, value)), frame, target)
            return base
    store_own_item(interp, base, index, value)
    return base


def _store_in_container(
    interp: Interpreter, base: Value, index: Value, value: Value, frame: Frame, target: ast.Subscript
) -> Value:
    captured_functions.change(interp, target.value, frame, target)
    if isinstance(base, Seq):
        _check_tensor_index(interp, index, frame, target)
        if random_numbers.is_random_number(index):
            cause = "tensor-item-without-capture-scalar-outputs"
            random_numbers.report(interp, "index", (cause,), frame, target)
    return _store_in_other(interp, base, index, value, frame, target)


def _store_in_external(
    interp: Interpreter, base: ExternalName, index: Value, value: Value, frame: Frame, target: ast.Subscript
) -> Value:
    if base.name == "os.environ":
        interp.emit(frame, target, "call", "os.environ.__setitem__", ("call-of-skipped-function",))
        return base
    return _store_in_other(interp, base, index, value, frame, target)


def _store_in_other(
    interp: Interpreter, base: Value, index: Value, value: Value, frame: Frame, target: ast.Subscript
) -> Value:
    type_slots.refused(interp, "setitem", base, frame, target)
    input_containers.changed(interp, target.value, base, frame)
    return with_item(base, index, value)


_STORES: Final[HandlersByClass[_StoreHandler]] = HandlersByClass(
    {
        Tensor: _store_in_tensor,
        Instance: _store_in_instance,
        Seq: _store_in_container,
        Mapping: _store_in_container,
        ExternalName: _store_in_external,
        Value: _store_in_other,
    }
)


def delete(interp: Interpreter, base: Value, target: ast.Subscript, frame: Frame) -> None:
    """``del instance[index]``."""
    for member in members(base):
        if isinstance(member, Instance) and isinstance(member.cls, Class):
            method = interp.class_attribute(member.cls, "__delitem__")
            if isinstance(method, Function):
                interp.call(method, Args((member, interp.eval(target.slice, frame))), frame, target)
