"""What the modules of a compiled gblint need besides those of Python: see the folder ``compiled`` of the source."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr as mypyc_attr

    def is_compiled() -> bool:
        """Whether the interpreter of gblint was compiled."""
        return False

    def describe(cls: type, /, **fields: str) -> None:
        """Let the module ``dataclasses`` know the fields of a record that was written out."""
else:

    def mypyc_attr(**_):
        """What is only said to the compiler."""
        return lambda cls: cls

    def is_compiled():
        from importlib.util import find_spec

        return find_spec("gblint__mypyc") is not None

    def describe(cls, /, **fields):
        cls.__annotations__ = fields
        cls.__dataclass_fields__ = _Fields(cls.__name__, fields)

    class _Fields:
        """The fields of a class, made of their names when somebody asks."""

        __slots__ = ("fields", "made", "name")

        def __init__(self, name, fields):
            self.name, self.fields, self.made = name, fields, None

        def __get__(self, instance, owner=None):
            if self.made is None:
                import dataclasses

                self.made = dataclasses.make_dataclass(self.name, self.fields.items()).__dataclass_fields__
            return self.made
