"""The bases of a class that a ``class`` statement makes."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable

from gblint.interp.domain import builtin_names
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import Const, Value, members
from gblint.values.objects import Class, ExternalName, is_nn_module_class


def set_bases(interp: Interpreter, cls: Class, frame: Frame) -> None:
    """Set the bases of a class, its method resolution order, and the classes without source that it inherits from."""
    inherit(cls, [interp.eval(expression, frame) for expression in cls.node.bases])


def inherit(cls: Class, values: Iterable[Value]) -> None:
    """Let a class inherit from the values of its bases."""
    externals: list[str] = []
    bases: list[Class] = []
    cls.complete = True
    for base in (each for value in values for each in members(value)):
        if isinstance(base, Class) and base is not cls and cls not in base.mro:
            bases.append(base)
            cls.complete = cls.complete and base.complete
        elif isinstance(base, ExternalName):
            externals.append(builtin_names.canonical(base.name))
        elif not isinstance(base, Const):
            cls.complete = False
    cls.bases = tuple(bases)
    cls.mro = _linearize(cls, bases)
    for other in cls.mro[1:]:
        externals.extend(other.externals)
    if any(is_nn_module_class(ExternalName(e)) for e in externals):
        externals.append("torch.nn.Module")
    cls.externals = tuple(dict.fromkeys(externals))


def made_by_base(interp: Interpreter, node: ast.ClassDef, frame: Frame, place: int) -> Class | None:
    """Evaluate the bases of a class; return the class if that has made it, perhaps before all bases were known.

    A base class with a registry calls ``__init_subclass__`` for its subclasses as soon as it is looked up.
    """
    pending = ("bases", place)
    if not node.bases or frame.mode.tracing or pending in interp.calls.in_progress:
        return None
    interp.calls.in_progress.add(pending)
    try:
        for expression in node.bases:
            interp.eval(expression, frame)
    finally:
        interp.calls.in_progress.discard(pending)
    return interp.caches.classes.get(place)


def _linearize(cls: Class, bases: list[Class]) -> tuple[Class, ...]:
    """Return the method resolution order (C3); if there is none, depth first without repetition."""
    sequences = [*(b.mro for b in bases), tuple(bases)]
    firsts = [0] * len(sequences)
    # How often a class is in a sequence behind the first one that is left: merging is linear for each sequence then.
    later = Counter(c for sequence in sequences for c in sequence[1:])
    out = [cls]
    while True:
        left = [sequence[first] for sequence, first in zip(sequences, firsts) if first < len(sequence)]
        if not left:
            return tuple(out)
        head = next((c for c in left if not later[c]), None)
        if head is None:
            rest = [c for sequence, first in zip(sequences, firsts) for c in sequence[first:]]
            return tuple(dict.fromkeys([*out, *rest]))
        out.append(head)
        for index, sequence in enumerate(sequences):
            if firsts[index] < len(sequence) and sequence[firsts[index]] is head:
                firsts[index] += 1
                if firsts[index] < len(sequence):
                    later[sequence[firsts[index]]] -= 1
