"""One attempt: a call under watch, and what is known of its failure."""

from __future__ import annotations

import linecache
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from gblint.confirm.inputs.error_requests import Dtype, InputRequest, Rank, Size, UpperBound
from gblint.confirm.inputs.layers import TensorRequirement, layer_requirements
from gblint.confirm.inputs.recipes import CallRecipe, GroupRecipe, RecipePath, TensorRecipe

_MARK = "_gblint_made_from"
_MOST_FRAMES = 40
MAX_TENSOR_ELEMENTS = 200_000_000


class SearchTimeout(BaseException):
    """The time for the whole search is up."""


class AttemptLimitExceeded(RuntimeError):
    """An attempt that makes larger tensors, or takes longer, than a try may."""


@dataclass(frozen=True, slots=True)
class FailureFrame:
    """One level of the stack at a failure; ``condition`` is the ``if`` around a ``raise``."""

    function: str
    line: str
    locals: Mapping[str, Any]
    scope: Mapping[str, Any]
    condition: str = ""


@dataclass(slots=True)
class AttemptFailure:
    """An error and what led to it.

    ``progress`` is how many operations ran before; ``suspects`` are the arguments that the failing one was made from;
    ``ranks`` are those of the tensors that it got.
    """

    error: BaseException
    message: str
    progress: int = 0
    frames: list[FailureFrame] = field(default_factory=list)
    suspects: frozenset[RecipePath] = frozenset()
    ranks: tuple[int, ...] = ()

    @property
    def key(self) -> str:
        """The same for failures that are the same."""
        return f"{type(self.error).__name__}: {self.message[:200]} at {self.frames[-1].line if self.frames else ''}"


def dispatch_recorder(until: float, largest: int = MAX_TENSOR_ELEMENTS) -> Any:
    """A mode of torch that counts operations, remembers what each was made from, and stops what takes too long."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    class Watch(TorchDispatchMode):  # type: ignore[no-untyped-call,unused-ignore]
        def __init__(self) -> None:
            super().__init__()  # type: ignore[no-untyped-call,unused-ignore]
            self.operations = 0
            self.sources: frozenset[RecipePath] = frozenset()
            self.ranks: tuple[int, ...] = ()

        def __torch_dispatch__(self, function: Any, kinds: Any, args: Any = (), kwargs: Any = None) -> Any:
            if time.monotonic() > until:
                raise AttemptLimitExceeded("it takes longer than a try may")
            self.sources = _sources(args, torch.Tensor).union(_sources(tuple((kwargs or {}).values()), torch.Tensor))
            self.ranks = tuple(each.dim() for each in args if isinstance(each, torch.Tensor))
            result = function(*args, **(kwargs or {}))
            self.operations += 1
            for each in result if isinstance(result, (tuple, list)) else (result,):
                if isinstance(each, torch.Tensor):
                    if each.numel() > largest:
                        raise AttemptLimitExceeded("it makes a tensor that is too large for a try")
                    if self.sources:
                        setattr(each, _MARK, self.sources | getattr(each, _MARK, frozenset()))
            return result

    return Watch()


def warm_up() -> None:
    """Let torch load what it loads when it is first watched: that is no part of any attempt's time."""
    import torch

    with dispatch_recorder(time.monotonic() + 600):
        torch.nn.functional.relu(torch.zeros(2, 2) + 1)


def _sources(values: Any, kind: type) -> frozenset[RecipePath]:
    found: frozenset[RecipePath] = frozenset()
    for each in values:
        if isinstance(each, kind):
            found |= getattr(each, _MARK, frozenset())
        elif isinstance(each, (list, tuple)) and len(each) < 100:
            found |= _sources(each, kind)
    return found


def mark_origin(value: Any, recipe: Any, path: RecipePath) -> None:
    """Note on each tensor of an argument which part of the call it is."""
    if isinstance(recipe, TensorRecipe):
        try:
            setattr(value, _MARK, frozenset([path]))
        except AttributeError:
            return
    elif isinstance(recipe, GroupRecipe):
        for index, item in enumerate(recipe.items):
            key = recipe.keys[index] if index < len(recipe.keys) else index
            try:
                inner = getattr(value, str(key)) if recipe.kind == "call" else value[key]
            except Exception:
                continue
            mark_origin(inner, item, (*path, index))


def attempt(run: Callable[[], Any], until: float, seconds: float) -> AttemptFailure | None:
    """Call ``run``; ``None`` if it came through.

    Raises :class:`SearchTimeout` once ``until`` has passed; one attempt gets ``seconds``.
    """
    now = time.monotonic()
    if now > until:
        raise SearchTimeout
    watch = dispatch_recorder(min(until, now + seconds))
    try:
        with watch:
            run()
    except (KeyboardInterrupt, SearchTimeout):
        raise
    except BaseException as error:
        return failure_of(error, watch.operations, watch.sources, watch.ranks)
    return None


def failure_of(
    error: BaseException, operations: int = 0, sources: frozenset[RecipePath] = frozenset(), ranks: tuple[int, ...] = ()
) -> AttemptFailure:
    """What is known of an error that was caught just now."""
    frames = _frames(error.__traceback__)
    failure = AttemptFailure(error, str(error), operations, frames)
    in_operation = bool(frames) and frames[-1].function == "__torch_dispatch__"
    failure.suspects = sources if in_operation else _in_locals(frames)
    failure.ranks = ranks if in_operation else ()
    failure.frames = [frame for frame in frames if frame.function != "__torch_dispatch__"]
    return failure


def _frames(traceback: TracebackType | None) -> list[FailureFrame]:
    frames: list[FailureFrame] = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        line = linecache.getline(code.co_filename, traceback.tb_lineno).strip()
        condition = _condition(code.co_filename, traceback.tb_lineno) if line.startswith("raise") else ""
        frame = traceback.tb_frame
        frames.append(FailureFrame(code.co_name, line, dict(frame.f_locals), frame.f_globals, condition))
        traceback = traceback.tb_next
    return frames[-_MOST_FRAMES:]


def _condition(path: str, number: int) -> str:
    """The ``if`` that a line stands under."""
    line = linecache.getline(path, number)
    indent = len(line) - len(line.lstrip())
    for above in range(number - 1, max(number - 12, 0), -1):
        line = linecache.getline(path, above)
        if line.strip() and len(line) - len(line.lstrip()) < indent:
            return line.strip() if line.lstrip().startswith(("if ", "elif ")) else ""
    return ""


def _in_locals(frames: list[FailureFrame]) -> frozenset[RecipePath]:
    """The arguments that the tensors named in the failing line, or else in the frame, come from."""
    for frame in reversed(frames[-4:]):
        words = set(_words(frame.line))
        named = [value for name, value in frame.locals.items() if name in words]
        found = _marks(named) or _marks(list(frame.locals.values()))
        if found:
            return found
    return frozenset()


def _marks(values: list[Any]) -> frozenset[RecipePath]:
    found: frozenset[RecipePath] = frozenset()
    for value in values:
        try:
            found |= value.__dict__.get(_MARK, frozenset())
        except AttributeError:
            if isinstance(value, (list, tuple)) and len(value) < 20:
                found |= _marks([each for each in value if not isinstance(each, (list, tuple))])
    return found


def _words(line: str) -> list[str]:
    import re

    return re.findall(r"[A-Za-z_]\w*", line)


def layer_requests(failure: AttemptFailure) -> list[InputRequest]:
    """What the layer of torch.nn in which a call failed has to say of its own arguments."""
    import torch

    for frame in reversed(failure.frames):
        layer = frame.locals.get("self")
        if not isinstance(layer, torch.nn.Module):
            continue
        wanted = layer_requirements(layer)
        if wanted is None:
            return []
        found: list[InputRequest] = []
        for name, need in wanted.items():
            value = frame.locals.get(name)
            if isinstance(value, torch.Tensor):
                found += _differences(value, need)
        return found
    return []


def _differences(value: Any, need: TensorRequirement) -> list[InputRequest]:
    import torch

    found: list[InputRequest] = []
    dtype = str(value.dtype).removeprefix("torch.")
    if need.dtype == "int64" and value.dtype not in (torch.int64, torch.int32):
        found.append(Dtype("int64", dtype))
    elif need.dtype == "float32" and not (value.is_floating_point() or value.is_complex()):
        found.append(Dtype("float32", dtype))
    if need.high and dtype in ("int64", "int32") and value.numel() and int(value.max()) >= need.high:
        found.append(UpperBound(need.high))
    shape = tuple(value.shape)
    if len(shape) != len(need.shape) and not need.open:
        if need.dtype != "int64":
            found.append(Rank(len(shape), len(need.shape)))
        return found
    offset = len(shape) - len(need.shape)
    for index, size in enumerate(need.shape):
        if isinstance(size, int) and offset + index >= 0 and shape[offset + index] != size:
            found.append(Size(shape[offset + index], size, index - len(need.shape) if need.open else index))
    return found


def call_key(call: CallRecipe) -> str:
    """What two calls share exactly when they are the same."""
    return call.arguments() + f"#{call.positional}"
