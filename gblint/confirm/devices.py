"""The device that a run is to use, and the backend; torch is imported here."""

from __future__ import annotations

import functools
import sys
from typing import Any

from gblint.confirm.failures import RunFailure

DEVICES = ("auto", "cpu", "cuda", "mps", "xpu")
_NAMES = {"cuda": "CUDA", "mps": "MPS", "xpu": "XPU"}


def choose_device(wanted: str) -> str:
    """The device to use: ``wanted``, or with "auto" the best there is.  Raises Failure if it is not there."""
    import torch

    kind = wanted.partition(":")[0]
    if kind == "auto":
        return next((each for each in ("cuda", "xpu", "mps") if _available(each)), "cpu")
    if kind != "cpu" and not _available(kind):
        built = kind != "cuda" or torch.version.cuda is not None or getattr(torch.version, "hip", None) is not None
        why = "torch sees none" if built else "it is built without CUDA"
        raise RunFailure("missing", f"there is no {_NAMES.get(kind, kind)} device for torch {torch.__version__}: {why}")
    return wanted


def name_of(device: str) -> str:
    """What a device is called: "NVIDIA H200", "CPU"."""
    import torch

    kind = device.partition(":")[0]
    if kind in ("cuda", "xpu"):
        return str(getattr(torch, kind).get_device_name(torch.device(device)))
    return "Apple GPU" if kind == "mps" else kind.upper()


def accelerator_in_use() -> str:
    """The name of the accelerator that this process has used, else "CPU"."""
    return next((str(backend.get_device_name()) for backend in _initialized()), "CPU")


def synchronize() -> None:
    """Wait until the accelerator has done what it was given."""
    for backend in _initialized():
        backend.synchronize()


def _initialized() -> list[Any]:
    torch = sys.modules.get("torch")
    backends = [getattr(torch, kind, None) for kind in ("cuda", "xpu")]
    return [each for each in backends if each is not None and each.is_available() and each.is_initialized()]


def replace_backend(backend: str) -> None:
    """Let every ``torch.compile`` from now on use ``backend``."""
    import torch

    real: Any = torch.compile

    @functools.wraps(real)
    def compile(*args: Any, **kwargs: Any) -> Any:
        # The modes and options are those of the backend that is not used.
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
