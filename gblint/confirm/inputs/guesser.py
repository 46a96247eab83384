"""Guesses for the arguments of one call: from annotations, what is written down, the layers, and names last."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gblint.confirm.inputs import by_parameter_name, namespace, signature_docs
from gblint.confirm.inputs.by_parameter_name import ID_BOUND, LENGTH, WIDTH
from gblint.confirm.inputs.flow import ArgumentFlow, PartPath, function_definition
from gblint.confirm.inputs.layers import TensorRequirement
from gblint.confirm.inputs.recipes import CallRecipe, GroupRecipe, PlainRecipe, Recipe, TensorRecipe, TextRecipe
from gblint.confirm.inputs.target_facts import Parameter, Shape

_ORIGINS = ("annotation", "comment", "docstring", "einops", "unpacked", "einsum", "ndim")
COMMON_SHAPES = (("B", "T", "D"), ("B", "C", "H", "W"), ("B", "D"), ("B", "C", "T"), ("B",))


class Guesser:
    """Alternatives for each parameter of a function, the likeliest first.

    ``known`` are sizes by name (of the instance's attributes); ``flow`` is where the arguments go, absent for a
    constructor.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        parameters: Sequence[Parameter] = (),
        *,
        names: Mapping[str, Any],
        known: Mapping[str, int] | None = None,
        flow: ArgumentFlow | None = None,
        depth: int = 0,
    ) -> None:
        self.function, self.names, self.flow, self.depth = function, names, flow, depth
        self.known = dict(known or {})
        self.signature = signature_of(function)
        self.parameters = {each.name: each for each in parameters or own_parameters(function)}
        self.types = namespace.type_hints(function)
        self.takes_any = takes_any_name(function)
        self.on_graph = any(by_parameter_name.is_edges(each.name) for each in self.signature)
        self.classes: dict[str, type] = {}
        self.fields: dict[str, Parameter] = {}
        self._made: dict[str, list[Recipe]] = {}

    @property
    def constructs(self) -> bool:
        """Whether this is a constructor's call."""
        return self.flow is None

    def first(self) -> CallRecipe:
        """The call with what has to be passed, each as its likeliest."""
        call = CallRecipe()
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
            # Nothing is fetched: weights from elsewhere are left out.
            if (
                self.constructs
                and each.name in ("pretrained", "pretrained_backbone", "download")
                and each.default is True
            ):
                call = call.put(each.name, PlainRecipe(False))
        return call

    def takes(self, name: str) -> bool:
        """Whether there is a parameter of this name, or one that takes all names."""
        return self.takes_any or any(each.name == name for each in self.signature)

    def optional(self) -> list[str]:
        """The parameters that may be left out."""
        return [each.name for each in self.signature if each.default is not each.empty]

    def alternatives(self, name: str) -> list[Recipe]:
        """What the parameter may be, the likeliest first; never empty."""
        if name not in self._made:
            found: dict[str, Recipe] = {}
            for each in self._alternatives(name):
                found.setdefault(each.source(), each)
            self._made[name] = list(found.values()) or [PlainRecipe(None)]
        return self._made[name]

    def _alternatives(self, name: str) -> Iterator[Recipe]:
        from gblint.confirm.inputs.by_annotation import values_of_type

        parameter = self.parameters.get(name, Parameter(name))
        default = next((each.default for each in self.signature if each.name == name), inspect.Parameter.empty)
        if name in self.types:
            yield from values_of_type(self, self.types[name], name, (name,))
        yield from self._from_words(parameter)
        if self.constructs:
            yield from self._argument(parameter, default)
            return
        yield from self.structured(name, (name,), parameter)
        if isinstance(default, (int, float, str)):
            yield PlainRecipe(default)
        yield from self.tensors(name, (name,), parameter)
        scalar = by_parameter_name.scalar_for(name)
        if scalar is not None:
            yield scalar

    def _from_words(self, parameter: Parameter) -> Iterator[Recipe]:
        """From the type that a docstring names: ``in_channels (list[int]): ...``, ``x : torch.Tensor``."""
        from gblint.confirm.inputs.by_annotation import documented_type, values_of_type

        kind = documented_type(parameter.doc)
        if kind is not None:
            yield from values_of_type(self, kind, parameter.name, (parameter.name,))
        for word in parameter.choices:
            yield PlainRecipe(word)

    def _argument(self, parameter: Parameter, default: Any) -> Iterator[Recipe]:
        name = parameter.name
        yield from self._named_classes(name)
        if parameter.attributes and default is inspect.Parameter.empty:
            yield self.object_with(parameter.attributes)
        if parameter.keys:
            items = [self.plain(key) for key in parameter.keys]
            yield GroupRecipe("dict", tuple(items), parameter.keys)
        if name.lower().endswith(("device", "dtype")):
            yield PlainRecipe("cpu") if name.lower().endswith("device") else TextRecipe("torch.float32")
        value = by_parameter_name.number_for(name)
        if parameter.iterated and not isinstance(value, bool):
            size = value if isinstance(value, (int, float)) else WIDTH
            yield PlainRecipe([size] * 3)
        if value is not None:
            yield PlainRecipe(value)
            if isinstance(value, int) and not isinstance(value, bool):
                yield from (PlainRecipe(size) for size in (8, 4, 2, 64, 1, 3) if size != value)
                yield PlainRecipe((value, value))
            yield PlainRecipe([value, value])
        yield PlainRecipe(WIDTH)
        yield PlainRecipe([WIDTH, WIDTH])
        yield PlainRecipe(by_parameter_name.word_for(name))
        yield TextRecipe("torch.nn.Identity()")
        yield TextRecipe("torch.nn.ReLU")
        yield PlainRecipe(None)

    def _named_classes(self, name: str) -> Iterator[Recipe]:
        """Classes of the module that are called as the parameter is: ``block`` and ``ResidualBlock``."""
        plain = name.lower().replace("_", "")
        lower = name.lower()
        if lower.endswith(("norm_layer", "norm")):
            yield TextRecipe("torch.nn.LayerNorm")
            yield TextRecipe("torch.nn.BatchNorm2d")
        if lower.endswith(("act_layer", "act", "activation", "act_fn", "nonlinearity", "activation_fn")):
            yield TextRecipe("torch.nn.ReLU()")
            yield TextRecipe("torch.nn.ReLU")
        if len(plain) < 4:
            return
        for each in list(self.names.values()):
            if inspect.isclass(each) and hasattr(each, "forward") and plain in each.__name__.lower():
                wanted: list[Recipe | None] = [self.made(each), TextRecipe(namespace.reference(each, self.names))]
                if lower.endswith(("block", "layer", "class", "cls", "type", "fn")):
                    wanted.reverse()
                yield from filter(None, wanted)

    def plain(self, name: str) -> Recipe:
        """A value for a field of this name that nothing else is known of."""
        value = by_parameter_name.number_for(name)
        return PlainRecipe(by_parameter_name.WIDTH if value is None else value)

    def object_with(self, attributes: Sequence[str]) -> Recipe:
        """An object that has these attributes."""
        items = tuple(self.plain(each) for each in attributes)
        return GroupRecipe("call", items, tuple(attributes), "__import__('types').SimpleNamespace")

    def made(self, cls: type) -> Recipe | None:
        """A call of a class with the likeliest arguments."""
        if self.depth > 3:
            return None
        try:
            guesser = Guesser(cls, names=self.names, known=self.known, depth=self.depth + 1)
            call = guesser.first()
        except (ValueError, TypeError):
            return None
        keys = tuple("" if index < call.positional else name for index, name in enumerate(call.names))
        head = namespace.reference(cls, self.names)
        self.classes = {**guesser.classes, **self.classes, head: cls}
        return GroupRecipe("call", call.values, keys, head)

    def inner(self, head: str) -> Guesser | None:
        """The guesser for a class that an argument is made of."""
        cls = self.classes.get(head)
        return None if cls is None else Guesser(cls, names=self.names, known=self.known, depth=self.depth + 1)

    def structured(self, name: str, place: PartPath, parameter: Parameter) -> Iterator[Recipe]:
        """Dicts, lists and objects, where parts of the argument are used."""
        parts = list((self.flow.parts if self.flow is not None else {}).get(place, {}))
        keys = [str(what) for kind, what in parts if kind == "key"] if parts else list(parameter.keys)
        if keys:
            inner = [self.part(key, (*place, ("key", key))) for key in keys]
            yield GroupRecipe("dict", tuple(inner), tuple(keys))
        attributes = [str(what) for kind, what in parts if kind == "attr" and not hasattr(_tensor(), str(what))]
        if attributes:
            inner = [self.part(each, (*place, ("attr", each))) for each in attributes]
            yield GroupRecipe("call", tuple(inner), tuple(attributes), "__import__('types').SimpleNamespace")
        items = [int(what) for kind, what in parts if kind == "item" and int(what) >= 0]
        needed = self.flow is not None and any((*place, ("item", item)) in self.flow.needs for item in items)
        if items and (needed or parameter.iterated):
            yield self.row(
                name, place, max(items) + 1 if needed and len(items) > 1 else max(2, *items, 0) + (len(items) > 2)
            )

    def row(self, name: str, place: PartPath, count: int) -> Recipe:
        """A list of parts; levels of a pyramid get smaller."""
        found: list[Recipe] = []
        for index in range(count):
            item = self.part(name, (*place, ("item", index)))
            if isinstance(item, TensorRecipe) and len(item.shape) == 4 and index:
                side = max(item.shape[-1] >> index, 1)
                item = replace(item, shape=(*item.shape[:2], side, side))
            found.append(item)
        return GroupRecipe("list", tuple(found))

    def part(self, name: str, place: PartPath) -> Recipe:
        """The likeliest for a part of an argument."""
        parameter = Parameter(name)
        return next(iter([*self.structured(name, place, parameter), *self.tensors(name, place, parameter)]))

    def tensors(self, name: str, place: PartPath, parameter: Parameter, dtype: str = "") -> Iterator[TensorRecipe]:
        """Tensors: shapes that are written down, sizes that layers need, names."""
        needed = list((self.flow.needs if self.flow is not None else {}).get(place, ()))
        dtype, high = self._elements(name, needed, parameter.shapes, dtype)
        shaped = [need for need in needed if need.shape]
        rows = list(self._dims(name, parameter.shapes, shaped))
        if dtype == "int64" and not shaped:
            # Ids come in rows of sequences where nothing else is known.
            rows = [
                *rows[: len(rows) - len(COMMON_SHAPES)],
                ("B", "T"),
                ("B",),
                *rows[len(rows) - len(COMMON_SHAPES) :],
            ]
        for dims in rows:
            sizes = _merged(dims, shaped, self.known)
            tensor = TensorRecipe(sizes, labels=dims if len(dims) == len(sizes) else ())
            if not tensor.fits and len(sizes) > 1:
                tensor = tensor.with_size(0, 1)
            if not tensor.fits:
                continue
            if dtype == "length":
                yield replace(tensor, dtype="int64", fill="full", high=LENGTH)
            elif dtype == "ones":
                yield replace(tensor, fill="ones")
            elif dtype == "bool" and shaped:
                # To a layer of torch.nn, True is what is masked out.
                yield replace(tensor, dtype="bool", fill="zeros")
            elif dtype and dtype != "float32":
                yield tensor.of_dtype(dtype, high)
            else:
                yield tensor

    def _elements(
        self, name: str, needed: Sequence[TensorRequirement], shapes: Sequence[Shape], dtype: str
    ) -> tuple[str, int]:
        """The type of the elements and, for ids, their bound."""
        highs = [need.high for need in needed if need.high]
        bound = min(highs) if highs else ID_BOUND
        if any(need.dtype == "int64" for need in needed):
            return "int64", bound
        if any(need.shape and need.dtype == "float32" for need in needed) and not dtype:
            return "float32", 0
        kind = by_parameter_name.kind_for(name, self.on_graph)
        told = dtype or next((shape.dtype for shape in shapes if shape.dtype), "")
        if told:
            return ("length" if kind == "length" and told == "int64" else told), bound
        if any(need.dtype == "bool" for need in needed):
            return "bool", 0
        return {"ids": "int64", "mask": "bool", "float": "float32"}.get(kind, kind), bound

    def _dims(
        self, name: str, shapes: Sequence[Shape], needed: Sequence[TensorRequirement]
    ) -> Iterator[tuple[str, ...]]:
        """Rows of dimensions to try, the most trusted first."""
        written = sorted(
            (each for each in shapes if set(each.dims) != {"?"}), key=lambda each: _ORIGINS.index(each.origin)
        )
        ranks = [len(each.dims) for each in shapes if set(each.dims) == {"?"}]
        by_name = by_parameter_name.tensor_for(name, self.known, self.on_graph)
        least = max((len(need.shape) for need in needed if need.open), default=0)
        for shape in written:
            yield shape.dims
        for need in needed:
            if not need.open:
                yield tuple(map(str, need.shape))
        for rank in ranks:
            yield next((dims for dims in COMMON_SHAPES if len(dims) == rank), ("B", "C", "D", "H", "W", "K")[:rank])
        if by_name is not None and len(by_name.shape) >= least:
            yield by_name.labels
        for need in needed:
            if need.open and self.on_graph:
                yield ("N", *map(str, need.shape))
            if need.open:
                front = ("B", "T") if len(need.shape) == 1 else ("B",)
                yield (*front, *map(str, need.shape))
                yield ("B", *map(str, need.shape))
        yield from COMMON_SHAPES


def _merged(dims: tuple[str, ...], needed: Sequence[TensorRequirement], known: Mapping[str, int]) -> tuple[int, ...]:
    """Sizes for dimensions: those that a layer needs where it speaks of as many, those of their names elsewhere."""
    sizes = [by_parameter_name.dim_size(dim, known) for dim in dims]
    for need in needed:
        if len(need.shape) == len(sizes) or (need.open and len(need.shape) <= len(sizes)):
            offset = len(sizes) - len(need.shape)
            for index, size in enumerate(need.shape):
                # What stands there as a number was meant.
                if isinstance(size, int) and not dims[offset + index].isdigit():
                    sizes[offset + index] = size
            break
    return tuple(sizes)


def own_parameters(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """What a function's own source says of its parameters; nothing where there is no source."""
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
    """The parameters that a call can name, ``self`` left out."""
    try:
        found = inspect.signature(function)
    except (ValueError, TypeError):
        return []
    skipped = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [each for each in found.parameters.values() if each.kind not in skipped]


def takes_any_name(function: Callable[..., Any]) -> bool:
    """Whether a function has ``**kwargs``."""
    try:
        found = inspect.signature(function)
    except (ValueError, TypeError):
        return False
    return any(each.kind is each.VAR_KEYWORD for each in found.parameters.values())


def _tensor() -> Any:
    import torch

    return torch.Tensor
