"""Transfer functions of tensor methods and torch functions: effects on parts of arguments, and requirements."""

from __future__ import annotations

from typing import Any

from gblint.confirm.inputs.flow_values import ArgumentFlow, ArgumentPart, ConcreteObject, FlowValue, ValueSequence
from gblint.confirm.inputs.layers import TensorRequirement

_SHAPE_PRESERVING = frozenset(
    "relu gelu silu elu selu leaky_relu sigmoid tanh softmax log_softmax dropout normalize exp log sqrt abs clamp "
    "float contiguous to clone detach cuda cpu type half requires_grad_ relu_ sin cos square neg log1p nan_to_num "
    "hardswish mish softplus div mul add sub checkpoint".split()
)
INDEXING_METHODS = {
    "index_add_": 1,
    "index_add": 1,
    "gather": 1,
    "scatter_add": 1,
    "scatter_add_": 1,
    "scatter": 1,
    "index_select": 1,
}
_SHAPE_CHANGING = frozenset(
    "view reshape flatten repeat expand squeeze unsqueeze repeat_interleave roll flip narrow t".split()
)
IDS = TensorRequirement((), "int64", 2, extra_leading=True)
MASK = TensorRequirement((), "bool", extra_leading=True)


class TensorTransfer:
    """Transfer functions; requirements are added to ``flow``."""

    def __init__(self, flow: ArgumentFlow) -> None:
        self.flow = flow

    def require(self, part: ArgumentPart, requirement: TensorRequirement) -> None:
        """Add a requirement of the argument behind ``part``, by undoing the steps that moved its dimensions."""
        if part.shape_unknown:
            if requirement.dtype != "float32" and requirement.high:
                # The dtype and range of the elements do not depend on the shape.
                self.flow.add_requirement(
                    part.place, TensorRequirement((), requirement.dtype, requirement.high, extra_leading=True)
                )
            return
        for step in reversed(part.steps):
            undone = _before_step(requirement, step)
            if undone is None:
                return
            requirement = undone
        self.flow.add_requirement(part.place, requirement)

    def tensor_method(self, owner: ArgumentPart, name: str, args: list[FlowValue]) -> FlowValue:
        """Return the result of a tensor method."""
        numbers = [each.value for each in args if isinstance(each, ConcreteObject) and isinstance(each.value, int)]
        if name in _SHAPE_PRESERVING:
            return owner
        if name in ("transpose", "swapaxes") and len(numbers) == 2:
            return owner.after_step("transpose", *numbers)
        if name == "permute":
            inner = args[0] if args else None
            if isinstance(inner, ValueSequence):
                numbers = [each.value for each in inner.values if isinstance(each, ConcreteObject)]
            return owner.after_step("permute", *numbers) if numbers else None
        if name in ("unsqueeze", "squeeze") and len(numbers) == 1:
            return owner.after_step(name, numbers[0])
        if name == "t":
            return owner.after_step("transpose", 0, 1)
        if name == "flatten" and numbers[:1] == [1] and len(numbers) == 1:
            return owner.after_step("flatten")
        if (
            name in ("view", "reshape")
            and len(args) == 2
            and isinstance(args[1], ConcreteObject)
            and args[1].value == -1
        ):
            return owner.after_step("flatten")
        if name in ("get", "pop") and args and isinstance(args[0], ConcreteObject) and isinstance(args[0].value, str):
            return None
        if name in INDEXING_METHODS:
            self.index_argument(name, args)
        if name in _SHAPE_CHANGING:
            return ArgumentPart(owner.place, shape_unknown=True)
        if name.startswith("masked_") and args and isinstance(args[0], ArgumentPart):
            self.require(args[0], MASK)
        return None

    def torch_function(self, name: str, args: list[FlowValue], kwargs: dict[str, FlowValue]) -> FlowValue:
        """Return the result of a torch function, and add its requirements."""
        first = args[0] if args else kwargs.get("input")
        second = args[1] if len(args) > 1 else kwargs.get("weight", kwargs.get("target"))
        if name in ("linear", "matmul", "mm", "bmm"):
            self.matrix_product(first, second, transposed=name == "linear")
        elif name.startswith("conv") and isinstance(first, ArgumentPart) and isinstance(second, ConcreteObject):
            shape = tuple(getattr(second.value, "shape", ()))
            if len(shape) > 2:
                spatial = ("D", "H", "W")[-(len(shape) - 2) :]
                self.require(first, TensorRequirement(("B", shape[0 if "transpose" in name else 1], *spatial)))
        elif name == "embedding" and isinstance(first, ArgumentPart) and isinstance(second, ConcreteObject):
            self.require(first, TensorRequirement((), "int64", int(second.value.shape[0]), extra_leading=True))
        elif name in ("cross_entropy", "nll_loss", "one_hot"):
            index = first if name == "one_hot" else second
            if isinstance(index, ArgumentPart):
                self.require(index, IDS)
        elif name == "flatten" and isinstance(first, ArgumentPart):
            return first.after_step("flatten")
        elif name in ("transpose", "permute", "unsqueeze", "squeeze") and isinstance(first, ArgumentPart):
            return self.tensor_method(first, name, args[1:])
        elif name in ("where", "masked_fill") and isinstance(first if name == "where" else second, ArgumentPart):
            mask = first if name == "where" else second
            assert isinstance(mask, ArgumentPart)
            self.require(mask, MASK)
        elif name in _SHAPE_PRESERVING or name in ("interpolate", "pad"):
            return first if isinstance(first, ArgumentPart) else None
        return None

    def matrix_product(self, given: FlowValue, weight: FlowValue, transposed: bool) -> None:
        """Require the size of the last dimension of ``given`` that the weight matrix accepts."""
        shape = tuple(getattr(weight.value, "shape", ())) if isinstance(weight, ConcreteObject) else ()
        if isinstance(given, ArgumentPart) and len(shape) == 2:
            self.require(given, TensorRequirement((int(shape[1 if transposed else 0]),), extra_leading=True))

    def index_argument(self, name: str, args: list[FlowValue]) -> None:
        """Require ids of the index argument of an indexing method."""
        index = args[1] if len(args) > 1 else None
        if isinstance(index, ArgumentPart):
            self.require(index, IDS)


def _before_step(requirement: TensorRequirement, step: tuple[Any, ...]) -> TensorRequirement | None:
    """Return the requirement before a step, or None if it cannot be derived."""
    kind, *rest = step
    dims = requirement.shape
    if not dims and requirement.extra_leading:
        return requirement
    if kind == "transpose":
        if requirement.extra_leading and max(-rest[0] if rest[0] < 0 else 9, -rest[1] if rest[1] < 0 else 9) > len(
            dims
        ):
            # The swapped dimensions precede the known ones: assume three dimensions, the most common case.
            return (
                TensorRequirement(("B", "T", *dims)[-3:], requirement.dtype, requirement.high).transposed(*rest)
                if len(dims) == 1
                else None
            )
        return requirement.transposed(*rest)
    if kind == "permute":
        if requirement.extra_leading and len(dims) < len(rest):
            front = {2: ("B",), 3: ("B", "T"), 4: ("B", "H", "W"), 5: ("B", "D", "H", "W")}.get(len(rest), ())
            requirement = TensorRequirement((*front, *dims)[-len(rest) :], requirement.dtype, requirement.high)
        return requirement.permuted(tuple(rest))
    if kind == "unsqueeze" and not requirement.extra_leading:
        place = rest[0] % len(dims)
        return TensorRequirement(dims[:place] + dims[place + 1 :], requirement.dtype, requirement.high)
    if kind == "squeeze" and not requirement.extra_leading:
        place = rest[0] % (len(dims) + 1)
        return TensorRequirement((*dims[:place], 1, *dims[place:]), requirement.dtype, requirement.high)
    if kind == "flatten" and requirement.extra_leading and len(dims) == 1:
        return TensorRequirement(("B", dims[0]), requirement.dtype, requirement.high)
    return None
