"""The arguments of a call."""

from __future__ import annotations

from gblint.runtime.lazy_dataclasses import dataclass, field
from gblint.values.base import UNKNOWN, Unknown, Value
from gblint.values.objects import Instance


@dataclass(slots=True)
class Args:
    """The arguments of a call.  ``star`` and ``kwstar`` stand for any further ones that are not known one by one.

    ``optional`` has the names in ``kw`` that may be missing, and whether they usually are.
    """

    pos: tuple[Value, ...] = ()
    kw: dict[str, Value] = field(default_factory=dict)
    star: Value | None = None
    kwstar: Value | None = None
    optional: dict[str, bool] = field(default_factory=dict)

    @property
    def first(self) -> Value:
        """The first positional argument; nothing is known of it if there is none."""
        return self.pos[0] if self.pos else UNKNOWN

    def all(self) -> tuple[Value, ...]:
        """Every value among the arguments."""
        more = tuple(v for v in (self.star, self.kwstar) if v is not None)
        return (*self.pos, *self.kw.values(), *more)

    def get(self, index: int, name: str) -> Value | None:
        """The argument at a position or under a name."""
        if index < len(self.pos):
            return self.pos[index]
        return self.kw.get(name)

    def drop(self, count: int) -> Args:
        """The arguments after the first ``count`` positional ones."""
        return Args(self.pos[count:], self.kw, self.star, self.kwstar, self.optional)

    def prepend(self, *values: Value) -> Args:
        """The arguments with ``values`` before them."""
        return Args((*values, *self.pos), self.kw, self.star, self.kwstar, self.optional)


def says_less(args: Args, others: Args) -> bool:
    """Return whether arguments are unknown in some places, and elsewhere are those of another evaluation of a call.

    An object that stands for any object of its class, as in a method that is evaluated alone, says less than another.
    """
    if args.star or args.kwstar or len(args.pos) != len(others.pos) or args.kw.keys() != others.kw.keys():
        return False
    pairs = [*zip(args.pos, others.pos), *((value, others.kw[name]) for name, value in args.kw.items())]
    return any(one != other for one, other in pairs) and all(
        isinstance(one, Unknown) or one == other or _is_any_like(one, other) for one, other in pairs
    )


def _is_any_like(one: Value, other: Value) -> bool:
    """Return whether an object stands for any object of the class of another one, which does not."""
    if not isinstance(one, Instance) or not isinstance(other, Instance) or one.cls != other.cls:
        return False
    return one.from_defaults and not other.from_defaults
