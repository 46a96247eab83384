"""Stub files for the user to fill in when no call was found."""

from __future__ import annotations

import inspect
from typing import Any

from gblint.confirm.inputs.guesser import own_parameters, signature_of
from gblint.confirm.inputs.values import CallInputs

_HEAD = '''"""Inputs for {name}.

gblint could not find inputs.  Fill in the marked values, then run

    gblint confirm --entry {entry} --inputs-from THIS_MODULE:make
"""

import torch

from {module} import {imported}


def make():
    """The model (or function), the positional arguments and the keyword arguments of the call."""
'''


def stub_for(target: Any, owner: Any, method: str, call: CallInputs | None, stage: str, init: str) -> str:
    """Return the text of the file: known parts are written out, the rest are comments."""
    owner_or_target = owner or target
    owner_or_target = (
        owner_or_target
        if inspect.isclass(owner_or_target) or inspect.isroutine(owner_or_target)
        else type(owner_or_target)
    )
    name = getattr(owner_or_target, "__qualname__", "target")
    module = getattr(owner_or_target, "__module__", "your_module")
    entry = f"{module}:{name}" + (f".{method}" if method else "")
    text = _HEAD.format(name=entry, entry=entry, module=module, imported=name.partition(".")[0])
    lines: list[str] = []
    if owner is None and inspect.isroutine(target):
        lines.append(f"model = {name}")
        function: Any = target
    else:
        function = getattr(owner_or_target, method or "forward", owner_or_target)
        lines += _constructor(owner_or_target, name, call if stage != "inputs" else None, init)
        if method:
            lines.append(f"model = model.{method}")
    lines += _inputs(function, call if stage == "inputs" else None)
    lines.append("return model, args, kwargs")
    return text + "".join(f"    {line}\n" if line else "\n" for line in lines)


def _constructor(owner_or_target: Any, name: str, call: CallInputs | None, init: str) -> list[str]:
    """Return the lines that build the model."""
    if call is None and init:
        return [f"model = {init}"]
    known = dict(zip(call.names, call.values)) if call is not None else {}
    lines = [f"model = {name}("]
    parameters = {each.name: each for each in own_parameters(owner_or_target)}
    for each in signature_of(owner_or_target):
        if each.default is not each.empty and each.name not in known:
            continue
        guess = known.get(each.name)
        value = guess.source() if guess is not None else "..."
        note = parameters[each.name].annotation or parameters[each.name].doc[:60] if each.name in parameters else ""
        lines.append(f"    {each.name}={value},  # a guess, to be checked" + (f" ({note})" if note else ""))
    return [*lines, ")"]


def _inputs(function: Any, call: CallInputs | None) -> list[str]:
    """Return the lines that set the arguments."""
    parameters = {each.name: each for each in own_parameters(function)}
    lines = ["args = ()", "kwargs = {"]
    for each in signature_of(function):
        if each.name == "self":
            continue
        guess = call.get(each.name) if call is not None else None
        known = parameters.get(each.name)
        note = "" if known is None else known.annotation or known.doc[:60]
        shape_text = ", ".join(f"({', '.join(shape.dims)})" for shape in known.shapes) if known is not None else ""
        comment = "; ".join(filter(None, (note, f"shape {shape_text}" if shape_text else "")))
        if guess is not None:
            lines.append(
                f"    {each.name!r}: {guess.source()},  # a guess, to be checked" + (f" ({comment})" if comment else "")
            )
        elif each.default is each.empty:
            lines.append(f"    # {each.name!r}: ...,  # to be filled in" + (f": {comment}" if comment else ""))
        else:
            lines.append(f"    # {each.name!r}: ...,  # may be left out" + (f": {comment}" if comment else ""))
    return [*lines, "}"]
