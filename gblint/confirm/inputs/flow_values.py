"""Values of the argument flow analysis."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Union

from gblint.confirm.inputs.layers import TensorRequirement

PartStep = tuple[Literal["key", "attr", "item"], str | int]
PartPath = tuple[str | PartStep, ...]


@dataclass(frozen=True, slots=True)
class ArgumentPart:
    """An argument, or a part of one, after ``steps`` that moved its dimensions; ``shape_unknown`` if its shape is no
    longer known."""

    place: PartPath
    steps: tuple[tuple[Any, ...], ...] = ()
    shape_unknown: bool = False

    def after_step(self, *step: Any) -> ArgumentPart:
        """Return the same part after one more step."""
        return ArgumentPart(self.place, (*self.steps, step), self.shape_unknown)

    def child(self, kind: Literal["key", "attr", "item"], what: str | int) -> ArgumentPart:
        """Return a part of this part."""
        return ArgumentPart((*self.place, (kind, what)))


@dataclass(frozen=True, slots=True)
class ConcreteObject:
    """An object that exists: the instance, a layer, a global, a constant."""

    value: Any


@dataclass(frozen=True, slots=True)
class ValueSequence:
    """A sequence of values."""

    values: tuple[FlowValue, ...]


FlowValue = Union[ArgumentPart, ConcreteObject, ValueSequence, None]  # noqa: UP007 (it is evaluated on Python 3.10)


@dataclass(slots=True)
class ArgumentFlow:
    """Result of the analysis: the requirements by part, in the order found, and the used parts of each part."""

    requirements: dict[PartPath, list[TensorRequirement]] = field(default_factory=dict)
    parts: dict[PartPath, dict[PartStep, None]] = field(default_factory=dict)

    def add_requirement(self, place: PartPath, requirement: TensorRequirement) -> None:
        """Add a requirement of a part."""
        self.requirements.setdefault(place, []).append(requirement)
        self.mark_used(place)

    def mark_used(self, place: PartPath) -> None:
        """Record that a part is used."""
        for length in range(1, len(place)):
            step = place[length]
            assert not isinstance(step, str)
            self.parts.setdefault(place[:length], {})[step] = None
