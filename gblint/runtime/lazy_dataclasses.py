"""Dataclasses whose methods are generated on the first call.

A check of one file takes 155 ms with them and 205 ms with ``dataclasses``, which generates all methods at import.
``frozen=True`` only adds ``__hash__``: mypy checks that fields are not assigned, and real frozen fields are three times
as slow to set.  Rarely used methods are left to ``dataclasses``.
"""

from __future__ import annotations

import _thread

TYPE_CHECKING = False  # importing typing takes as long as this module

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace
else:
    _COMPARISONS = ("__lt__", "__le__", "__gt__", "__ge__")
    _LAZY_ATTRIBUTES = ("__match_args__", "__dataclass_fields__", "__dataclass_params__")
    _SUPPORTED_OPTIONS = {"default", "default_factory", "repr", "compare"}
    _ABSENT = object()
    _lock = _thread.RLock()
    # The body of each class as written in the source.
    _declared = {}

    def dataclass(cls=None, /, *, frozen=False, eq=True, order=False, slots=False):
        """Like ``dataclasses.dataclass``, but the methods are generated later."""
        options = {"eq": eq, "unsafe_hash": frozen and eq, "order": order}
        return (lambda each: _declare(each, options, slots)) if cls is None else _declare(cls, options, slots)

    def field(**options):
        """Like ``dataclasses.field``."""
        return _Field(options)

    def replace(record, /, **changes):
        """Like ``dataclasses.replace``."""
        cls = type(record)
        copied = getattr(cls, "_copied", None)  # method of a compiled class
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

    class _LazyAttribute:
        """Descriptor of a class attribute that is computed on first access."""

        __slots__ = ("cls", "name", "write")

        def __init__(self, cls, name, write):
            self.cls, self.name, self.write = cls, name, write

        def __get__(self, instance, owner=None):
            self.write(self.name)
            return getattr(self.cls, self.name)

    def _declare(written, options, slots):
        """Return the class ``written`` with stubs for the methods of a dataclass."""
        made = _with_slots(written) if slots else written
        own = dict(written.__dict__)
        _declared[made] = own
        started = []

        def write(name):
            """Generate the method ``name``; a rare one is generated with all others, by ``dataclasses``."""
            with _lock:
                if started:
                    return
                if name not in _GENERATORS or not _GENERATORS[name](made):
                    started.append(True)
                    _complete(made, own, options)

        if options["eq"] and not options["unsafe_hash"] and "__hash__" not in own:
            made.__hash__ = None
        methods = ["__init__", "__repr__", *(["__eq__"] if options["eq"] else ())]
        methods += [*(["__hash__"] if options["unsafe_hash"] else ()), *(_COMPARISONS if options["order"] else ())]
        for name in methods:
            if own.get(name) is None:
                setattr(made, name, _stub(made, name, write))
        for name in _LAZY_ATTRIBUTES:
            setattr(made, name, _LazyAttribute(made, name, write))
        return made

    def _stub(made, name, write):
        def method(self, *args, **kwargs):
            write(name)
            return getattr(made, name)(self, *args, **kwargs)

        return method

    def _fields(cls):
        """Return the fields of a class with their defaults; None if ``dataclasses`` has to generate the methods."""
        found = {}
        for base in reversed(cls.__mro__):
            own = _declared.get(base)
            if own is None and "__dataclass_fields__" in base.__dict__:
                return None
            for name, kind in base.__annotations__.items() if own is not None else ():
                default = own.get(name, _ABSENT)
                options = default.options if type(default) is _Field else ()
                if not _SUPPORTED_OPTIONS.issuperset(options) or getattr(type(default), "__hash__", None) is None:
                    return None
                if not str(kind).startswith("ClassVar"):
                    found[name] = default
        return found

    def _write(cls, name, parameters, body, known):
        """Compile a method and set it in ``cls``."""
        exec(f"def {name}({', '.join(parameters)}):\n " + "\n ".join(body), known)
        method = known[name]
        method.__qualname__ = f"{cls.__qualname__}.{name}"
        setattr(cls, name, method)
        return True

    def _write_init(cls):
        fields = _fields(cls)
        if fields is None or hasattr(cls, "__post_init__"):
            return False
        parameters, body, known = ["self"], [], {"_ABSENT": _ABSENT}
        for name, default in fields.items():
            value, parameter = name, f"{name}=_default_{name}"
            options = default.options if type(default) is _Field else {"default": default}
            if "default_factory" in options:
                known[f"_default_{name}"] = options["default_factory"]
                value, parameter = f"_default_{name}() if {name} is _ABSENT else {name}", f"{name}=_ABSENT"
            elif options.get("default", _ABSENT) is _ABSENT:
                parameter = name
            else:
                known[f"_default_{name}"] = options["default"]
            parameters.append(parameter)
            body.append(f"self.{name} = {value}")
        return _write(cls, "__init__", parameters, body or ["pass"], known)

    def _compared(cls):
        """Return the source of the compared fields of ``self``, each followed by a comma; None as for ``_fields``."""
        fields = _fields(cls)
        if fields is None:
            return None
        options = {name: default.options if type(default) is _Field else {} for name, default in fields.items()}
        return "".join(f"self.{name}, " for name in fields if options[name].get("compare", True))

    def _write_eq(cls):
        own = _compared(cls)
        if own is None:
            return False
        others = own.replace("self.", "other.")
        body = ["if other.__class__ is not self.__class__:", "  return NotImplemented", f"return ({own}) == ({others})"]
        return _write(cls, "__eq__", ["self", "other"], body, {})

    def _write_hash(cls):
        own = _compared(cls)
        return own is not None and _write(cls, "__hash__", ["self"], [f"return hash(({own}))"], {})

    def _write_match_args(cls):
        fields = _fields(cls)
        if fields is not None:
            cls.__match_args__ = tuple(fields)
        return fields is not None

    _GENERATORS = {
        "__init__": _write_init,
        "__eq__": _write_eq,
        "__hash__": _write_hash,
        "__match_args__": _write_match_args,
    }

    def _with_slots(written):
        """Return a copy of the class with a slot for each field that its bases have no slot for."""
        names = [name for name, kind in written.__annotations__.items() if not str(kind).startswith("ClassVar")]
        inherited = {slot for base in written.__mro__[1:] for slot in base.__dict__.get("__slots__", ())}
        body = _body(written.__dict__, without=names)
        body["__slots__"] = tuple(name for name in names if name not in inherited)
        made = type(written)(written.__name__, written.__bases__, body)
        made.__qualname__ = written.__qualname__
        return made

    def _body(own, without=()):
        return {key: value for key, value in own.items() if key not in ("__dict__", "__weakref__", *without)}

    def _standard(made, own, options):
        """Return the class that ``dataclasses`` makes from the source of the class."""
        import dataclasses

        body = {
            key: dataclasses.field(**value.options) if isinstance(value, _Field) else value
            for key, value in _body(own).items()
        }
        written = type(made)(made.__name__, made.__bases__, body)
        written.__qualname__ = made.__qualname__
        return dataclasses.dataclass(**options)(written)

    def _complete(made, own, options):
        """Set all methods that ``dataclasses`` generates for the class."""
        for name, value in _standard(made, own, options).__dict__.items():
            if name not in made.__annotations__ and own.get(name) is not value and name not in _OF_A_CLASS:
                setattr(made, name, value)

    _OF_A_CLASS = ("__dict__", "__weakref__", "__module__", "__qualname__")
