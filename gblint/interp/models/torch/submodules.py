"""The submodules of an ``nn.Module``, with their names: ``children()``, ``named_modules()``, ``get_submodule("a")``."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import islice
from typing import Final

from gblint.values import containers
from gblint.values.base import STR, UNKNOWN, Const, Value, members
from gblint.values.containers import Mapping, Seq
from gblint.values.lattice import element, join_all
from gblint.values.objects import Instance, is_nn_module

MAX_KEPT_MODULES = 100
"""As many as the rounds of a loop that runs one by one outside of the region."""
MAX_PATHS = 1_000
"""Names of submodules that are compared with a name, or looked at."""
UNNAMED: Final = "*"
"""Stands for a name that is not known; the attribute with the submodules that have such a name."""


def children(base: Instance) -> list[tuple[str, Value]]:
    """Return the submodules of an instance, with their names."""
    attributes = [(name, each) for name, value in base.attrs.items() if name != "__items__" for each in members(value)]
    found = [(name, each) for name, each in attributes if is_nn_module(each)]
    items = base.attrs.get("__items__")
    if isinstance(items, Seq):
        if items.items is not None:
            parts = [v for _, v in found]
            found += [(str(i), v) for i, v in enumerate(items.items) if all(v is not part for part in parts)]
        else:
            found.append((UNNAMED, items.rest))
    elif isinstance(items, Mapping):
        found += [(str(k.value) if isinstance(k, Const) else UNNAMED, v) for k, v in items.entries]
        if items.rest is not None:
            found.append((UNNAMED, items.rest))
    return found


def below(base: Instance, seen: set[int]) -> list[Value]:
    """Return the submodules of an instance and theirs, each once; those in ``seen`` are left out."""
    out: list[Value] = []
    for child in [each for _, value in children(base) for each in members(value)]:
        if isinstance(child, Instance) and child.uid not in seen:
            seen.add(child.uid)
            out.append(child)
            out += below(child, seen)
    return out


def _named(base: Instance) -> list[tuple[str, Value]]:
    """Return an instance and its submodules under all their dotted names; MAX_PATHS at most.

    Equal parts are one object here, which has several names.
    """
    return list(islice(_paths(base, "", frozenset()), MAX_PATHS))


def _paths(module: Instance, path: str, above: frozenset[int]) -> Iterator[tuple[str, Instance]]:
    yield path, module
    above |= {module.uid}
    for name, value in children(module):
        for each in members(value):
            if isinstance(each, Instance) and each.uid not in above:
                yield from _paths(each, f"{path}.{name}" if path else name, above)


def iterated(base: Instance, method: str, *, tracing: bool, in_library: bool) -> Value:
    """Return the result of ``children()`` or ``modules()``, also with names.

    Code of libraries gets each object once and without its name: each name would be another kind of argument there.
    """
    named = children(base)
    if method == "named_modules" and not in_library:
        named = _named(base)
    elif method.endswith("modules"):
        named = [(UNNAMED, each) for each in (base, *below(base, {base.uid}))]
    elif in_library:
        named = [(UNNAMED, each) for _, each in named]
    any_ = element(Seq("list", tuple([value for _, value in named]))) if named else UNKNOWN
    # Eager code may select modules by class or by name, so they are kept one by one.
    each = None if tracing else _one_by_one(named)
    if not method.startswith("named"):
        return containers.Iterator("generator", any_, items=None if each is None else tuple([one for _, one in each]))
    pairs = None if each is None else tuple([Seq("tuple", (_text(name), one)) for name, one in each])
    return containers.Iterator("generator", Seq("tuple", (STR, any_)), items=pairs)


def at(base: Instance, name: Value | None) -> Value:
    """Return the result of ``get_submodule(name)``; all submodules if the name is not known, or leads to none."""
    known = [module for path, module in _named(base) if path == name.value] if isinstance(name, Const) else []
    found = known or below(base, {base.uid})
    return join_all(found) if found else UNKNOWN


def _text(name: str) -> Value:
    return STR if UNNAMED in name else Const(name)


def _one_by_one(named: list[tuple[str, Value]]) -> list[tuple[str, Value]]:
    """Return the modules one by one; without names if they have more than a loop runs for.

    Of more modules than a loop runs for, the first of each class is returned.
    """
    each = [(name, one) for name, value in named for one in members(value)]
    if len(each) <= MAX_KEPT_MODULES:
        return each
    once = list({_identity(one): one for _, one in each}.values())
    if len(once) > MAX_KEPT_MODULES:
        first: dict[Hashable, Value] = {}
        for one in once:
            first.setdefault(one.class_name if isinstance(one, Instance) else one, one)
        once = list(first.values())
    return [(UNNAMED, one) for one in once]


def _identity(value: Value) -> Hashable:
    return value.uid if isinstance(value, Instance) else value
