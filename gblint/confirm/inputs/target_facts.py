"""Facts about a target from the sources: frozen data with JSON conversion both ways."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

CallSiteKind = Literal["test", "script", "docstring", "readme"]


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape from the sources: dimensions by name or size, and the dtype if given."""

    dims: tuple[str, ...]
    dtype: str = ""
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Parameter:
    """Static facts about one parameter."""

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
        """Return whether a call has to pass it."""
        return self.default is None


@dataclass(frozen=True, slots=True)
class Imported:
    """An imported name that an expression needs; without ``attribute`` it is the module itself."""

    name: str
    module: str
    attribute: str = ""


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call in the project, as closed expressions: local variables are replaced by their values.

    ``init`` builds the instance (empty for a function). ``args`` and ``kwargs`` are the call's arguments; ``args`` is
    None if only the constructor was called. ``method`` is the called method, "" for the instance itself.
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
    """Static facts about how a target is built and called.

    ``conditions`` are those before predicted breaks, each with the value that it has there.
    """

    target: str = ""
    init: tuple[Parameter, ...] = ()
    call: tuple[Parameter, ...] = ()
    sites: tuple[CallSite, ...] = ()
    conditions: tuple[tuple[str, bool], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return plain data for :mod:`json`."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Hints:
        """Read hints from plain data."""
        return cls(
            target=data["target"],
            init=tuple(map(_parameter, data["init"])),
            call=tuple(map(_parameter, data["call"])),
            sites=tuple(map(_site, data["sites"])),
            conditions=tuple((text, holds) for text, holds in data.get("conditions", ())),
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
