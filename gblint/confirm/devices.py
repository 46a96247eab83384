"""Device and backend of a run; this module imports torch inside its functions."""

from __future__ import annotations

import functools
import sys
from typing import Any

from gblint.confirm.failures import RunFailure

_NAMES = {"cuda": "CUDA", "mps": "MPS", "xpu": "XPU"}


def choose_device(wanted: str) -> str:
    """Return the device to use: ``wanted``, or for "auto" the first of cuda, xpu, mps and cpu that is available.

    Raises RunFailure if the device is not available.
    """
    import torch

    kind = wanted.partition(":")[0]
    if kind == "auto":
        return next((each for each in ("cuda", "xpu", "mps") if _available(each)), "cpu")
    if kind != "cpu" and not _available(kind):
        supported = kind != "cuda" or torch.version.cuda is not None or getattr(torch.version, "hip", None) is not None
        reason = "torch finds none" if supported else "it is built without CUDA"
        raise RunFailure(
            "missing", f"there is no {_NAMES.get(kind, kind)} device for torch {torch.__version__}: {reason}"
        )
    return wanted


def name_of(device: str) -> str:
    """Return the name of a device: "NVIDIA H200", "CPU"."""
    import torch

    kind = device.partition(":")[0]
    if kind in ("cuda", "xpu"):
        return str(getattr(torch, kind).get_device_name(torch.device(device)))
    return "Apple GPU" if kind == "mps" else kind.upper()


def accelerator_in_use() -> str:
    """Return the name of the accelerator that this process has used, or "CPU"."""
    return next((str(backend.get_device_name()) for backend in _initialized()), "CPU")


def synchronize() -> None:
    """Wait until the accelerator has finished its work."""
    for backend in _initialized():
        backend.synchronize()


def _initialized() -> list[Any]:
    torch = sys.modules.get("torch")
    backends = [getattr(torch, kind, None) for kind in ("cuda", "xpu")]
    return [each for each in backends if each is not None and each.is_available() and each.is_initialized()]


def replace_backend(backend: str) -> None:
    """Make every later ``torch.compile`` use ``backend``."""
    import torch

    real: Any = torch.compile

    @functools.wraps(real)
    def compile(*args: Any, **kwargs: Any) -> Any:
        # Modes and options belong to the original backend.
        kwargs.pop("mode", None)
        kwargs.pop("options", None)
        return real(*args, **{**kwargs, "backend": backend})

    torch.compile = compile


def _available(kind: str) -> bool:
    import torch

    if kind == "mps":
        return bool(torch.backends.mps.is_available())
    backend = getattr(torch, kind, None)
    return backend is not None and bool(backend.is_available())
