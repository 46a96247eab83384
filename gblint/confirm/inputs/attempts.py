"""One attempt to call the target, and the facts about its failure."""

from __future__ import annotations

import linecache
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from gblint.confirm.inputs.error_requests import Dtype, InputRequest, Rank, Size, UpperBound
from gblint.confirm.inputs.layers import TensorRequirement, layer_requirements
from gblint.confirm.inputs.values import CallInputs, GroupInput, InputPath, TensorInput

_ORIGIN = "_gblint_made_from"
_MAX_FRAMES = 40
MAX_TENSOR_ELEMENTS = 200_000_000


class SearchTimeout(BaseException):
    """Raised if the time for the whole search is over."""


class AttemptLimitExceeded(RuntimeError):
    """Raised if an attempt makes a tensor that is too large, or takes too long."""


@dataclass(frozen=True, slots=True)
class FailureFrame:
    """One frame of the stack at a failure; ``condition`` is the ``if`` around a ``raise``."""

    function: str
    line: str
    locals: Mapping[str, Any]
    scope: Mapping[str, Any]
    condition: str = ""


@dataclass(slots=True)
class AttemptFailure:
    """An error of an attempt.

    - ``progress``: number of operations that ran before.
    - ``suspects``: the arguments from which the inputs of the failing operation were computed.
    - ``ranks``: ranks of the input tensors of the failing operation.
    """

    error: BaseException
    message: str
    progress: int = 0
    frames: list[FailureFrame] = field(default_factory=list)
    suspects: frozenset[InputPath] = frozenset()
    ranks: tuple[int, ...] = ()

    @property
    def key(self) -> str:
        """A key that is equal for equal failures."""
        return f"{type(self.error).__name__}: {self.message[:200]} at {self.frames[-1].line if self.frames else ''}"


def dispatch_recorder(deadline: float, largest: int = MAX_TENSOR_ELEMENTS) -> Any:
    """Return a dispatch mode that counts operations, marks each tensor with the arguments it was made from, and
    enforces limits."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    class DispatchRecorder(TorchDispatchMode):  # type: ignore[no-untyped-call,unused-ignore]
        def __init__(self) -> None:
            super().__init__()  # type: ignore[no-untyped-call,unused-ignore]
            self.operations = 0
            self.origins: frozenset[InputPath] = frozenset()
            self.ranks: tuple[int, ...] = ()

        def __torch_dispatch__(self, function: Any, kinds: Any, args: Any = (), kwargs: Any = None) -> Any:
            if time.monotonic() > deadline:
                raise AttemptLimitExceeded("it takes longer than one attempt may take")
            self.origins = _origins(args, torch.Tensor).union(_origins(tuple((kwargs or {}).values()), torch.Tensor))
            self.ranks = tuple(each.dim() for each in args if isinstance(each, torch.Tensor))
            result = function(*args, **(kwargs or {}))
            self.operations += 1
            for each in result if isinstance(result, (tuple, list)) else (result,):
                if isinstance(each, torch.Tensor):
                    if each.numel() > largest:
                        raise AttemptLimitExceeded("it creates a tensor that is too large for an attempt")
                    if self.origins:
                        setattr(each, _ORIGIN, self.origins | getattr(each, _ORIGIN, frozenset()))
            return result

    return DispatchRecorder()


def warm_up() -> None:
    """Make torch load everything that the first dispatch mode needs, so that no attempt is charged for this time."""
    import torch

    with dispatch_recorder(time.monotonic() + 600):
        torch.nn.functional.relu(torch.zeros(2, 2) + 1)


def _origins(values: Any, kind: type) -> frozenset[InputPath]:
    """Return the arguments that the tensors in ``values`` were made from."""
    found: frozenset[InputPath] = frozenset()
    for each in values:
        if isinstance(each, kind):
            found |= getattr(each, _ORIGIN, frozenset())
        elif isinstance(each, (list, tuple)) and len(each) < 100:
            found |= _origins(each, kind)
    return found


def mark_origin(value: Any, made: Any, path: InputPath) -> None:
    """Mark each tensor of an argument with its path in the call."""
    if isinstance(made, TensorInput):
        try:
            setattr(value, _ORIGIN, frozenset([path]))
        except AttributeError:
            return
    elif isinstance(made, GroupInput):
        for index, item in enumerate(made.items):
            key = made.keys[index] if index < len(made.keys) else index
            try:
                inner = getattr(value, str(key)) if made.kind == "call" else value[key]
            except Exception:
                continue
            mark_origin(inner, item, (*path, index))


def attempt(run: Callable[[], Any], deadline: float, seconds: float) -> AttemptFailure | None:
    """Call ``run``; return None if it succeeded, else the failure.

    Raises :class:`SearchTimeout` after ``deadline``; one attempt may take ``seconds``.
    """
    now = time.monotonic()
    if now > deadline:
        raise SearchTimeout
    recorder = dispatch_recorder(min(deadline, now + seconds))
    try:
        with recorder:
            run()
    except (KeyboardInterrupt, SearchTimeout):
        raise
    except BaseException as error:
        return failure_of(error, recorder.operations, recorder.origins, recorder.ranks)
    return None


def failure_of(
    error: BaseException, operations: int = 0, origins: frozenset[InputPath] = frozenset(), ranks: tuple[int, ...] = ()
) -> AttemptFailure:
    """Return the facts about an error that was just caught."""
    frames = _frames(error.__traceback__)
    failure = AttemptFailure(error, str(error), operations, frames)
    in_operation = bool(frames) and frames[-1].function == "__torch_dispatch__"
    failure.suspects = origins if in_operation else _origins_in_frames(frames)
    failure.ranks = ranks if in_operation else ()
    failure.frames = [frame for frame in frames if frame.function != "__torch_dispatch__"]
    return failure


def _frames(traceback: TracebackType | None) -> list[FailureFrame]:
    """Return the frames of a traceback, innermost last."""
    frames: list[FailureFrame] = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        line = linecache.getline(code.co_filename, traceback.tb_lineno).strip()
        condition = _condition(code.co_filename, traceback.tb_lineno) if line.startswith("raise") else ""
        frame = traceback.tb_frame
        frames.append(FailureFrame(code.co_name, line, dict(frame.f_locals), frame.f_globals, condition))
        traceback = traceback.tb_next
    return frames[-_MAX_FRAMES:]


def _condition(path: str, number: int) -> str:
    """Return the ``if`` line above a line, or ""."""
    line = linecache.getline(path, number)
    indent = len(line) - len(line.lstrip())
    for above in range(number - 1, max(number - 12, 0), -1):
        line = linecache.getline(path, above)
        if line.strip() and len(line) - len(line.lstrip()) < indent:
            return line.strip() if line.lstrip().startswith(("if ", "elif ")) else ""
    return ""


def _origins_in_frames(frames: list[FailureFrame]) -> frozenset[InputPath]:
    """Return the arguments that the tensors named in the failing line (or else any in the frame) were made from."""
    for frame in reversed(frames[-4:]):
        words = set(_words(frame.line))
        named = [value for name, value in frame.locals.items() if name in words]
        found = _origins_of(named) or _origins_of(list(frame.locals.values()))
        if found:
            return found
    return frozenset()


def _origins_of(values: list[Any]) -> frozenset[InputPath]:
    """Return the arguments that local values were made from."""
    found: frozenset[InputPath] = frozenset()
    for value in values:
        try:
            found |= value.__dict__.get(_ORIGIN, frozenset())
        except AttributeError:
            if isinstance(value, (list, tuple)) and len(value) < 20:
                found |= _origins_of([each for each in value if not isinstance(each, (list, tuple))])
    return found


def _words(line: str) -> list[str]:
    import re

    return re.findall(r"[A-Za-z_]\w*", line)


def layer_requests(failure: AttemptFailure) -> list[InputRequest]:
    """Return the unmet requirements of the torch.nn layer in which a call failed."""
    import torch

    for frame in reversed(failure.frames):
        layer = frame.locals.get("self")
        if not isinstance(layer, torch.nn.Module):
            continue
        requirements = layer_requirements(layer)
        if requirements is None:
            return []
        found: list[InputRequest] = []
        for name, requirement in requirements.items():
            value = frame.locals.get(name)
            if isinstance(value, torch.Tensor):
                found += _unmet_requirements(value, requirement)
        return found
    return []


def _unmet_requirements(value: Any, requirement: TensorRequirement) -> list[InputRequest]:
    """Return the differences between a tensor and what the layer requires."""
    import torch

    found: list[InputRequest] = []
    dtype = str(value.dtype).removeprefix("torch.")
    if requirement.dtype == "int64" and value.dtype not in (torch.int64, torch.int32):
        found.append(Dtype("int64", dtype))
    elif requirement.dtype == "float32" and not (value.is_floating_point() or value.is_complex()):
        found.append(Dtype("float32", dtype))
    if requirement.high and dtype in ("int64", "int32") and value.numel() and int(value.max()) >= requirement.high:
        found.append(UpperBound(requirement.high))
    shape = tuple(value.shape)
    if len(shape) != len(requirement.shape) and not requirement.extra_leading:
        if requirement.dtype != "int64":
            found.append(Rank(len(shape), len(requirement.shape)))
        return found
    offset = len(shape) - len(requirement.shape)
    for index, size in enumerate(requirement.shape):
        if isinstance(size, int) and offset + index >= 0 and shape[offset + index] != size:
            found.append(
                Size(
                    shape[offset + index], size, index - len(requirement.shape) if requirement.extra_leading else index
                )
            )
    return found


def call_key(call: CallInputs) -> str:
    """Return a key that is equal for equal calls."""
    return call.arguments() + f"#{call.positional}"
