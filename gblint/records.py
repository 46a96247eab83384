"""Dataclasses that cost a process nothing before it makes one, and whose fields are not guarded when it does.

Writing the methods of a dataclass takes longer than loading its module, and most runs use few of them: here the methods
are written when the first of them is called.  What says that it is frozen has a hash, and is otherwise like the rest:
the type checker sees that its fields are never set again.  Values and places are made by the million, and the fields of
what Python takes for frozen are set thrice as slowly.
"""

from __future__ import annotations

import _thread

TYPE_CHECKING = False  # the module typing costs as much as all of this

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace
else:
    _COMPARISONS = ("__lt__", "__le__", "__gt__", "__ge__")
    _TOLD = ("__match_args__", "__dataclass_fields__", "__dataclass_params__")
    _lock = _thread.RLock()

    def dataclass(cls=None, /, *, frozen=False, eq=True, order=False, slots=False):
        """As ``dataclasses.dataclass``, in its own time."""
        options = {"eq": eq, "unsafe_hash": frozen and eq, "order": order}
        return (lambda each: _declare(each, options, slots)) if cls is None else _declare(cls, options, slots)

    def field(**options):
        """As ``dataclasses.field``."""
        return _Field(options)

    def replace(record, /, **changes):
        """As ``dataclasses.replace``."""
        cls = type(record)
        copied = getattr(cls, "_copied", None)  # of a class that was compiled
        if copied is not None:
            made = copied(record)
            if type(made) is cls:
                for name, value in changes.items():
                    setattr(made, name, value)
                return made
        for name in cls.__match_args__:
            if name not in changes:
                changes[name] = getattr(record, name)
        return cls(**changes)

    class _Field:
        __slots__ = ("options",)

        def __init__(self, options):
            self.options = options

    class _Later:
        """An attribute of a class that is there once the class is complete."""

        __slots__ = ("cls", "complete", "name")

        def __init__(self, cls, name, complete):
            self.cls, self.name, self.complete = cls, name, complete

        def __get__(self, instance, owner=None):
            self.complete()
            return getattr(self.cls, self.name)

    def _declare(written, options, slots):
        """The class that stands for the one that is ``written``, with its methods still to come."""
        made = _with_slots(written) if slots else written
        own = dict(written.__dict__)
        started = []

        def complete():
            with _lock:
                if not started:
                    started.append(True)
                    _complete(made, own, options)

        if options["eq"] and not options["unsafe_hash"] and "__hash__" not in own:
            made.__hash__ = None
        methods = ["__init__", "__repr__", *(["__eq__"] if options["eq"] else ())]
        methods += [*(["__hash__"] if options["unsafe_hash"] else ()), *(_COMPARISONS if options["order"] else ())]
        for name in methods:
            if own.get(name) is None:
                setattr(made, name, _stub(made, name, complete))
        for name in _TOLD:
            setattr(made, name, _Later(made, name, complete))
        return made

    def _stub(made, name, complete):
        def method(self, *args, **kwargs):
            complete()
            return getattr(made, name)(self, *args, **kwargs)

        return method

    def _with_slots(written):
        """The class once more, with a slot for each field that its bases have none for."""
        names = [name for name, kind in written.__annotations__.items() if not str(kind).startswith("ClassVar")]
        inherited = {slot for base in written.__mro__[1:] for slot in base.__dict__.get("__slots__", ())}
        body = _body(written.__dict__, without=names)
        body["__slots__"] = tuple(name for name in names if name not in inherited)
        made = type(written)(written.__name__, written.__bases__, body)
        made.__qualname__ = written.__qualname__
        return made

    def _body(own, without=()):
        return {key: value for key, value in own.items() if key not in ("__dict__", "__weakref__", *without)}

    def _complete(made, own, options):
        """Have the methods written for a copy of the class as it is in the source, with its defaults, and take them."""
        import dataclasses

        body = {
            key: dataclasses.field(**value.options) if isinstance(value, _Field) else value
            for key, value in _body(own).items()
        }
        written = type(made)(made.__name__, made.__bases__, body)
        written.__qualname__ = made.__qualname__
        dataclasses.dataclass(**options)(written)
        for name, value in written.__dict__.items():
            if name not in made.__annotations__ and own.get(name) is not value and name not in _OF_A_CLASS:
                setattr(made, name, value)

    _OF_A_CLASS = ("__dict__", "__weakref__", "__module__", "__qualname__")
