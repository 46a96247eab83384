"""Values with an identity: classes, instances, functions and external names."""

from __future__ import annotations

import ast
import itertools
from typing import TYPE_CHECKING

from gblint.diagnostics.entry_point import OptionSource
from gblint.runtime.lazy_dataclasses import dataclass, field
from gblint.values.base import STR, UNKNOWN, Value

if TYPE_CHECKING:
    from gblint.project.modules import Module

_uids = itertools.count(1)


def next_uid() -> int:
    """Return a number above those of all instances made so far, and below those of later ones."""
    return next(_uids)


@dataclass(frozen=True, slots=True)
class ExternalName(Value):
    """An object known by its public qualified name only: ``torch.topk``, ``numpy.interp``, ``builtins.print``."""

    name: str


@dataclass(frozen=True, slots=True)
class ExternalObject(Value):
    """An instance of an external class, such as a ``torch.device``, a logger or a PIL image."""

    cls: str
    pre_existing: bool = False


@dataclass(frozen=True, slots=True)
class FileObject(ExternalObject):
    """A path of ``pathlib``, or an open file, with the text of its path."""

    path: Value = STR


@dataclass(frozen=True, slots=True)
class ContextVariable(ExternalObject):
    """A variable of ``contextvars``, with the value that it has before it is set; None if it has none."""

    default: Value | None = None


@dataclass(frozen=True, slots=True)
class Getter(ExternalObject):
    """An ``operator.attrgetter``, ``itemgetter`` or ``methodcaller``, with the arguments that it was made with."""

    args: tuple[Value, ...] = ()
    kwargs: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class WeakReference(ExternalObject):
    """A ``weakref.ref`` or ``weakref.proxy``, with the object that it refers to."""

    referent: Value = UNKNOWN


@dataclass(frozen=True, slots=True)
class ModuleRef(Value):
    """A Python module whose source is at hand.

    ``path`` is its file, which tells it from another module of the same name; empty for a namespace package.
    """

    name: str
    path: str = ""


class Scope:
    """The variables of one call of a function, or of one class body; closures keep it alive.

    in_region: Dynamo traces the call, so that it has no object for a function that is defined in it.
    """

    __slots__ = ("cells", "in_region", "parent")

    def __init__(self, cells: dict[str, Value], parent: Scope | None, in_region: bool = False) -> None:
        self.cells = cells
        self.parent = parent
        self.in_region = in_region

    def lookup(self, name: str) -> Value | None:
        """Return the variable that a function defined in this scope sees under ``name``."""
        scope: Scope | None = self
        while scope is not None:
            value = scope.cells.get(name)
            if value is not None:
                return value
            scope = scope.parent
        return None


FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True, eq=False)
class Function(Value):
    """A function with its source."""

    node: FunctionNode
    module: Module
    name: str
    scope: Scope | None = None
    owner: Class | None = None
    defaults: tuple[Value, ...] = ()
    kw_defaults: tuple[Value | None, ...] = ()
    marks: frozenset[str] = frozenset()

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Function)
            and self.node is other.node
            and self.scope is other.scope
            and self.owner is other.owner
            and self.marks == other.marks
            and self.defaults == other.defaults
            and self.kw_defaults == other.kw_defaults
        )

    def __hash__(self) -> int:
        return hash((id(self.node), id(self.scope), id(self.owner)))


@dataclass(frozen=True, slots=True)
class BoundMethod(Value):
    """A function with its first argument."""

    function: Value
    receiver: Value


@dataclass(frozen=True, slots=True)
class BuiltinMethod(Value):
    """A method of a value that has no source: a tensor, a list, a string, an external object."""

    receiver: Value
    name: str


@dataclass(frozen=True, slots=True)
class Partial(Value):
    """``functools.partial``."""

    function: Value
    args: tuple[Value, ...]
    kwargs: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Toggle(Value):
    """The result of ``torch._dynamo.error_on_graph_break``.

    ``on`` is its argument, ``source`` the place of the call.
    """

    on: Value
    source: OptionSource


@dataclass(frozen=True, slots=True)
class SettingsPatch(Value):
    """The result of ``torch._dynamo.config.patch`` outside of a region.

    ``settings`` are the fields of ``DynamoConfig`` that hold where it is entered.
    """

    settings: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class Super(Value):
    """``super()``: look-ups start after ``after`` in the receiver's class."""

    after: Class
    receiver: Value


class Class(Value):
    """A class with its source; ``outer`` is the class in whose body it is defined."""

    __slots__ = (
        "attrs",
        "bases",
        "complete",
        "decorators",
        "externals",
        "module",
        "mro",
        "name",
        "node",
        "outer",
        "qualname",
        "scope",
    )

    def __init__(
        self, node: ast.ClassDef, module: Module, name: str, scope: Scope | None, outer: Class | None = None
    ) -> None:
        self.node = node
        self.module = module
        self.name = name
        self.qualname = f"{module.name}.{name}"
        self.scope = scope
        self.outer = outer
        self.bases: tuple[Value, ...] = ()
        self.mro: tuple[Class, ...] = (self,)
        self.externals: tuple[str, ...] = ()
        self.attrs: dict[str, Value] = {}
        self.decorators: frozenset[str] = frozenset()
        self.complete = True

    def inherits(self, *names: str) -> bool:
        """Return whether an external class of one of these names is among the bases."""
        return not frozenset(names).isdisjoint(self.externals)

    @property
    def is_protocol(self) -> bool:
        """Whether the class is itself a protocol, rather than a class that implements one."""
        bases = [each.value if isinstance(each, ast.Subscript) else each for each in self.node.bases]
        return any((b.attr if isinstance(b, ast.Attribute) else getattr(b, "id", "")) == "Protocol" for b in bases)

    def __repr__(self) -> str:
        return f"Class({self.qualname})"


@dataclass(slots=True, eq=False)
class Instance(Value):
    """An object of a class with source, or of an external ``nn.Module`` class.

    ``attrs`` holds what was stored on it.  ``from_defaults`` is true where it was built with unknown arguments: a
    declared default that ended up in it is only the usual value.  ``partial`` is true where attributes may be missing
    from ``attrs``.  ``pre_existing`` is true for an object made before the compiled region.  ``branch_id`` is the
    branch of the program in which it was made, 0 outside of branches.
    """

    cls: Class | ExternalName
    attrs: dict[str, Value] = field(default_factory=dict)
    from_defaults: bool = False
    branch_id: int = 0
    version: int = 0
    uid: int = field(default_factory=lambda: next(_uids))
    partial: bool = False
    pre_existing: bool = True

    @property
    def class_name(self) -> str:
        """The qualified name of its class."""
        return self.cls.qualname if isinstance(self.cls, Class) else self.cls.name

    def __repr__(self) -> str:
        return f"Instance({self.class_name}#{self.uid})"


_TENSOR_NAMES = frozenset(("Parameter", "Buffer", "UninitializedParameter", "UninitializedBuffer"))


# Bases that give their instances no methods to call.
METHODLESS = frozenset(("abc.ABC", "builtins.object", "typing.Generic", "typing.Protocol"))


# Classes of libraries that derive from ``torch.nn.Module``, for environments without these libraries.
_LIBRARY_MODULES = frozenset(
    (
        ("composer", "ComposerModel"),
        ("diffusers", "ModelMixin"),
        ("gpytorch", "Module"),
        ("lightning", "LightningModule"),
        ("mmcv", "BaseModule"),
        ("mmengine", "BaseModel"),
        ("mmengine", "BaseModule"),
        ("pytorch_lightning", "LightningModule"),
        ("torch_geometric", "MessagePassing"),
        ("torchmetrics", "Metric"),
        ("transformers", "PreTrainedModel"),
    )
)


def is_nn_module(value: Value) -> bool:
    """Return whether ``value`` is an ``nn.Module``."""
    if not isinstance(value, Instance):
        return False
    return is_nn_module_class(value.cls)


def is_nn_module_class(cls: Value) -> bool:
    """Return whether ``cls`` is an ``nn.Module`` class."""
    if isinstance(cls, ExternalName):
        return _names_nn_module(cls.name)
    if isinstance(cls, Class):
        return any(_names_nn_module(name) for name in cls.externals)
    return False


def _names_nn_module(name: str) -> bool:
    """Return whether a name is that of an ``nn.Module`` class: ``torch.nn.Linear``, ``torch.nn.modules.loss._Loss``."""
    last = name.rpartition(".")[2]
    if (name.partition(".")[0], last) in _LIBRARY_MODULES:
        return True
    modules = ("torch.nn.", "torch.distributed.fsdp.FullySharded")
    return name.startswith(modules) and last.lstrip("_")[:1].isupper() and last not in _TENSOR_NAMES


@dataclass(frozen=True, slots=True)
class EnumMember:
    """The value of a member of an enum whose values are not strings; ``owner`` is its class."""

    cls: str
    name: str
    value: Value
    owner: Value | None = field(default=None, compare=False)
