"""Guesses for the arguments of one call: from annotations, docstrings, comments and uses, layers, and names last."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gblint.confirm.inputs import by_parameter_name, namespace, signature_docs
from gblint.confirm.inputs.by_annotation import documented_type, tensor_type, values_of_type
from gblint.confirm.inputs.by_parameter_name import ID_BOUND, LENGTH, WIDTH
from gblint.confirm.inputs.called_parameters import called_arguments
from gblint.confirm.inputs.flow import function_definition
from gblint.confirm.inputs.flow_values import ArgumentFlow, PartPath
from gblint.confirm.inputs.layers import TensorRequirement
from gblint.confirm.inputs.target_facts import Parameter, Shape
from gblint.confirm.inputs.values import CallInputs, GroupInput, Input, PlainInput, TensorInput, TextInput

_ORIGINS = ("annotation", "comment", "docstring", "einops", "unpacked", "einsum", "ndim")
COMMON_SHAPES = (("B", "T", "D"), ("B", "C", "H", "W"), ("B", "D"), ("B", "C", "T"), ("B",))


class Guesser:
    """Guesses for each parameter of a function, the most likely first.

    ``known_sizes`` are sizes by name, from the instance's attributes. ``flow`` is the argument flow, None for a
    constructor.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        parameters: Sequence[Parameter] = (),
        *,
        names: Mapping[str, Any],
        known_sizes: Mapping[str, int] | None = None,
        flow: ArgumentFlow | None = None,
        depth: int = 0,
    ) -> None:
        self.function, self.names, self.flow, self.depth = function, names, flow, depth
        self.known_sizes = dict(known_sizes or {})
        self.signature = signature_of(function)
        self.parameters = {each.name: each for each in parameters or own_parameters(function)}
        self.types = namespace.type_hints(function)
        self.accepts_any = accepts_any_name(function)
        self.on_graph = any(by_parameter_name.is_edges(each.name) for each in self.signature)
        self.called = called_arguments(function) if inspect.isclass(function) else {}
        self.classes: dict[str, type] = {}
        self.fields: dict[str, Parameter] = {}
        self._alternatives_by_name: dict[str, list[Input]] = {}

    @property
    def constructs(self) -> bool:
        """Whether the call is a constructor's."""
        return self.flow is None

    def first_call(self) -> CallInputs:
        """Return the call with the required arguments, each with its most likely value."""
        call = CallInputs()
        required = [each for each in self.signature if each.default is each.empty]
        by_position = [each for each in required if each.kind is not each.KEYWORD_ONLY]
        leading = 0
        for each in self.signature:
            if each.default is not each.empty or each.kind is each.KEYWORD_ONLY:
                break
            leading += 1
        for each in (*by_position, *(each for each in required if each.kind is each.KEYWORD_ONLY)):
            call = call.put(each.name, self.alternatives(each.name)[0])
        call = replace(call, positional=leading)
        for each in self.signature:
            # Nothing is downloaded.
            if (
                self.constructs
                and each.name in ("pretrained", "pretrained_backbone", "download")
                and each.default is True
            ):
                call = call.put(each.name, PlainInput(False))
        return call

    def accepts(self, name: str) -> bool:
        """Return whether there is a parameter of this name, or ``**kwargs``."""
        return self.accepts_any or any(each.name == name for each in self.signature)

    def optional(self) -> list[str]:
        """Return the names of the optional parameters."""
        return [each.name for each in self.signature if each.default is not each.empty]

    def alternatives(self, name: str) -> list[Input]:
        """Return values for the parameter, the most likely first; never empty."""
        if name not in self._alternatives_by_name:
            found: dict[str, Input] = {}
            for each in self._alternatives(name):
                found.setdefault(each.source(), each)
            self._alternatives_by_name[name] = list(found.values()) or [PlainInput(None)]
        return self._alternatives_by_name[name]

    def _alternatives(self, name: str) -> Iterator[Input]:
        parameter = self.parameters.get(name, Parameter(name))
        default = next((each.default for each in self.signature if each.name == name), inspect.Parameter.empty)
        if name in self.types:
            yield from values_of_type(self, self.types[name], name, (name,))
        yield from self._from_docstring(parameter)
        if self.constructs:
            yield from self._constructor_argument(parameter, default)
            return
        yield from self.structured(name, (name,), parameter)
        if isinstance(default, (int, float, str)):
            yield PlainInput(default)
        yield from self.tensors(name, (name,), parameter)
        scalar = by_parameter_name.scalar_for(name)
        if scalar is not None:
            yield scalar

    def _from_docstring(self, parameter: Parameter) -> Iterator[Input]:
        """Yield values of the type that a docstring names: ``in_channels (list[int]): ...``, ``x : torch.Tensor``."""
        kind = documented_type(parameter.doc)
        if kind is not None:
            yield from values_of_type(self, kind, parameter.name, (parameter.name,))
        for word in parameter.choices:
            yield PlainInput(word)

    def _constructor_argument(self, parameter: Parameter, default: Any) -> Iterator[Input]:
        """Yield values for a constructor's parameter."""
        name = parameter.name
        yield from self._named_classes(name)
        yield from self.called.get(name, ())
        if parameter.attributes and default is inspect.Parameter.empty:
            yield self.object_with(parameter.attributes)
        if parameter.keys:
            items = [self.plain_value(key) for key in parameter.keys]
            yield GroupInput("dict", tuple(items), parameter.keys)
        if name.lower().endswith(("device", "dtype")):
            yield PlainInput("cpu") if name.lower().endswith("device") else TextInput("torch.float32")
        value = by_parameter_name.number_for(name)
        if parameter.iterated and not isinstance(value, bool):
            size = value if isinstance(value, (int, float)) else WIDTH
            yield PlainInput([size] * 3)
        if value is not None:
            yield PlainInput(value)
            if isinstance(value, int) and not isinstance(value, bool):
                yield from (PlainInput(size) for size in (8, 4, 2, 64, 1, 3) if size != value)
                yield PlainInput((value, value))
            yield PlainInput([value, value])
        yield PlainInput(WIDTH)
        yield PlainInput([WIDTH, WIDTH])
        yield PlainInput(by_parameter_name.word_for(name))
        yield TextInput("torch.nn.Identity()")
        yield TextInput("torch.nn.ReLU")
        yield PlainInput(None)

    def _named_classes(self, name: str) -> Iterator[Input]:
        """Yield classes of the module whose names contain the parameter's name: ``block`` and ``ResidualBlock``."""
        plain = name.lower().replace("_", "")
        lower = name.lower()
        if lower.endswith(("norm_layer", "norm")):
            yield TextInput("torch.nn.LayerNorm")
            yield TextInput("torch.nn.BatchNorm2d")
        if lower.endswith(("act_layer", "act", "activation", "act_fn", "nonlinearity", "activation_fn")):
            yield TextInput("torch.nn.ReLU()")
            yield TextInput("torch.nn.ReLU")
        if len(plain) < 4:
            return
        for each in list(self.names.values()):
            if inspect.isclass(each) and hasattr(each, "forward") and plain in each.__name__.lower():
                wanted: list[Input | None] = [
                    self.construct(each),
                    TextInput(namespace.reference(each, self.names)),
                ]
                if lower.endswith(("block", "layer", "class", "cls", "type", "fn")):
                    wanted.reverse()
                yield from filter(None, wanted)

    def plain_value(self, name: str) -> Input:
        """Return a value for a field, given only its name."""
        value = by_parameter_name.number_for(name)
        return PlainInput(by_parameter_name.WIDTH if value is None else value)

    def object_with(self, attributes: Sequence[str]) -> Input:
        """Return an object with these attributes."""
        items = tuple(self.plain_value(each) for each in attributes)
        return GroupInput("call", items, tuple(attributes), "__import__('types').SimpleNamespace")

    def construct(self, cls: type) -> Input | None:
        """Return a call of a class with the most likely arguments."""
        if self.depth > 3:
            return None
        try:
            guesser = Guesser(cls, names=self.names, known_sizes=self.known_sizes, depth=self.depth + 1)
            call = guesser.first_call()
        except (ValueError, TypeError):
            return None
        keys = tuple("" if index < call.positional else name for index, name in enumerate(call.names))
        head = namespace.reference(cls, self.names)
        self.classes = {**guesser.classes, **self.classes, head: cls}
        return GroupInput("call", call.values, keys, head)

    def guesser_for(self, head: str) -> Guesser | None:
        """Return the guesser for a class that an argument is made of."""
        cls = self.classes.get(head)
        return (
            None if cls is None else Guesser(cls, names=self.names, known_sizes=self.known_sizes, depth=self.depth + 1)
        )

    def structured(self, name: str, place: PartPath, parameter: Parameter) -> Iterator[Input]:
        """Yield dicts, lists and objects, if parts of the argument are used."""
        parts = list((self.flow.parts if self.flow is not None else {}).get(place, {}))
        keys = [str(what) for kind, what in parts if kind == "key"] if parts else list(parameter.keys)
        if keys:
            inner = [self.input_for_part(key, (*place, ("key", key))) for key in keys]
            yield GroupInput("dict", tuple(inner), tuple(keys))
        attributes = [str(what) for kind, what in parts if kind == "attr" and not hasattr(tensor_type(), str(what))]
        if attributes:
            inner = [self.input_for_part(each, (*place, ("attr", each))) for each in attributes]
            yield GroupInput("call", tuple(inner), tuple(attributes), "__import__('types').SimpleNamespace")
        items = [int(what) for kind, what in parts if kind == "item" and int(what) >= 0]
        required = self.flow is not None and any((*place, ("item", item)) in self.flow.requirements for item in items)
        if items and (required or parameter.iterated):
            yield self.list_of_parts(
                name, place, max(items) + 1 if required and len(items) > 1 else max(2, *items, 0) + (len(items) > 2)
            )

    def list_of_parts(self, name: str, place: PartPath, count: int) -> Input:
        """Return a list of parts; images get smaller from item to item, like the levels of a pyramid."""
        found: list[Input] = []
        for index in range(count):
            item = self.input_for_part(name, (*place, ("item", index)))
            if isinstance(item, TensorInput) and len(item.shape) == 4 and index:
                side = max(item.shape[-1] >> index, 1)
                item = replace(item, shape=(*item.shape[:2], side, side))
            found.append(item)
        return GroupInput("list", tuple(found))

    def input_for_part(self, name: str, place: PartPath) -> Input:
        """Return the most likely value for a part of an argument."""
        parameter = Parameter(name)
        return next(iter([*self.structured(name, place, parameter), *self.tensors(name, place, parameter)]))

    def tensors(self, name: str, place: PartPath, parameter: Parameter, dtype: str = "") -> Iterator[TensorInput]:
        """Yield tensors, by written shapes, sizes that layers require, and names."""
        requirements = list((self.flow.requirements if self.flow is not None else {}).get(place, ()))
        dtype, high = self._dtype_and_bound(name, requirements, parameter.shapes, dtype)
        shaped = [requirement for requirement in requirements if requirement.shape]
        rows = list(self._dimension_rows(name, parameter.shapes, shaped))
        if dtype == "int64" and not shaped:
            # By default ids are batches of sequences.
            rows = [
                *rows[: len(rows) - len(COMMON_SHAPES)],
                ("B", "T"),
                ("B",),
                *rows[len(rows) - len(COMMON_SHAPES) :],
            ]
        for dims in rows:
            sizes = _merged_sizes(dims, shaped, self.known_sizes)
            tensor = TensorInput(sizes, labels=dims if len(dims) == len(sizes) else ())
            if not tensor.fits and len(sizes) > 1:
                tensor = tensor.with_size(0, 1)
            if not tensor.fits:
                continue
            if dtype == "length":
                yield replace(tensor, dtype="int64", fill="full", high=LENGTH)
            elif dtype == "ones":
                yield replace(tensor, fill="ones")
            elif dtype == "bool" and shaped:
                # Layers of torch.nn mask out the positions that are True.
                yield replace(tensor, dtype="bool", fill="zeros")
            elif dtype and dtype != "float32":
                yield tensor.of_dtype(dtype, high)
            else:
                yield tensor

    def _dtype_and_bound(
        self, name: str, requirements: Sequence[TensorRequirement], shapes: Sequence[Shape], dtype: str
    ) -> tuple[str, int]:
        """Return the dtype of the elements and, for ids, their exclusive upper bound."""
        highs = [requirement.high for requirement in requirements if requirement.high]
        bound = min(highs) if highs else ID_BOUND
        if any(requirement.dtype == "int64" for requirement in requirements):
            return "int64", bound
        if any(requirement.shape and requirement.dtype == "float32" for requirement in requirements) and not dtype:
            return "float32", 0
        kind = by_parameter_name.kind_for(name, self.on_graph)
        known_dtype = dtype or next((shape.dtype for shape in shapes if shape.dtype), "")
        if known_dtype:
            return ("length" if kind == "length" and known_dtype == "int64" else known_dtype), bound
        if any(requirement.dtype == "bool" for requirement in requirements):
            return "bool", 0
        return {"ids": "int64", "mask": "bool", "float": "float32"}.get(kind, kind), bound

    def _dimension_rows(
        self, name: str, shapes: Sequence[Shape], requirements: Sequence[TensorRequirement]
    ) -> Iterator[tuple[str, ...]]:
        """Yield labels of dimensions to try, the most reliable first."""
        written_shapes = sorted(
            (each for each in shapes if set(each.dims) != {"?"}), key=lambda each: _ORIGINS.index(each.origin)
        )
        ranks = [len(each.dims) for each in shapes if set(each.dims) == {"?"}]
        by_name = by_parameter_name.tensor_for(name, self.known_sizes, self.on_graph)
        least_rank = max(
            (len(requirement.shape) for requirement in requirements if requirement.extra_leading), default=0
        )
        for shape in written_shapes:
            yield shape.dims
        for requirement in requirements:
            if not requirement.extra_leading:
                yield tuple(map(str, requirement.shape))
        for rank in ranks:
            yield next((dims for dims in COMMON_SHAPES if len(dims) == rank), ("B", "C", "D", "H", "W", "K")[:rank])
        if by_name is not None and len(by_name.shape) >= least_rank:
            yield by_name.labels
        for requirement in requirements:
            if requirement.extra_leading and self.on_graph:
                yield ("N", *map(str, requirement.shape))
            if requirement.extra_leading:
                front = ("B", "T") if len(requirement.shape) == 1 else ("B",)
                yield (*front, *map(str, requirement.shape))
                yield ("B", *map(str, requirement.shape))
        yield from COMMON_SHAPES


def _merged_sizes(
    dims: tuple[str, ...], requirements: Sequence[TensorRequirement], known_sizes: Mapping[str, int]
) -> tuple[int, ...]:
    """Return sizes of dimensions: those that a layer of the same rank requires, else those by their labels."""
    sizes = [by_parameter_name.dim_size(dim, known_sizes) for dim in dims]
    for requirement in requirements:
        if len(requirement.shape) == len(sizes) or (requirement.extra_leading and len(requirement.shape) <= len(sizes)):
            offset = len(sizes) - len(requirement.shape)
            for index, size in enumerate(requirement.shape):
                # A number in a written shape is kept.
                if isinstance(size, int) and not dims[offset + index].isdigit():
                    sizes[offset + index] = size
            break
    return tuple(sizes)


def own_parameters(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """Return the parameters from a function's own source, or () if it has none."""
    docs: list[str] = []
    plain: Any = function
    if inspect.isclass(function):
        docs = [inspect.getdoc(function) or ""]
        plain = function.__init__
    elif hasattr(function, "__self__"):
        docs = [inspect.getdoc(type(function.__self__)) or ""]
    found = function_definition(plain)
    return () if found is None else signature_docs.parameters(*found, docs)


def signature_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """Return the parameters that a call can name, without ``self``."""
    try:
        found = inspect.signature(function)
    except (ValueError, TypeError):
        return []
    skipped = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [each for each in found.parameters.values() if each.kind not in skipped]


def accepts_any_name(function: Callable[..., Any]) -> bool:
    """Return whether a function has ``**kwargs``."""
    try:
        found = inspect.signature(function)
    except (ValueError, TypeError):
        return False
    return any(each.kind is each.VAR_KEYWORD for each in found.parameters.values())
