"""Libraries that compile a model because of an option: their classes, methods, parameters and options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from gblint.interp.models.torch import compile_functions, module_wrappers
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.compilation import CompiledRef
from gblint.knowledge.compiling_libraries import COMPILE_OPTIONS
from gblint.runtime.lazy_dataclasses import dataclass
from gblint.values import objects
from gblint.values.base import FALSE, NONE, TRUE, UNKNOWN, Const, Unknown, Value, members
from gblint.values.containers import Seq
from gblint.values.objects import BoundMethod, Class, ExternalName, Function, Instance, is_nn_module
from gblint.values.wrapped import CompiledFunction


@dataclass(frozen=True, slots=True)
class Family:
    """A class of a library, by its public names, and the callables that its instances or calls compile.

    switches: options that enable compilation if true; ``choices``: options that enable it by naming a backend or mode;
        ``holders``: options that hold an object with such options.
    call: the parameter of the class that takes the compiled model.
    methods: methods that compile the models among their arguments.
    steps: methods that take a compiled model, each with the methods of it that are compiled besides ``forward``.
    """

    names: tuple[str, ...]
    switches: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    holders: tuple[tuple[int, str], ...] = ()
    call: tuple[int, str] | None = None
    factory: str = ""
    methods: tuple[str, ...] = ()
    steps: tuple[tuple[str, tuple[str, ...]], ...] = ()


_STEPS = (
    ("fit", ("training_step", "validation_step")),
    ("validate", ("validation_step",)),
    ("test", ("test_step",)),
    ("predict", ("predict_step",)),
)
FAMILIES = (
    Family(
        ("transformers.TrainingArguments", "transformers.training_args.TrainingArguments"),
        switches=("torch_compile",),
        choices=("torch_compile_backend", "torch_compile_mode"),
    ),
    Family(
        ("transformers.Trainer", "transformers.trainer.Trainer"),
        holders=((1, "args"),),
        call=(0, "model"),
        factory="model_init",
    ),
    Family(
        (
            "accelerate.utils.TorchDynamoPlugin",
            "accelerate.utils.dataclasses.TorchDynamoPlugin",
        ),
        choices=("backend",),
    ),
    Family(
        ("accelerate.Accelerator", "accelerate.accelerator.Accelerator"),
        choices=("dynamo_backend",),
        holders=((-1, "dynamo_plugin"),),
        methods=("prepare", "prepare_model"),
    ),
    Family(
        (
            "lightning.Trainer",
            "lightning.pytorch.Trainer",
            "lightning.pytorch.trainer.trainer.Trainer",
            "pytorch_lightning.Trainer",
            "pytorch_lightning.trainer.trainer.Trainer",
        ),
        steps=_STEPS,
    ),
)
_BY_NAME = {name: family for family in FAMILIES for name in family.names}
# Methods of trainers that compile or run what they are given.
METHODS = frozenset(("prepare", "prepare_model", "unwrap_model", "fit", "validate", "test", "predict"))
_OFF = ("", "no", "NO")
_REGION = ("fullgraph", "dynamic", "backend", "mode")


def family_of(value: Value) -> Family | None:
    """Return the family of a class, by its own name or that of a base class."""
    if isinstance(value, ExternalName):
        return _BY_NAME.get(value.name)
    if not isinstance(value, Class):
        return None
    names = (*(each.qualname for each in value.mro), *value.externals)
    return next((_BY_NAME[name] for name in names if name in _BY_NAME), None)


def called(ctx: CallContext, function: Value) -> Value | None:
    """Call a class of the table, in eager code; None for any other callable."""
    family = family_of(function)
    if family is None:
        return None
    made = Instance(ExternalName(family.names[0]), dict(ctx.args.kw), branch_id=ctx.interp.branch_id)
    for position, name in family.holders:
        given = ctx.args.get(position, name) if position >= 0 else ctx.args.kw.get(name)
        if given is not None:
            made.attrs[name] = given
    options = _options(made, family)
    if options is None:
        return made if isinstance(function, ExternalName) else None
    if family.call is not None:
        model = ctx.args.get(*family.call) or _produced(ctx, ctx.args.kw.get(family.factory))
        _compile(ctx, model, options)
    return made


def call_method(ctx: CallContext, receiver: Value, name: str) -> Value | None:
    """Call a compiling method of an instance of a class of the table; None for any other method."""
    family = family_of(receiver.cls) if isinstance(receiver, Instance) else None
    if family is None or not isinstance(receiver, Instance):
        return None
    if name == "unwrap_model":
        return module_wrappers.unwrapped(ctx.args.first)
    if name in family.methods:
        options = _options(receiver, family)
        given = [_compile(ctx, v, options) if options is not None else v for v in ctx.args.pos]
        return given[0] if len(given) == 1 else Seq("tuple", tuple(given))
    for step, hooks in family.steps:
        if step == name:
            _compile_steps(ctx, ctx.args.get(0, "model"), hooks)
    return UNKNOWN


def _produced(ctx: CallContext, factory: Value | None) -> Value | None:
    return None if factory is None or factory == NONE else ctx.call(factory, Args())


def _compile(ctx: CallContext, model: Value | None, options: dict[str, Value]) -> Value:
    """Note that ``model`` is compiled; return the compiled model."""
    if model is None or not any(is_nn_module(v) or isinstance(v, Unknown) for v in members(model)):
        return UNKNOWN if model is None else model
    return compile_functions.compile_(CallContext(ctx.interp, Args((model,), options), ctx.frame, ctx.node))


def _compile_steps(ctx: CallContext, model: Value | None, hooks: Iterable[str]) -> None:
    """Compile further methods of a compiled model that is passed to a trainer."""
    if (
        not isinstance(model, CompiledFunction)
        or not isinstance(model.reference, CompiledRef)
        or not isinstance(model.function, Instance)
    ):
        return
    inner = model.function
    for hook in hooks:
        found = ctx.interp.class_attribute(inner.cls, hook) if isinstance(inner.cls, Class) else None
        if isinstance(found, Function) and found.module.origin != "library":
            ctx.interp.note_compiled(
                ctx.frame, ctx.node, BoundMethod(found, inner), model.reference.compiled.options, "method"
            )


def _options(made: Instance, family: Family) -> dict[str, Value] | None:
    """Return the options of ``torch.compile`` for the options of an instance; None if nothing is compiled."""
    for _, name in family.holders:
        for holder in members(made.attrs.get(name, UNKNOWN)):
            inner = family_of(holder.cls) if isinstance(holder, Instance) else None
            found = _options(holder, inner) if inner is not None and isinstance(holder, Instance) else None
            if found is not None:
                return found
    if not any(made.attrs.get(name) == TRUE for name in family.switches) and not any(
        _names_something(made.attrs.get(name, NONE)) for name in family.choices
    ):
        return None
    given = {name: value for name in _REGION if (value := made.attrs.get(name, NONE)) not in (NONE, FALSE)}
    return {name: value for name, value in given.items() if isinstance(value, Const)}


def _names_something(value: Value) -> bool:
    """Return whether an option names a backend or mode: a string or an enum member other than "no"."""
    if isinstance(value, ExternalName):
        return value.name.rpartition(".")[2] not in _OFF
    if not isinstance(value, Const) or value.value is None:
        return False
    name = value.value.name if isinstance(value.value, objects.EnumMember) else value.value
    return isinstance(name, str) and name not in _OFF


def words_of(names: Iterable[str], value_of: Callable[[str], Value | None], source: str) -> Iterator[str]:
    """Yield the words in whose statements something may be compiled by an option: class and method names."""
    if any(word in source for word in COMPILE_OPTIONS):
        yield from (name for name in names if (value := value_of(name)) is not None and family_of(value) is not None)
        yield from ("prepare", *(name.rpartition(".")[2] for name in _BY_NAME))
    if "ightning" in source and "compile" in source:
        yield from (step for step, _ in _STEPS)
