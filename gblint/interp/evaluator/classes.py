"""Classes with source: their bases, their attributes, and the construction of instances."""

from __future__ import annotations

import ast
from collections.abc import Hashable
from typing import Final

from gblint.interp.domain import builtin_names, class_fields, reach
from gblint.interp.evaluator import class_bases, constructor_calls, constructors, input_values, pydantic_models
from gblint.interp.models.python import call_signatures, exceptions, init_subclass
from gblint.interp.models.torch import compiler_decorators, distributions, nn_modules, optimizers, tensor_subclasses
from gblint.interp.state.caches import UNBUILT, is_unbuilt
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Binding
from gblint.values.base import BOTTOM, NONE, TRUE, UNKNOWN, Const, TextMember, Unknown, Value, members
from gblint.values.containers import Iterator, Mapping, Seq
from gblint.values.keys import key
from gblint.values.lattice import as_input, join_all
from gblint.values.objects import (
    BoundMethod,
    Class,
    EnumMember,
    ExternalName,
    Function,
    Instance,
    is_nn_module,
)
from gblint.values.wrapped import Wrapped

MAX_ENUM = 64
_CONTAINERS: Final = (
    "builtins.dict",
    "builtins.list",
    "collections.UserDict",
    "collections.UserList",
    "torch.nn.ModuleDict",
    "torch.nn.ModuleList",
    "torch.nn.Sequential",
)
_ENUMS: Final = (*builtin_names.ENUMS, "enum.Flag", "enum.IntFlag")


COMPILERS: Final = ("torch.compile", "torch.export.export", "torch._dynamo.optimize", "torch._dynamo.optimize_assert")


def compile_decorated(interp: Interpreter, node: ast.ClassDef, cls: Class, frame: Frame) -> None:
    """Note that a class, or a method of it, is compiled if a decorator of it compiles."""
    for decorator in node.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        function = interp.eval(call.func if call else decorator, frame)
        if isinstance(function, ExternalName) and function.name in COMPILERS:
            options = {k.arg: interp.eval(k.value, frame) for k in call.keywords if k.arg} if call else {}
            interp.note_compiled(frame, node, cls, options, "decorator")
        elif isinstance(function, Function) and interp.compilation.compiles_argument_of(function):
            made = function if call is None else interp.eval(call, frame)
            if isinstance(made, Function):
                interp.call(made, Args((cls,)), frame, decorator)


def define(interp: Interpreter, node: ast.ClassDef, frame: Frame) -> Class:
    """Return the class that a ``class`` statement makes."""
    scope = None if frame.function is None else frame.scope
    place = id(node) if scope is None else hash((id(node), id(scope)))
    cls = interp.caches.classes.get(place)
    if cls is not None:
        return cls
    cls = class_bases.made_by_base(interp, node, frame, place) if scope is None else None
    if cls is None:
        name = f"{frame.class_body.name}.{node.name}" if frame.class_body is not None else node.name
        cls = Class(node, frame.module, name, scope, frame.class_body)
        interp.caches.classes[place] = cls
        interp.caches.keep_alive.append(scope)
    before = cls.mro
    class_bases.set_bases(interp, cls, frame)
    if cls.mro != before:
        interp.caches.class_attributes.clear()
    cls.decorators = frozenset(_decorator_names(interp, node, frame))
    return cls


def _decorator_names(interp: Interpreter, node: ast.ClassDef, frame: Frame) -> list[str]:
    found: list[str] = []
    for decorator in node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        for value in members(interp.eval(target, frame)):
            if isinstance(value, ExternalName):
                found.append(value.name)
            elif isinstance(value, Function) and (value.name == "dataclass" or value.module.name.startswith("attr.")):
                found.append(f"{value.module.name}.{value.name}")
    return found


def own_attribute(interp: Interpreter, cls: Class, name: str) -> Value | None:
    """Return the value that the body of ``cls`` binds to ``name``."""
    cached = cls.attrs.get(name)
    if cached is not None:
        return None if cached is BOTTOM else cached
    bindings = cls.module.binding_table(cls.node).get(name)
    if not bindings and not init_subclass.sets(interp, cls, name):
        return None
    place = ("class", id(cls), name)
    if place in interp.calls.in_progress:
        return UNKNOWN
    interp.calls.in_progress.add(place)
    try:
        value = _evaluate(interp, cls, bindings, name) if bindings else None
        value = init_subclass.changed(interp, cls, name, value)
        if isinstance(value, Instance) and isinstance(value.cls, Class):
            constructors.name_descriptor(interp, value, cls, name)
    finally:
        interp.calls.in_progress.discard(place)
    if not interp.budget.is_truncated:
        cls.attrs[name] = BOTTOM if value is None else value
    return value


def _evaluate(interp: Interpreter, cls: Class, bindings: tuple[Binding, ...], name: str) -> Value | None:
    if all(b.kind == "annotation" and b.value is None for b in bindings):
        return None
    value = interp.value_of_bindings(bindings, class_fields.body_frame(cls), name)
    if isinstance(value, Unknown) and cls.inherits(*_ENUMS):
        value = constructors.automatic_value(cls, name)
    if isinstance(bindings[-1].node, (ast.Assign, ast.AnnAssign)) and not name.startswith("_"):
        if cls.inherits(*_ENUMS):
            if (
                isinstance(value, Const)
                and isinstance(value.value, str)
                and cls.inherits("builtins.str", "enum.StrEnum")
            ):
                return Const(TextMember.of(cls, name, value.value))
            if cls.inherits("builtins.str", "enum.StrEnum", "builtins.int", "enum.IntEnum"):
                return value
            return Const(EnumMember(cls.qualname, name, value, cls))
    return value


def find(interp: Interpreter, cls: Class, name: str) -> Value | None:
    """Return the attribute that instances of ``cls`` inherit, not bound; None if there is none."""
    known = interp.caches.class_attributes.get((cls, name))
    if known is not None:
        return None if known is BOTTOM else known
    value: Value | None = None
    for owner in cls.mro:
        value = own_attribute(interp, owner, name)
        if value is not None:
            break
    if not isinstance(value, Unknown) and not interp.budget.is_truncated:
        interp.caches.class_attributes[cls, name] = BOTTOM if value is None else value
    return value


def find_after(interp: Interpreter, cls: Class, after: Class, name: str) -> Value | None:
    """Return the attribute that ``super()`` in ``after`` finds."""
    order = cls.mro
    start = order.index(after) + 1 if after in order else 1
    for owner in order[start:]:
        value = own_attribute(interp, owner, name)
        if value is not None:
            return value
    return None


def enum_members(interp: Interpreter, cls: Class) -> list[Value]:
    """Return the members of an enum."""
    table = cls.module.binding_table(cls.node)
    public = [n for n, b in table.items() if not n.startswith("_") and b[-1].kind == "assign"]
    found = [own_attribute(interp, cls, n) for n in public[:MAX_ENUM]]
    return [v for v in found if v is not None]


# -- instances -------------------------------------------------------------------------------------------------------


def construct(interp: Interpreter, cls: Class, args: Args, frame: Frame, node: ast.AST) -> Value:
    """Run ``cls(...)``."""
    if frame.mode.tracing and compiler_decorators.class_is_disabled(interp, cls):
        interp.emit(frame, node, "disabled-call", cls.name, ("skip-inlining-disabled-function",))

        return interp.call_eagerly(cls, args, frame, node)
    if cls.inherits(*builtin_names.ENUMS) and args.pos:
        found = enum_members(interp, cls)
        same = [v for v in found if v == args.pos[0] or _has_value(v, args.pos[0])]
        if same or not found:
            return same[0] if same else UNKNOWN
        known = reach.usual(args.pos[0])
        return reach.expected(join_all(found), next((v for v in found if v == known), None))
    if frame.mode.tracing and cls.inherits("torch.Tensor"):
        if tensor_subclasses.is_made_in_graph(CallContext(interp, args, frame, node), cls):
            return interp.call_eagerly(cls, args, frame, node)
    made = constructors.by_metaclass(CallContext(interp, args, frame, node), cls)
    if made is not None:
        return made
    fresh = constructors.by_new(CallContext(interp, args, frame, node), cls)
    if fresh is not None and fresh.cls is not cls:
        return fresh
    place = None
    if not frame.mode.tracing:
        if interp.compilation.open_methods.by_class:
            interp.compilation.note_made(frame, cls, args)
        arguments = (tuple(key(v) for v in args.pos), tuple((k, key(v)) for k, v in args.kw.items()))
        place = ("new", id(cls), _allocation_site(cls, frame, node), *arguments)
        old = interp.caches.instances.get(place)
        if old is not None and args.star is None and args.kwstar is None and not args.optional:
            return old
    instance = Instance(cls, branch_id=interp.branch_id, pre_existing=not frame.mode.tracing)
    if place is not None:
        interp.caches.instances[place] = instance
        interp.compilation.constructor_calls.note(cls, args, interp.compilation.scanned_module)
    _created_in_region(interp, instance, frame, node)
    call_signatures.check_abstract(interp, cls, frame, node)

    if fresh is not None:
        instance.attrs.update(fresh.attrs)
    tensor_subclasses.check_made(CallContext(interp, args, frame, node), cls)
    exceptions.note_created(instance, frame)
    initialize(interp, instance, cls, args, frame, node)
    if class_fields.is_pydantic_model(cls):
        pydantic_models.made(interp, instance, cls, frame, node)
    if place is not None and interp.budget.is_truncated:
        interp.caches.instances.pop(place, None)
    return instance


def _has_value(member: Value, value: Value) -> bool:
    """Return whether ``value`` is the value of an enum member."""
    return isinstance(member, Const) and isinstance(member.value, EnumMember) and member.value.value == value


def _allocation_site(cls: Class, frame: Frame, node: ast.AST) -> Hashable:
    """Return the place and context of a call that makes an object; calls of other sites make others.

    None stands for all constructors, and for all code of libraries: what they build of equal parts are equal parts, and
    telling them apart would evaluate each function for each of them.  A container in a constructor is filled later: it
    belongs to the object that is made.
    """
    function = frame.function
    if function is not None and function.name.endswith("__init__") and cls.inherits(*_CONTAINERS):
        owner = frame.variables.get(function.node.args.args[0].arg) if function.node.args.args else None
        return (id(node), owner.uid) if isinstance(owner, Instance) else None
    inside = frame.module.origin == "library" or (function is not None and function.name.endswith("__init__"))
    return None if inside else (id(node), frame.summary)


def _created_in_region(interp: Interpreter, instance: Instance, frame: Frame, node: ast.AST) -> None:
    cls = instance.cls
    if frame.mode.tracing and isinstance(cls, Class) and "pydantic.dataclasses.dataclass" in cls.decorators:
        interp.emit(frame, node, "construct", "object", ("pydantic-dataclass-constructor",))
    if frame.mode.tracing and isinstance(cls, Class) and cls.inherits("typing.TypedDict") and _has_optional_keys(cls):
        interp.emit(frame, node, "construct", "typed-dict", ("typeddict-with-optional-keys",))
    if frame.mode.tracing and isinstance(instance.cls, Class) and instance.cls.inherits("torch.utils.data.Dataset"):
        interp.emit(frame, node, "construct", "object", ("unsupported-function-call",), likely=True)


def _has_optional_keys(cls: Class) -> bool:
    """Return whether a ``TypedDict`` has keys that may be missing."""
    partial = any(
        k.arg == "total" and isinstance(k.value, ast.Constant) and k.value.value is False
        for c in cls.mro
        for k in c.node.keywords
    )
    return partial or any("NotRequired" in ast.dump(annotation) for _, annotation, _, _ in class_fields.fields(cls))


def _fill_fields(interp: Interpreter, instance: Instance, cls: Class, args: Args, tracing: bool) -> None:
    """Run the generated ``__init__`` of a dataclass."""
    by_name_only = class_fields.is_pydantic_model(cls)
    for index, (name, annotation, default, owner) in enumerate(class_fields.fields(cls)):
        given = args.kw.get(name) if by_name_only else args.get(index, name)
        if given is None or name in args.optional:
            frame = class_fields.body_frame(owner)
            made = class_fields.made_default(owner, name) if default is None else None
            usual = made or class_fields.default_of(interp, default, frame)
            if given is not None:
                given = reach.given_or_default(args, name, given, usual)
            elif usual is None or args.star is not None or args.kwstar is not None:
                given = input_values.soft_default(interp, annotation, usual, frame)
            else:
                given = usual
        instance.attrs[name] = given if tracing else as_input(given)


def initialize(interp: Interpreter, instance: Instance, cls: Class, args: Args, frame: Frame, node: ast.AST) -> None:
    """Run ``__init__``, or its generated counterpart."""
    init = class_fields.written_init(interp, cls)
    if isinstance(init, (Function, Wrapped, BoundMethod)):
        interp.call(init, args.prepend(instance), frame, node)
        return
    if class_fields.has_fields(cls):
        _fill_fields(interp, instance, cls, args, frame.mode.tracing)
        post = class_fields.post_init(interp, cls)
        if post is not None:
            context = (NONE,) if post.name == "model_post_init" else ()
            interp.call(post, Args((instance, *context)), frame, node)
        return
    interp.external_init(instance, args, frame, node)


def external_init(interp: Interpreter, instance: Instance, args: Args, frame: Frame, node: ast.AST) -> None:
    """Set the attributes that the ``__init__`` of an external base class sets, as far as they matter here."""

    nn_modules.fill(CallContext(interp, args, frame, node), instance)
    if isinstance(instance.cls, Class):
        skipped = optimizers.skipped_base(instance.cls)
        if skipped is not None and frame.mode.tracing:
            interp.call(ExternalName(f"{skipped}.__init__"), args, frame, node)
        if optimizers.is_optimizer(instance.cls):
            optimizers.fill(instance, args)
        if any(map(distributions.is_distribution, instance.cls.externals)):
            distributions.fill(instance, args)
        mapping = ("builtins.dict", "collections.OrderedDict", "collections.UserDict", "collections.defaultdict")
        if instance.cls.inherits(*mapping) and "__items__" not in instance.attrs:
            given = args.pos[0] if args.pos else Mapping(tuple((Const(k), v) for k, v in args.kw.items()), args.kwstar)
            instance.attrs["__items__"] = given if isinstance(given, Mapping) else Mapping((), UNKNOWN)
        elif instance.cls.inherits("builtins.list", "collections.UserList", "builtins.tuple"):
            instance.attrs["__items__"] = _items_of_new(interp, args, frame, node)


def _items_of_new(interp: Interpreter, args: Args, frame: Frame, node: ast.AST) -> Seq:
    """Return the items of a new object of a subclass of ``list`` or ``tuple``."""
    given = args.pos[0] if args.pos else Seq("list")
    if isinstance(given, Seq):
        return given
    if not isinstance(given, Iterator):
        return Seq("list", None)
    items = interp.items_of(given, frame, node)
    return Seq("list", None, interp.item_of(given, frame, node)) if items is None else Seq("list", items)


def any_instance(interp: Interpreter, cls: Class) -> Value:
    """Return an instance of ``cls`` with unknown constructor arguments."""
    if cls.inherits(*builtin_names.ENUMS):
        found = enum_members(interp, cls)
        return join_all(found) if found else UNKNOWN
    place = ("any", id(cls))
    instance = interp.caches.instances.get(place)
    if instance is not None and not is_unbuilt(instance):
        return instance
    if interp.instance_depth >= 12:
        return Instance(cls, from_defaults=True, partial=True)
    if instance is None:
        instance = interp.caches.instances[place] = Instance(cls, from_defaults=True, branch_id=interp.branch_id)
    if instance.attrs.pop(UNBUILT, None) is not None:
        instance.partial = False
    frame = class_fields.body_frame(cls)
    frame.class_body = None
    interp.instance_depth += 1
    # What an object has must not depend on how much was called before it.
    contexts = interp.calls.contexts
    interp.calls.contexts = {}
    try:
        with interp.effects.outside_of_branches(), interp.budget.for_object():
            _initialize_unknown(interp, instance, cls, frame)
    finally:
        interp.instance_depth -= 1
        interp.calls.contexts = contexts
    return instance


def later_instance(interp: Interpreter, cls: Class) -> Value:
    """Return ``any_instance(cls)``, whose ``__init__`` runs when an attribute of it is first looked up."""
    place = ("any", id(cls))
    if place not in interp.caches.instances:
        attrs: dict[str, Value] = {UNBUILT: TRUE}
        instance = Instance(cls, attrs, from_defaults=True, branch_id=interp.branch_id, partial=True)
        interp.caches.instances[place] = instance
    return interp.caches.instances[place]


def makes_instances(method: str) -> bool:
    """Return whether a class method of this name makes an instance of the class by custom: ``from_pretrained``."""
    return method.startswith("from_") or method == "load_from_checkpoint"


def made_by_name(interp: Interpreter, cls: Value, method: str, args: Args, node: ast.Call) -> Value | None:
    """Return the result of a library's class method called ``from_...``: by custom an instance of the class.

    Such methods read files, so that evaluating them has no result.  A class that cannot be called stands for others
    (``AutoModel``); its choice shows where objects are passed to it.  None for any other method, and for a method that
    must be evaluated.
    """
    if not isinstance(cls, Class) or cls.module.origin == "user" or not makes_instances(method):
        return None
    init = interp.class_attribute(cls, "__init__")
    body = init.node.body if isinstance(init, Function) else None
    if isinstance(body, list) and isinstance(body[-1], ast.Raise):
        given = [each for value in args.pos for each in members(value)]
        return None if given and all(isinstance(each, Instance) for each in given) else UNKNOWN
    given_by_name = _by_parameter(interp, cls, method, args)
    made = _with_parts(interp, cls, init, given_by_name) if isinstance(init, Function) else interp.any_instance(cls)
    return _of_this_call(interp, made, node)


def _of_this_call(interp: Interpreter, made: Value, node: ast.Call) -> Value:
    """Return a copy of ``made`` for this call, so that what is stored in it later is not seen through other calls.

    Modules are not copied: each copy would be traced.
    """
    if not isinstance(made, Instance) or is_nn_module(made):
        return made
    place = (made.uid, id(node))
    copy = interp.calls.made_by_name.get(place)
    if copy is None:
        copy = interp.calls.made_by_name[place] = Instance(
            made.cls, dict(made.attrs), from_defaults=True, branch_id=interp.branch_id, partial=made.partial
        )
    return copy


def _by_parameter(interp: Interpreter, cls: Class, method: str, args: Args) -> dict[str, Value]:
    """Return the arguments of a call of a class method by the names of its parameters."""
    function = interp.class_attribute(cls, method)
    while isinstance(function, Wrapped):
        function = function.function
    if not isinstance(function, Function):
        return args.kw
    names = [each.arg for each in (*function.node.args.posonlyargs, *function.node.args.args)][1:]
    return {**dict(zip(names, args.pos)), **args.kw}


def _with_parts(interp: Interpreter, cls: Class, init: Function, given_by_name: dict[str, Value]) -> Value:
    """Return an object with the modules that a call passes: ``Pipeline.from_pretrained(path, unet=unet)``."""
    names = [each.arg for each in (*init.node.args.posonlyargs, *init.node.args.args)][1:]
    parts = {name: given_by_name[name] for name in names if name in given_by_name and _has_module(given_by_name[name])}
    place = ("parts", id(cls), *((name, id(value)) for name, value in parts.items()))
    if not parts or place in interp.caches.instances:
        return interp.caches.instances[place] if parts else interp.any_instance(cls)
    instance = interp.caches.instances[place] = Instance(cls, from_defaults=True, branch_id=interp.branch_id)
    unknown = input_values.unknown_arguments(interp, init, cls, soft=True)
    given = tuple(parts.get(name, value) for name, value in zip(names, unknown.pos))
    frame = class_fields.body_frame(cls)
    frame.class_body = None
    with interp.effects.outside_of_branches():
        interp.call(init, Args((instance, *given), unknown.kw, unknown.star, unknown.kwstar), frame, cls.node)
    return instance


def _has_module(value: Value) -> bool:
    return any(map(is_nn_module, members(value)))


def _initialize_unknown(interp: Interpreter, instance: Instance, cls: Class, frame: Frame) -> None:
    init = class_fields.written_init(interp, cls)
    while isinstance(init, Wrapped):
        init = init.function
    if isinstance(init, Function):
        args = input_values.unknown_arguments(interp, init, cls, soft=True)
        args = constructor_calls.with_passed(interp, cls, init, args)
        interp.call(class_fields.written_init(interp, cls) or init, args.prepend(instance), frame, cls.node)
        return
    if class_fields.has_fields(cls):
        for name, annotation, default, owner in class_fields.fields(cls):
            inner = class_fields.body_frame(owner)
            known = class_fields.default_of(interp, default, inner)
            usual = input_values.soft_default(interp, annotation, known, inner)
            instance.attrs[name] = as_input(constructor_calls.or_passed(interp, cls, name, usual))
        post = class_fields.post_init(interp, cls)
        if post is not None:
            interp.call(
                post, input_values.unknown_arguments(interp, post, cls, soft=True).prepend(instance), frame, cls.node
            )
        return
    interp.external_init(instance, Args(kwstar=UNKNOWN), frame, cls.node)
