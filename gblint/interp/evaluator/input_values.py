"""Values of inputs: an argument without a visible call, from annotations, defaults and names of parameters."""

from __future__ import annotations

import ast

from gblint.interp.domain import (
    class_fields,
    default_flags,
    given_options,
    parameter_contracts,
    parameter_names,
    parameter_usage,
    reach,
)
from gblint.interp.domain.object_lookup import find_object
from gblint.interp.domain.torch_records import PACKED_SEQUENCE
from gblint.interp.evaluator import configured_arguments, type_aliases, type_variables
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame, TracingMode
from gblint.interp.state.interpreter import Interpreter
from gblint.interp.state.trace_ir import FunctionSummary
from gblint.runtime.ast_walk import is_name
from gblint.runtime.lazy_dataclasses import replace
from gblint.runtime.quiet_parse import parse_expression
from gblint.values.base import (
    GUESSED_INPUT,
    INT,
    NONE,
    UNKNOWN,
    UNPASSED,
    Const,
    Scalar,
    Tensor,
    Unknown,
    Value,
    scalar_of,
)
from gblint.values.containers import Iterator, Mapping, Seq
from gblint.values.lattice import as_input, join, join_all
from gblint.values.objects import Class, EnumMember, ExternalName, ExternalObject, Function, Instance, Scope

_SEQUENCES = {
    "list": "list",
    "List": "list",
    "Sequence": "list",
    "MutableSequence": "list",
    "tuple": "tuple",
    "Tuple": "tuple",
    "set": "set",
    "Set": "set",
    "FrozenSet": "set",
    "frozenset": "set",
    "Collection": "list",
    "Deque": "list",
}
_MAPPINGS = {"dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "DefaultDict", "defaultdict"}
_ITERATORS = {"Iterator", "Generator"}
_TRANSPARENT = {"Annotated", "Final", "Required", "NotRequired", "ReadOnly", "ClassVar"}
_JAXTYPING = {
    "Float": "float",
    "Float16": "float",
    "Float32": "float",
    "Float64": "float",
    "BFloat16": "float",
    "Int": "int",
    "Int32": "int",
    "Int64": "int",
    "Integer": "int",
    "Long": "int",
    "Bool": "bool",
    "UInt8": "uint8",
    "Complex": "complex",
    "Inexact": None,
    "Num": None,
    "Real": None,
    "Shaped": None,
}


def value_of(interp: Interpreter, node: ast.expr, frame: Frame, depth: int = 0) -> Value:
    """Return a value that stands for everything that an annotation admits."""
    if depth > 8:
        return UNKNOWN
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            try:
                return value_of(interp, parse_expression(node.value.strip()), frame, depth + 1)
            except (SyntaxError, ValueError):
                return UNKNOWN
        return NONE if node.value is None else UNKNOWN
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return join(value_of(interp, node.left, frame, depth + 1), value_of(interp, node.right, frame, depth + 1))
    if isinstance(node, ast.Subscript):
        return _generic(interp, node, frame, depth)
    return _plain(interp, node, frame, depth)


def _plain(interp: Interpreter, node: ast.expr, frame: Frame, depth: int) -> Value:
    alias = type_aliases.behind(interp, node, frame)
    if alias is not None:
        return value_of(interp, alias[0], alias[1], depth + 1)
    value = interp.eval(node, frame)
    if isinstance(value, (ExternalName, Class)):
        return of_class(interp, value)
    return UNKNOWN


def of_class(interp: Interpreter, cls: Value) -> Value:
    """Return any instance of a class used as an annotation."""
    if isinstance(cls, Class):
        named = _classes_named(interp, cls) if cls.inherits("enum.Enum") else []
        if named:
            return join_all(named)
        if cls.inherits("typing.TypedDict"):
            return Mapping((), UNKNOWN)
        if cls.is_protocol:
            return UNKNOWN
        if cls.inherits("torch.Tensor") and all(_adds_nothing(each.node) for each in cls.mro):
            return Tensor()  # a name for a kind of tensor; callers pass plain ones
        return interp.instance_of_class(cls) or UNKNOWN
    if not isinstance(cls, ExternalName):
        return UNKNOWN
    known = interp.instance_of_class(cls)
    if known is not None:
        return known
    last = cls.name.rpartition(".")[2]
    if last in _SEQUENCES:
        return Seq(_SEQUENCES[last], None)
    if last in _MAPPINGS:
        return Mapping((), UNKNOWN)
    if last in ("Any", "object", "Callable", "Type", "type", "T", "Self", "Hashable", "ModuleType"):
        return UNKNOWN
    if last == "Tensor" and cls.name.startswith(("torch", "jaxtyping")):
        return Tensor()
    if cls.name == "torch.Size":
        return Seq("Size", None, Scalar("int", "size"))
    if cls.name in ("numbers.Number", "torch.types.Number"):
        return Scalar("number")
    if cls.name.startswith("torch.nn.") and last[:1].isupper() and cls.name != PACKED_SEQUENCE:
        return Instance(ExternalName(cls.name), from_defaults=True, partial=True)
    return (
        ExternalObject(cls.name, pre_existing=True) if last[:1].isupper() or cls.name.startswith("torch.") else UNKNOWN
    )


def _adds_nothing(node: ast.ClassDef) -> bool:
    """Return whether a class has nothing but a docstring and annotations."""
    return all(
        isinstance(each, ast.Pass)
        or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        or (isinstance(each, ast.AnnAssign) and each.value is None)
        for each in node.body
    )


def _classes_named(interp: Interpreter, cls: Class) -> list[Value]:
    """Return instances of the classes after which the members of an enum are named.

    A component that is passed in is sometimes annotated so (``KarrasDiffusionSchedulers``): any of the classes fits.
    Members in capitals are constants; looking for them in packages might read many files.
    """

    wanted = [n for n in cls.module.binding_table(cls.node) if not n.startswith("_") and not n.isupper()]
    package = cls.module.name.rpartition(".")[0]
    while package and len(wanted) > 1:
        module = interp.project.find_module(package)
        if module is not None:
            found = [interp.module_attribute(module, n) for n in wanted]
            made = [f for f in found if isinstance(f, Class) and f is not cls]
            if 2 * len(made) > len(wanted):
                return [interp.instance_of_class(f) or UNKNOWN for f in made]
        package = package.rpartition(".")[0]
    return []


def _generic(interp: Interpreter, node: ast.Subscript, frame: Frame, depth: int) -> Value:
    head = node.value
    last = head.attr if isinstance(head, ast.Attribute) else head.id if isinstance(head, ast.Name) else ""
    parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]

    def inner(index: int) -> Value:
        return value_of(interp, parts[index], frame, depth + 1) if index < len(parts) else UNKNOWN

    if last == "Optional":
        return join(NONE, inner(0))
    if last == "Union":
        return join_all(inner(i) for i in range(len(parts)))
    if last == "Literal":
        return join_all(Const(p.value) for p in parts if isinstance(p, ast.Constant)) if parts else UNKNOWN
    if last in _TRANSPARENT:
        return inner(0)
    if last in ("tuple", "Tuple"):
        if len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is ...:
            return Seq("tuple", None, inner(0))
        if len(parts) == 1:
            return Seq("tuple", None, inner(0))  # ``Tuple[int]`` is often meant for numbers of any count
        return Seq("tuple", tuple(inner(i) for i in range(len(parts))))
    if last in _SEQUENCES or last == "Iterable":
        return Seq(_SEQUENCES.get(last, "list"), None, inner(0))
    if last in _MAPPINGS:
        return Mapping((), as_input(inner(1)), inner(0))
    if last in _ITERATORS:
        return Iterator("generator" if last == "Generator" else "iterator", inner(0), pre_existing=True)
    if last in ("NDArray", "ndarray"):
        return Tensor(ndarray=True)
    if last in _JAXTYPING:
        return _jaxtyping(interp, last, parts, frame, depth)
    if last in ("type", "Type", "Callable", "Unpack", "TypeVar"):
        return UNKNOWN
    return value_of(interp, head, frame, depth + 1)


def _jaxtyping(interp: Interpreter, name: str, parts: list[ast.expr], frame: Frame, depth: int) -> Value:
    """Return the value for ``Float[Tensor, "batch channels"]``; the string gives the rank.

    Projects write ``Float["batch channels"]`` with objects of their own.
    """
    base = value_of(interp, parts[0], frame, depth + 1) if len(parts) > 1 else UNKNOWN
    rank: int | None = None
    if parts and isinstance(parts[-1], ast.Constant) and isinstance(parts[-1].value, str):
        dims = parts[-1].value.split()
        if not any(d.startswith(("*", "#*")) or d == "..." for d in dims):
            rank = len(dims)
    ndarray = isinstance(base, Tensor) and base.ndarray
    return Tensor(rank, _JAXTYPING[name], True, False, ndarray)


def annotated(interp: Interpreter, function: Function, parameter: ast.arg) -> Value:
    """Return any value that the annotation of a parameter admits."""
    annotation = type_variables.annotation_of(function, parameter.annotation)
    return UNKNOWN if annotation is None else value_of(interp, annotation, annotation_frame(function, interp))


def annotation_frame(function: Function, interp: Interpreter, cls: Class | None = None) -> Frame:
    """Return the frame in which the annotations of ``function`` are evaluated; ``cls`` is the class of its object."""
    return Frame(
        function.module,
        Scope({}, function.scope),
        FunctionSummary("<annotation>", None),
        TracingMode(tracing=False),
        class_body=_nearest_body(function.owner, cls),
    )


def _nearest_body(owner: Class | None, cls: Class | None) -> Class | None:
    """Return the class whose body has the names in the annotations of a method of ``owner``, for an object of ``cls``.

    It is the first subclass that defines a class again which is defined in ``owner``: ``Config`` in ``config: Config``.
    """
    if owner is None or cls is None or owner not in cls.mro:
        return owner
    inside = {each.name for each in owner.node.body if isinstance(each, ast.ClassDef)}
    between = cls.mro[: cls.mro.index(owner)] if inside else ()
    return next((each for each in between if not inside.isdisjoint(_classes_in(each))), owner)


def _classes_in(cls: Class) -> list[str]:
    return [each.name for each in cls.node.body if isinstance(each, ast.ClassDef)]


def unknown_arguments(
    interp: Interpreter, function: Function, cls: Class | None, *, soft: bool, bound: bool = True
) -> Args:
    """Return arguments for a call that the project does not show.

    soft: for constructors: a default is the usual value of the parameter and hints at its type.
    bound: the first parameter is left out.
    """
    spec = function.node.args
    frame = annotation_frame(function, interp, cls)
    parameters = [*spec.posonlyargs, *spec.args]
    first_default = len(parameters) - len(function.defaults)
    pos: list[Value] = []
    for index, parameter in enumerate(parameters):
        if bound and index == 0:
            continue
        if index == 0 and _takes_object(function):
            pos.append(of_class(interp, cls or function.owner or UNKNOWN))
            continue
        default = function.defaults[index - first_default] if index >= first_default else None
        pos.append(parameter_value(interp, function, parameter, default, frame, cls, soft))
    kw = {
        p.arg: parameter_value(interp, function, p, d, frame, cls, soft)
        for p, d in zip(spec.kwonlyargs, function.kw_defaults)
    }
    star: Value | None = None
    if spec.vararg is not None:
        star = annotated(interp, function, spec.vararg)
        if star == UNKNOWN and not soft and not parameter_names.is_plain(spec.vararg.arg.removesuffix("s")):
            star = GUESSED_INPUT
    # A constructor reads its attributes from its options; the callers of an entry point mostly pass none.
    options = UNKNOWN if soft else UNPASSED
    return Args(tuple(pos), kw, star, options if spec.kwarg is not None else None)


def _takes_object(function: Function) -> bool:
    """Return whether the first parameter of a function is the object whose method it is."""
    decorators = getattr(function.node, "decorator_list", ())
    return function.owner is not None and not any(
        is_name(each, kind) for each in decorators for kind in ("staticmethod", "classmethod")
    )


def parameter_value(
    interp: Interpreter,
    function: Function,
    parameter: ast.arg,
    default: Value | None,
    frame: Frame,
    cls: Class | None,
    soft: bool,
) -> Value:
    """Return the value of a parameter: pinned, configured, annotated, or guessed from its default and its name."""
    pinned = _pinned(interp, function, parameter.arg, cls)
    if pinned is None and soft:
        configured = configured_arguments.of(interp, function, cls, parameter.arg)
        if configured is not None:
            return configured
    value = _parameter_value(interp, function, parameter, default, frame, soft) if pinned is None else pinned
    value = value if soft else parameter_contracts.described(function, parameter.arg, value)
    if not isinstance(default, Const):
        return value
    is_given = not soft and default == NONE and given_options.is_given(interp, function, parameter.arg)
    return reach.expected(value, None if is_given else default)


def required_value(interp: Interpreter, function: Function, parameter: ast.arg) -> Value:
    """Return the value of a parameter without a default for a call that the project does not show."""
    frame = annotation_frame(function, interp)
    return parameter_value(interp, function, parameter, None, frame, function.owner, soft=False)


def _parameter_value(
    interp: Interpreter,
    function: Function,
    parameter: ast.arg,
    default: Value | None,
    frame: Frame,
    soft: bool,
) -> Value:
    annotation = type_variables.annotation_of(function, parameter.annotation)
    if annotation is not None:
        if soft:
            return _text_option(default) or soft_default(interp, annotation, default, frame)
        value = value_of(interp, annotation, frame)
        if isinstance(value, Unknown):
            return _guess(parameter.arg, default, soft, no_tensor=True)
        return as_input(join(value, default) if default is not None and default == NONE else value)

    member = _member_option(interp, default) if soft else None
    if member is not None:
        return member
    told = None if soft else parameter_contracts.kind(interp, function, parameter.arg)
    if told is not None:
        if default is not None and not (default == NONE and parameter_contracts.refuses_none(function, parameter.arg)):
            told = join(told, NONE if default == NONE else _guess(parameter.arg, default, soft, no_tensor=True))
        return as_input(told)
    no_tensor = not soft and parameter_usage.is_no_tensor(interp, function, parameter.arg)
    if (
        not soft
        and not no_tensor
        and default in (None, NONE)
        and parameter.arg in parameter_usage.roles(interp, function.node).tensors
    ):
        return GUESSED_INPUT if default is None else join(NONE, GUESSED_INPUT)
    if no_tensor and default is None and parameter.arg in parameter_usage.roles(interp, function.node).counts:
        return INT
    if not soft and default is None:
        used = parameter_usage.roles(interp, function.node)
        if parameter.arg in used.iterators:
            return Iterator("iterator", UNKNOWN, pre_existing=True)
        if parameter.arg in used.generators:
            return ExternalObject("torch.Generator", pre_existing=True)
    return as_input(_guess(parameter.arg, default, soft, no_tensor))


def _pinned(interp: Interpreter, function: Function, name: str, cls: Class | None) -> Value | None:
    """Return the value to which the configuration pins a parameter."""
    if not interp.pins:
        return None
    owners = cls.mro if cls is not None else () if function.owner is None else (function.owner,)
    names = (f"__init__.{name}", name) if function.name.endswith(".__init__") else ()
    places = [f"{c.module.name}:{c.name}.{p}" for c in owners for p in names]
    return _first_pin(interp, [*places, f"{function.module.name}:{function.name}.{name}"])


def pinned_attribute(interp: Interpreter, cls: Class, name: str) -> Value | None:
    """Return the value to which the configuration pins an attribute of the instances of ``cls``."""
    if not interp.pins:
        return None
    return _first_pin(interp, [f"{c.module.name}:{c.name}.{name}" for c in cls.mro])


def _first_pin(interp: Interpreter, places: list[str]) -> Value | None:
    for place in places:
        found = [find_object(interp, target) for target in interp.pins.get(place, ())]
        made = [of_class(interp, f) for f in found if f is not None]
        if made:
            return join_all(made)
    return None


def _guess(name: str, default: Value | None, soft: bool, no_tensor: bool) -> Value:
    """Guess a value from the default, then from the name."""
    if default is not None and default != NONE:
        if not isinstance(default, Const):
            return default
        value = scalar_of(default.value)
        return (_text_option(default) or default_flags.switch(value, default)) if soft else value
    guess = UNKNOWN if no_tensor or soft else parameter_names.guess(name)
    return guess if default is None else join(NONE, guess)


def _text_option(default: Value | None) -> Value | None:
    """Return the value of a constructor parameter whose default is a string, such as ``mode="nearest"``, else None."""
    if isinstance(default, Const) and isinstance(default.value, str):
        return default_flags.text_option(default)
    return None


def _member_option(interp: Interpreter, default: Value | None) -> Value | None:
    """Return the value of a parameter whose default is a member of an enum: any member, usually the default."""
    member = default.value if isinstance(default, Const) else None
    if isinstance(member, EnumMember) and isinstance(member.owner, Class):
        return reach.expected(interp.any_instance(member.owner), default)
    return None


def soft_default(interp: Interpreter, annotation: ast.expr, default: Value | None, frame: Frame) -> Value:
    """Return the usual value of a constructor parameter or configuration field: the type of its default.

    A string of a configuration is kept: it mostly selects an implementation, and the default is the one in use.
    """
    member = _member_option(interp, default)
    if member is not None:
        return member
    if default is None:
        return value_of(interp, annotation, frame)
    if default == NONE:
        return reach.expected(join(NONE, value_of(interp, annotation, frame)), NONE)
    if isinstance(default, Const):
        if isinstance(default.value, str):
            return default
        return reach.expected(default_flags.switch(scalar_of(default.value), default), default)
    if isinstance(default, Seq) and default.items is not None:
        return Seq(
            default.cls,
            tuple(
                scalar_of(v.value) if isinstance(v, Const) and not isinstance(v.value, str) else v
                for v in default.items
            ),
        )
    return _usual_object(interp, default) if isinstance(default, Instance) else default


def _usual_object(interp: Interpreter, default: Instance) -> Value:
    """Return the usual value of a field that holds fields of its own, ``training: Training = Training()``.

    Whoever makes the outer object sets the fields of the inner one as well.
    """
    if not isinstance(default.cls, Class) or not class_fields.has_fields(default.cls):
        return default
    attrs = dict(default.attrs)
    for name, declared, _, owner in class_fields.fields(default.cls):
        if name in attrs:
            attrs[name] = soft_default(interp, declared, attrs[name], class_fields.body_frame(owner))
    return replace(default, attrs=attrs, from_defaults=True)
