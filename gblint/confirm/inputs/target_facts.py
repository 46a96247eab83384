"""What the sources say of a target: plain frozen data with JSON both ways."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

CallSiteKind = Literal["test", "script", "docstring", "readme"]


@dataclass(frozen=True, slots=True)
class Shape:
    """One shape that somebody wrote down: its dimensions by name or size, and the elements' type where told."""

    dims: tuple[str, ...]
    dtype: str = ""
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Parameter:
    """What is known of one parameter without running anything."""

    name: str
    annotation: str = ""
    default: str | None = None
    keyword_only: bool = False
    doc: str = ""
    shapes: tuple[Shape, ...] = ()
    keys: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    iterated: bool = False

    @property
    def required(self) -> bool:
        """Whether a call has to pass it."""
        return self.default is None


@dataclass(frozen=True, slots=True)
class Imported:
    """A name that an expression needs, and where it comes from; without ``attribute`` it is the module itself."""

    name: str
    module: str
    attribute: str = ""


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call that the project makes, as closed expressions: local variables are replaced by what they were set to.

    ``init`` builds the instance (empty for a function); ``args`` and ``kwargs`` are the call's, absent where only the
    constructor was called; ``method`` is the method that is called, if it is not the instance itself.
    """

    init: str
    args: tuple[str, ...] | None
    kwargs: tuple[tuple[str, str], ...]
    imports: tuple[Imported, ...]
    where: CallSiteKind
    path: str
    line: int
    method: str = ""


@dataclass(frozen=True, slots=True)
class Hints:
    """Everything that the sources say about how a target is built and called."""

    target: str = ""
    init: tuple[Parameter, ...] = ()
    call: tuple[Parameter, ...] = ()
    sites: tuple[CallSite, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As what :mod:`json` writes."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Hints:
        """The same back."""
        return cls(
            target=data["target"],
            init=tuple(map(_parameter, data["init"])),
            call=tuple(map(_parameter, data["call"])),
            sites=tuple(map(_site, data["sites"])),
        )


def _parameter(data: Mapping[str, Any]) -> Parameter:
    lists = {key: tuple(data[key]) for key in ("keys", "attributes", "choices")}
    shapes = tuple(Shape(tuple(each["dims"]), each["dtype"], each["origin"]) for each in data["shapes"])
    return Parameter(**{**data, **lists, "shapes": shapes})


def _site(data: Mapping[str, Any]) -> CallSite:
    return CallSite(
        **{
            **data,
            "args": None if data["args"] is None else tuple(data["args"]),
            "kwargs": tuple((name, text) for name, text in data["kwargs"]),
            "imports": tuple(Imported(**each) for each in data["imports"]),
        }
    )
