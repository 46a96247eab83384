"""Dataclasses that cost a process nothing before it makes one, and whose fields are not guarded when it does.

Writing the methods of a dataclass takes longer than loading its module, and most runs use few of them: here each method
is written when it is first called, and what is seldom called is left to ``dataclasses``.  What says that it is frozen
has a hash, and is otherwise like the rest: the type checker sees that its fields are never set again.  Values and
places are made by the million, and the fields of what Python takes for frozen are set thrice as slowly.
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
    _ORDINARY = {"default", "default_factory", "repr", "compare"}
    _ABSENT = object()
    _lock = _thread.RLock()
    # What was written in each class.
    _declared = {}

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
        """An attribute of a class that is there once somebody asks for it."""

        __slots__ = ("cls", "name", "write")

        def __init__(self, cls, name, write):
            self.cls, self.name, self.write = cls, name, write

        def __get__(self, instance, owner=None):
            self.write(self.name)
            return getattr(self.cls, self.name)

    def _declare(written, options, slots):
        """The class that stands for the one that is ``written``, with its methods still to come."""
        made = _with_slots(written) if slots else written
        own = dict(written.__dict__)
        _declared[made] = own
        started = []

        def write(name):
            """Have ``name`` written; what is seldom asked for comes with all that a dataclass has."""
            with _lock:
                if started:
                    return
                if name not in _WRITTEN or not _WRITTEN[name](made):
                    started.append(True)
                    _complete(made, own, options)

        if options["eq"] and not options["unsafe_hash"] and "__hash__" not in own:
            made.__hash__ = None
        methods = ["__init__", "__repr__", *(["__eq__"] if options["eq"] else ())]
        methods += [*(["__hash__"] if options["unsafe_hash"] else ()), *(_COMPARISONS if options["order"] else ())]
        for name in methods:
            if own.get(name) is None:
                setattr(made, name, _stub(made, name, write))
        for name in _TOLD:
            setattr(made, name, _Later(made, name, write))
        return made

    def _stub(made, name, write):
        def method(self, *args, **kwargs):
            write(name)
            return getattr(made, name)(self, *args, **kwargs)

        return method

    def _fields(cls):
        """The fields of a class, with their defaults; None if there is anything out of the ordinary."""
        found = {}
        for base in reversed(cls.__mro__):
            own = _declared.get(base)
            if own is None and "__dataclass_fields__" in base.__dict__:
                return None
            for name, kind in base.__annotations__.items() if own is not None else ():
                default = own.get(name, _ABSENT)
                options = default.options if type(default) is _Field else ()
                if not _ORDINARY.issuperset(options) or getattr(type(default), "__hash__", None) is None:
                    return None
                if not str(kind).startswith("ClassVar"):
                    found[name] = default
        return found

    def _write(cls, name, parameters, body, known):
        """Compile a method of ``cls``."""
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
        """What is compared, of ``self``."""
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

    _WRITTEN = {
        "__init__": _write_init,
        "__eq__": _write_eq,
        "__hash__": _write_hash,
        "__match_args__": _write_match_args,
    }

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

    def _standard(made, own, options):
        """The class as ``dataclasses`` makes it of what is in the source."""
        import dataclasses

        body = {
            key: dataclasses.field(**value.options) if isinstance(value, _Field) else value
            for key, value in _body(own).items()
        }
        written = type(made)(made.__name__, made.__bases__, body)
        written.__qualname__ = made.__qualname__
        return dataclasses.dataclass(**options)(written)

    def _complete(made, own, options):
        """Take all that the class would have from ``dataclasses``."""
        for name, value in _standard(made, own, options).__dict__.items():
            if name not in made.__annotations__ and own.get(name) is not value and name not in _OF_A_CLASS:
                setattr(made, name, value)

    _OF_A_CLASS = ("__dict__", "__weakref__", "__module__", "__qualname__")
