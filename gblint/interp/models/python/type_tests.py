"""Type tests: ``isinstance``, ``hasattr``, ``callable``."""

from __future__ import annotations

import ast
import builtins
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any, Final

from gblint.interp.domain import dtypes
from gblint.interp.models.python import exceptions, versions
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import BOOL, FLOAT, INT, STR, Const, Scalar, Tensor, TextMember, Union, Unknown, Value, members
from gblint.values.containers import Iterator, Mapping, Range, Seq, Slice
from gblint.values.dispatch import HandlersByClass
from gblint.values.lattice import join_all
from gblint.values.objects import (
    BoundMethod,
    BuiltinMethod,
    Class,
    ExternalName,
    ExternalObject,
    Function,
    Instance,
    Partial,
    is_nn_module,
)
from gblint.values.wrapped import Wrapped

_TENSOR_CLASSES = {
    "torch.Tensor": None,
    "torch.FloatTensor": "float",
    "torch.DoubleTensor": "float",
    "torch.HalfTensor": "float",
    "torch.LongTensor": "int",
    "torch.IntTensor": "int",
    "torch.BoolTensor": "bool",
    "torch.ByteTensor": "uint8",
    "torch.cuda.FloatTensor": "float",
    "torch.cuda.LongTensor": "int",
}
# Attributes of torch that are known without parsing it, which takes a while.
_OF_TORCH = {"torch.__version__", "torch.__file__", "torch.__path__"}
_SEQUENCES = {"collections.abc.Sequence", "typing.Sequence", "typing.List", "typing.Tuple", "collections.Sequence"}
_ITERABLES = {"collections.abc.Iterable", "typing.Iterable", "collections.abc.Collection", "collections.abc.Sized"}
_CONTAINERS: Final[dict[str, object]] = {
    **{kind.__name__: kind() for kind in (list, tuple, set, dict)},
    **{kind.__name__: kind() for kind in (OrderedDict, defaultdict, Counter)},
}
_BUILTIN_CONTAINERS: Final = frozenset(("builtins.list", "builtins.tuple", "builtins.dict"))
_MAPPINGS = {"collections.abc.Mapping", "typing.Mapping", "collections.abc.MutableMapping", "typing.Dict"}
# The class of ``A | B``.
UNION_TYPE: Final = ExternalObject("types.UnionType")
_NUMBERS = {"numbers.Number", "numbers.Real", "numbers.Integral", "numbers.Complex"}


def tensor_class(name: str) -> Tensor | None:
    """Return the tensor for an external class such as ``torch.LongTensor``."""
    if name in _TENSOR_CLASSES:
        return Tensor(dtype=_TENSOR_CLASSES[name])
    if name in ("torch.nn.Parameter", "torch.nn.Buffer"):
        return Tensor(is_input=True)
    if name in ("numpy.ndarray", "numpy.typing.NDArray", "numpy.typing.ArrayLike"):
        return Tensor(ndarray=True)
    return None


def is_instance(interp: Interpreter, value: Value, cls: Value) -> bool | None:
    """Return ``isinstance(value, cls)``; None if it is unknown."""
    if isinstance(cls, Seq) and cls.items is not None:
        answers = [is_instance(interp, value, c) for c in cls.items]
        return True if True in answers else None if None in answers else False
    if isinstance(value, Union):
        found = {is_instance(interp, v, cls) for v in value.members}
        return found.pop() if len(found) == 1 else None
    if isinstance(cls, Union):
        answers = [is_instance(interp, value, c) for c in cls.members]
        return True if True in answers else None if None in answers else False
    if isinstance(value, Unknown):
        return None
    if isinstance(cls, Class):
        answer = _is_user_instance(value, cls)
        if answer is not False:
            return answer
        if cls.is_protocol:
            return _has_members(interp, value, cls)
        return None if _asks_metaclass(interp, value, cls) else answer
    if isinstance(cls, ExternalName):
        return _INSTANCE_TESTS[type(value)](value, cls.name)
    if isinstance(cls, Const) and cls.value is None:
        return isinstance(value, Const) and value.value is None
    return None


def asks_for_special(interp: Interpreter, value: Value, cls: Value) -> bool:
    """Return whether ``isinstance(value, cls)`` holds only if an object of a special class is passed.

    Nothing that is known of ``value`` is an instance of ``cls``, and ``cls`` is not a class of plain data, or ``value``
    is taken for a tensor and ``cls`` is that of a container.
    """
    if isinstance(cls, Seq) and cls.items:
        return all(asks_for_special(interp, value, each) for each in cls.items)
    if isinstance(cls, ExternalName):
        plain = cls.name.partition(".")[0] in ("builtins", "typing", "collections", "numbers", "torch")
        of_guess = cls.name in _BUILTIN_CONTAINERS and any(map(is_guess, members(value)))
        if plain and cls.name not in ("builtins.str", "builtins.bytes") and not of_guess:
            return False
    elif not isinstance(cls, Class) or any(_asks_metaclass(interp, each, cls) for each in members(value)):
        return False
    return all(is_instance(interp, each, cls) is not True for each in members(value))


def tested_classes(interp: Interpreter, call: ast.AST, cls: Value, frame: Frame) -> Value:
    """Return the second argument ``cls`` of a call of ``isinstance``; that of ``A | B`` as a tuple of the classes."""
    if cls != UNION_TYPE or not isinstance(call, ast.Call) or len(call.args) != 2:
        return cls
    found: list[Value] = []
    left = [call.args[1]]
    while left:
        node = left.pop()
        if isinstance(node, ast.BinOp):
            left += [node.left, node.right]
        else:
            found.append(interp.eval(node, frame))
    return cls if UNION_TYPE in found else Seq("tuple", tuple(found))


def _asks_metaclass(interp: Interpreter, value: Value, cls: Class) -> bool:
    """Return whether the metaclass of ``cls`` answers for objects of other classes, with ``__instancecheck__``.

    Dynamo lets Python ask it for an object with source (``BuiltinVariable.call_isinstance``).
    """
    if not isinstance(value, (Instance, ExternalObject)):
        return False
    return has_own_test(interp, cls, "__instancecheck__")


def has_own_test(interp: Interpreter, cls: Class, name: str) -> bool:
    """Return whether a class answers itself for others: by a method of its metaclass, or by ``__subclasshook__``."""
    if interp.class_attribute(cls, "__subclasshook__") is not None:
        return True
    for base in cls.mro:
        for keyword in base.node.keywords:
            if keyword.arg == "metaclass":
                meta = interp.eval(keyword.value, interp.module_frame(base.module))
                if isinstance(meta, Class) and interp.class_attribute(meta, name) is not None:
                    return True
    return False


def _has_members(interp: Interpreter, value: Value, cls: Class) -> bool | None:
    """Return whether an object has all members of a protocol; None if it is unknown."""
    if not isinstance(value, Instance) or not all(base.is_protocol for base in cls.mro):
        return None
    names = {s.name for base in cls.mro for s in base.node.body if isinstance(s, ast.FunctionDef)}
    names |= {
        s.target.id
        for c in cls.mro
        for s in c.node.body
        if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)
    }
    answers = {interp.has_attribute(value, name) for name in names}
    return True if answers <= {True} else None if False not in answers else False


def is_any_module(value: Value) -> bool:
    """Return whether of ``value`` is known only that it is an ``nn.Module``."""
    return isinstance(value, Instance) and value.partial and value.cls == ExternalName("torch.nn.Module")


def _is_user_instance(value: Value, cls: Class) -> bool | None:
    if isinstance(value, Instance):
        if isinstance(value.cls, Class):
            if cls in value.cls.mro:
                return True
            if not value.cls.complete or (value.from_defaults and value.cls in cls.mro):
                return None
        return None if is_any_module(value) else False
    if isinstance(value, ExternalObject):
        return None
    if isinstance(value, Const) and isinstance(value.value, TextMember):
        return isinstance(value.value.cls, Class) and cls in value.value.cls.mro
    if isinstance(value, Const) and cls.inherits("enum.Enum") and isinstance(value.value, str):
        return None
    return False


def _is_tensor_instance(value: Tensor, name: str) -> bool | None:
    if name in ("torch.Tensor", "torch._tensor.Tensor", "torch.TensorBase"):
        return not value.ndarray
    if name in _TENSOR_CLASSES:
        family = _TENSOR_CLASSES[name]
        return False if value.ndarray or (value.dtype is not None and value.dtype != family) else None
    if name in ("numpy.ndarray",):
        return value.ndarray or (None if is_guess(value) else False)
    if name.startswith("numpy."):
        return None if value.ndarray else False
    if name in ("torch.nn.Parameter", "torch.nn.parameter.Parameter", "torch.nn.Buffer"):
        return None if value.is_input else False
    if name == "builtins.str" and value.is_input:
        return None  # an annotation, such as that of a dict, may be wrong about some of the values
    if name in _BUILTIN_CONTAINERS and is_guess(value):
        return None
    if name.startswith("builtins."):
        return name == "builtins.object"
    if name in _NUMBERS:
        return False
    if name in _ITERABLES:
        return None
    if name.startswith("PIL.") and is_guess(value):
        return None
    return False if name.startswith(("collections.", "typing.", "PIL.", "torch.nn.")) else None


def is_guess(value: Value) -> bool:
    """Return whether an argument is only taken for a tensor: it is not annotated, or may be an array as well."""
    return isinstance(value, Tensor) and value.is_input and not value.proven


def _is_constant_instance(constant: Const, name: str) -> bool | None:
    value = constant.value
    kinds = {
        "builtins.int": int,
        "builtins.float": float,
        "builtins.str": str,
        "builtins.bool": bool,
        "builtins.bytes": bytes,
        "builtins.complex": complex,
        "builtins.object": object,
    }
    if name in kinds:
        return isinstance(value, kinds[name])
    if name == versions.VERSION:
        return versions.is_version(value)
    if name == "types.NoneType":
        return value is None
    if name in _NUMBERS:
        return isinstance(value, (int, float, complex))
    if name in _ITERABLES or name in _SEQUENCES:
        return isinstance(value, (str, bytes))
    if name in ("collections.abc.Hashable", "enum.Enum"):
        return None
    return False


def _is_scalar_instance(value: Scalar, name: str) -> bool | None:
    if value.kind == "number":
        return None if name in ("builtins.int", "builtins.float") or name in _NUMBERS else False
    if name in _NUMBERS:
        return value.kind in ("int", "float", "bool", "complex")
    return name == f"builtins.{value.kind}" or (value.kind == "bool" and name == "builtins.int")


def _is_sequence_instance(value: Seq, name: str) -> bool | None:
    cls = "tuple" if value.cls == "Size" else value.cls
    if name in _SEQUENCES:
        return cls in ("list", "tuple") and name.rpartition(".")[2] in ("Sequence", cls.capitalize())
    return name in _ITERABLES or name == f"builtins.{cls}" or (name == "torch.Size" and value.cls == "Size")


def _is_mapping_instance(value: Mapping, name: str) -> bool | None:
    if name in _MAPPINGS or name in _ITERABLES or name == "builtins.dict":
        return True
    return name.rpartition(".")[2] == value.cls


def _is_object_instance(value: Instance, name: str) -> bool | None:
    cls = value.cls
    if name.rpartition(".")[2] == "Callable" and is_nn_module(value):
        return True
    if isinstance(cls, ExternalName):
        return cls.name == name or (name == "torch.nn.Module" and is_nn_module(value)) or name == "builtins.object"
    if cls.inherits(name) or name == "builtins.object":
        return True
    mapping = ("builtins.dict", "collections.OrderedDict", "collections.UserDict", "collections.defaultdict")
    if (name in _MAPPINGS or name == "builtins.dict") and cls.inherits(*mapping):
        return True
    is_class = name.rpartition(".")[2][:1].isupper()
    return None if (not cls.complete or value.from_defaults) and is_class and not is_nn_module(value) else False


def _is_function_instance(value: Value, name: str) -> bool | None:
    last = name.rpartition(".")[2]
    if last == "Callable":
        return True
    if name == "functools.partial":
        return isinstance(value, Partial)
    if last not in ("FunctionType", "MethodType", "LambdaType"):
        return False
    if isinstance(value, (Function, BoundMethod)):
        return isinstance(value, BoundMethod) == (last == "MethodType")
    return False if isinstance(value, Partial) else None


def _is_external_object_instance(value: ExternalObject, name: str) -> bool | None:
    base = value.cls.partition(":")[0]
    if exceptions.is_exception(base):
        return exceptions.is_instance(base, name)
    if base.startswith("torch.distributions.") and name.startswith("torch.distributions."):
        return True if base == name or name.rpartition(".")[2] == "Distribution" else None
    return True if base == name else None if base == "object" else name in ("builtins.object",)


def _is_external_class_instance(value: ExternalName, name: str) -> bool | None:
    """Return whether a name from outside of the project is that of a class, if ``type`` is what is tested."""
    root, _, last = value.name.rpartition(".")
    if name != "builtins.type" or root in ("typing", "typing_extensions"):
        return None
    is_class = root == "builtins" and isinstance(getattr(builtins, last, None), type)
    is_class = is_class or (last[:1].isupper() and not last.isupper()) or tensor_class(value.name) is not None
    return True if is_class else None


_INSTANCE_TESTS: Final[HandlersByClass[Callable[[Any, str], bool | None]]] = HandlersByClass(
    {
        Tensor: _is_tensor_instance,
        Const: _is_constant_instance,
        Scalar: _is_scalar_instance,
        Seq: _is_sequence_instance,
        Mapping: _is_mapping_instance,
        Instance: _is_object_instance,
        **dict.fromkeys((Function, BoundMethod, BuiltinMethod, Partial, Wrapped), _is_function_instance),
        ExternalObject: _is_external_object_instance,
        ExternalName: _is_external_class_instance,
        Iterator: lambda value, name: True if name in _ITERABLES else None,
        Range: lambda value, name: name == "builtins.range",
        Slice: lambda value, name: name == "builtins.slice",
        Class: lambda value, name: name.rpartition(".")[2] in ("type", "Callable", "ABCMeta"),
        Value: lambda value, name: None,
    }
)


def is_callable(interp: Interpreter, value: Value) -> bool | None:
    """Return ``callable(value)``; None if it is unknown."""
    if isinstance(value, (Function, BoundMethod, BuiltinMethod, Partial, Wrapped, Class)):
        return True
    if isinstance(value, (Const, Scalar, Tensor, Seq, Mapping)):
        return False
    if isinstance(value, Instance):
        if is_nn_module(value):
            return True
        if isinstance(value.cls, Class) and value.cls.complete:
            return interp.class_attribute(value.cls, "__call__") is not None
    return None


def has_attribute(interp: Interpreter, value: Value, name: str) -> bool | None:
    """Return ``hasattr(value, name)``; None if it is unknown."""
    return _ATTRIBUTE_TESTS[type(value)](interp, value, name)


def _tensor_has(interp: Interpreter, value: Tensor, name: str) -> bool | None:
    if interp.knowledge.tensor_attribute(name) or interp.knowledge.tensor_method(name):
        return True
    return None if value.ndarray else False


def _container_has(interp: Interpreter, value: Seq | Mapping, name: str) -> bool | None:
    python = _CONTAINERS.get(value.cls)
    return None if python is None else hasattr(python, name)


def _scalar_has(interp: Interpreter, value: Scalar, name: str) -> bool | None:
    kinds: dict[str, object] = {"int": 0, "float": 0.0, "bool": True, "str": "", "bytes": b""}
    return hasattr(kinds[value.kind], name) if value.kind in kinds else None


def _function_has(interp: Interpreter, value: Value, name: str) -> bool | None:
    return True if name in ("__name__", "__call__") else None


def _external_has(interp: Interpreter, module: str, name: str) -> bool | None:
    """Return whether a module or class of torch, or of another package known by name, has an attribute."""
    if module == "torch.Tensor":
        return True if interp.knowledge.tensor_method(name) or interp.knowledge.tensor_attribute(name) else None
    if module == "torch" and name in dtypes.NAMES:
        return True
    full = f"{module}.{name}"
    known = (interp.knowledge.class_, interp.knowledge.context_manager, interp.knowledge.module_class)
    if interp.knowledge.has_name(full) or any(section(full) is not None for section in known):
        return True
    source = interp.project.find_module(module)
    if source is None:
        return None
    if interp.project.find_module(full) is not None or full in _OF_TORCH:
        return True
    if module == "torch" and name not in source.source:
        return None
    if name in source.symbols:
        return True
    dynamic = source.star_imports or "__getattr__" in source.symbols or module == "torch"
    return None if dynamic else False


_ATTRIBUTE_TESTS: Final[HandlersByClass[Callable[[Interpreter, Any, str], bool | None]]] = HandlersByClass(
    {
        Tensor: _tensor_has,
        Const: lambda interp, value, name: hasattr(value.value, name),
        ExternalName: lambda interp, value, name: _external_has(interp, value.name, name),
        Instance: lambda interp, value, name: interp.has_attribute(value, name),
        Seq: _container_has,
        Mapping: _container_has,
        Scalar: _scalar_has,
        Function: _function_has,
        BoundMethod: _function_has,
        Value: lambda interp, value, name: None,
    }
)


def instance_of_class(interp: Interpreter, cls: Value) -> Value | None:
    """Return any instance of ``cls``; None if none can be described."""
    if isinstance(cls, Seq) and cls.items is not None:
        known = [interp.instance_of_class(c) for c in cls.items]
        found = [k for k in known if k is not None]
        return join_all(found) if found and len(found) == len(known) else None
    if isinstance(cls, Class):
        return interp.any_instance(cls)
    if isinstance(cls, ExternalName):
        tensor = tensor_class(cls.name)
        if tensor is not None:
            return tensor
        simple: dict[str, Value] = {
            "builtins.int": INT,
            "builtins.float": FLOAT,
            "builtins.bool": BOOL,
            "builtins.str": STR,
            "builtins.list": Seq("list", None),
            "builtins.tuple": Seq("tuple", None),
            "builtins.dict": Mapping((), Unknown()),
            "types.NoneType": Const(None),
            "PIL.Image.Image": ExternalObject("PIL.Image.Image", pre_existing=True),
        }
        return simple.get(cls.name)
    return None
