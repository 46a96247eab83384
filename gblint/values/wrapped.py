"""Functions under a decorator or an option, one class for each, like Dynamo's ``WrapperUserFunctionVariable``.

``function`` is the wrapped function. ``description`` is the text for messages and part of the keys of caches.
"""

from __future__ import annotations

from typing import ClassVar, Final, Literal

from gblint.runtime.lazy_dataclasses import dataclass
from gblint.values.base import UNKNOWN, Value
from gblint.values.objects import Toggle


@dataclass(frozen=True, slots=True)
class Wrapped(Value):
    """A function or a class under a decorator or an option."""

    description: ClassVar[str] = "wrapped"
    function: Value


# -- descriptors and what Python's library makes -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Property(Wrapped):
    """``property``, with its setter if it has one."""

    description: ClassVar[str] = "property"
    setter: Value | None = None


@dataclass(frozen=True, slots=True)
class CachedProperty(Wrapped):
    """``functools.cached_property``."""

    description: ClassVar[str] = "cached_property"


@dataclass(frozen=True, slots=True)
class SuperProperty(Wrapped):
    """A property that was read from ``super()``, which Dynamo does not call."""

    description: ClassVar[str] = "super-property"
    receiver: Value
    name: str


@dataclass(frozen=True, slots=True)
class StaticMethod(Wrapped):
    """``staticmethod``."""

    description: ClassVar[str] = "static"


@dataclass(frozen=True, slots=True)
class ClassMethod(Wrapped):
    """``classmethod``."""

    description: ClassVar[str] = "class"


@dataclass(frozen=True, slots=True)
class PartialMethod(Wrapped):
    """``functools.partialmethod``."""

    description: ClassVar[str] = "partialmethod"


@dataclass(frozen=True, slots=True)
class ContextManagerFactory(Wrapped):
    """``contextlib.contextmanager`` of a generator function."""

    description: ClassVar[str] = "contextmanager"


@dataclass(frozen=True, slots=True)
class GeneratorContextManager(Wrapped):
    """The object that a function under ``contextlib.contextmanager`` returns; ``function`` is the iterator in it."""

    description: ClassVar[str] = "entered"


@dataclass(frozen=True, slots=True)
class ContextDecorated(Wrapped):
    """A function under a context manager that serves as a decorator.

    ``manager`` is the name of the manager, ``cause`` the reason why a call breaks the graph. ``settings`` are the
    settings of Dynamo that the manager patches.
    """

    description: ClassVar[str] = "context-decorated"
    manager: str = ""
    cause: str = ""
    settings: tuple[tuple[str, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class GenericAlias(Wrapped):
    """``list[int]`` evaluated in the region; ``function`` is the class that is subscripted."""

    description: ClassVar[str] = "alias"


# -- options of Dynamo ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CompiledFunction(Wrapped):
    """``torch.compile(f)``; ``reference`` leads to the record of the compiled object."""

    description: ClassVar[str] = "compiled"
    reference: Value | None = None


@dataclass(frozen=True, slots=True)
class DisabledFunction(Wrapped):
    """``torch.compiler.disable(f)``.

    ``form`` is "recursive", "skip" for ``recursive=False``, "lazy" for ``torch._disable_dynamo`` and "copied" for a
    wrapper that has the attributes of a disabled function.
    """

    description: ClassVar[str] = "disabled"
    form: Literal["recursive", "skip", "lazy", "copied"] = "recursive"


@dataclass(frozen=True, slots=True)
class RunOnlyFunction(Wrapped):
    """``torch._dynamo.run(f)``: nothing new is compiled."""

    description: ClassVar[str] = "run"


@dataclass(frozen=True, slots=True)
class ForbiddenFunction(Wrapped):
    """A function that must not be called in a region.

    ``option`` is the qualified name of what forbids it; for ``set_stance`` the ``stance`` is in force in each call.
    """

    description: ClassVar[str] = "forbidden"
    option: str = "torch._dynamo.forbid_in_graph"
    stance: str = ""


@dataclass(frozen=True, slots=True)
class FunctionInGraph(Wrapped):
    """``torch.compiler.allow_in_graph(f)``, or a Triton operator: it enters the graph untraced."""

    description: ClassVar[str] = "in_graph"


@dataclass(frozen=True, slots=True)
class NonstrictFunction(Wrapped):
    """``torch._dynamo.nonstrict_trace(f)``."""

    description: ClassVar[str] = "nonstrict"


@dataclass(frozen=True, slots=True)
class LeafFunction(Wrapped):
    """``torch._dynamo.decorators.leaf_function(f)``."""

    description: ClassVar[str] = "leaf"


@dataclass(frozen=True, slots=True)
class ConstantFunction(Wrapped):
    """``torch.compiler.assume_constant_result(f)``."""

    description: ClassVar[str] = "constant"


@dataclass(frozen=True, slots=True)
class GradAndValue(Wrapped):
    """``torch.func.grad_and_value(f)``."""

    description: ClassVar[str] = "grad_and_value"


@dataclass(frozen=True, slots=True)
class NestedRegion(Wrapped):
    """``torch.compiler.nested_compile_region(f)``."""

    description: ClassVar[str] = "nested_region"


@dataclass(frozen=True, slots=True)
class ErrorOnGraphBreak(Wrapped):
    """``torch._dynamo.error_on_graph_break(...)(f)``."""

    description: ClassVar[str] = "error_on_graph_break"
    toggle: Toggle


# -- other parts of torch ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CustomOperator(Wrapped):
    """``torch.library.custom_op(...)(f)``."""

    description: ClassVar[str] = "custom_op"


@dataclass(frozen=True, slots=True)
class ScriptedFunction(Wrapped):
    """``torch.jit.script(f)``."""

    description: ClassVar[str] = "scripted"


@dataclass(frozen=True, slots=True)
class SingleDispatchFunction(Wrapped):
    """``functools.singledispatch(f)``."""

    description: ClassVar[str] = "singledispatch"


@dataclass(frozen=True, slots=True)
class ScriptedIfTracing(Wrapped):
    """``torch.jit.script_if_tracing(f)``."""

    description: ClassVar[str] = "scripted_if_tracing"


@dataclass(frozen=True, slots=True)
class JitTracedFunction(Wrapped):
    """``torch.jit.trace(f)``."""

    description: ClassVar[str] = "jit_traced"


@dataclass(frozen=True, slots=True)
class OpaqueFunction(Wrapped):
    """A function behind an object that Dynamo does not trace; ``maker`` is what makes it, such as ``numba.njit``."""

    description: ClassVar[str] = "opaque"
    maker: str = ""


@dataclass(frozen=True, slots=True)
class TritonKernel(Wrapped):
    """A kernel under ``triton.jit``.

    ``grid`` is that of ``kernel[grid]``; ``is_tuned`` is true under ``triton.autotune``; ``refused`` names what Dynamo
    does not support in the kernel's decorators.
    """

    description: ClassVar[str] = "triton"
    grid: Value = UNKNOWN
    is_tuned: bool = False
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Pullback(Wrapped):
    """The function that ``torch.func.vjp`` returns; ``from_region`` is true if the region called ``vjp``."""

    description: ClassVar[str] = "pullback"
    from_region: bool = False


# Removed by ``innermost_fn`` (torch/_dynamo/eval_frame.py) before a function is compiled or disabled.
OUTERMOST: Final = (CompiledFunction, DisabledFunction, RunOnlyFunction)
