"""Values of the options of runs: sizes and devices."""

from __future__ import annotations

import re

import click

_DEVICES = ("auto", "cpu", "cuda", "mps", "xpu")


def size(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    """Return the bytes of a size such as 8G; a callback for an option."""
    if value is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", value.strip(), re.IGNORECASE)
    if found is None or not float(found[1]):
        raise click.BadParameter(f"a size such as 8G is expected, not {value!r}")
    return int(float(found[1]) * 1024 ** " KMGT".index(found[2].upper() or " "))


def check_device(device: str) -> None:
    """Raise BadParameter if ``device`` is not the name of a device."""
    if device.partition(":")[0] not in _DEVICES:
        raise click.BadParameter(f"{device!r} is not one of {', '.join(_DEVICES)}", param_hint="--device")
