"""Observe the results of functions by calling them: writes ``observed-V.json``, which the extractor merges.

    python tests/knowledge/observe_returns.py OUTPUT.json

Run it once per torch release, with that torch and numpy, on a copy of the file of the preceding release: names that
cannot be called, and modules, which are not tried at all, keep their entries.  Review every difference.
Every callable is tried with each of ``TEMPLATES`` on operands of three ranks and three dtypes. From the calls that work
the dtype (``same``, ``promote``, ...) and the rank (``same``, ``reduce``, ...) of the result are derived.
"""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

TEMPLATES = (
    "t; t,u; t,u,u; t,1; t,0; t,0.5; t,0,1; t,(0,); t,(0,1); t,2; t,-1; [t,u]; t,0,i; t,0,i,u; t,0,i,1.0; t,0,0,1; t,b;"
    " t,(4,); (2,2),1.0; t,b,1.0; t,b,u; b,t,u; t,(2,2); t,v; t,w; t,w,v; i,t; b; b,b; i,i; t,i; t,[i],u;"
    " t,0,i,u,'sum'; t,u,0.5; 3,4; 3;"
    " (3,4); 1.0; 0,1,5; 'ij,jk->ik',t,t; c; x4; x4,2; x4,2,2; x4,(2,2); x4,k4; x3,k3; x4,None,2.0; x5,2; x4,v4;"
    " t,ilab; q,q,q; x4,wi; f1,f1; ch; f0,f0; t,10,0,1; t,10; c,1; f1,4; t,dim=0"
).split("; ")
DTYPES = ("float", "int", "bool")
RANKS = (2, 1, 3)
SPLITTERS = re.compile(r"(chunk|split\w*|unbind|meshgrid|broadcast_tensors|broadcast_arrays)$")
SCALARS = {
    "NoneType": "none",
    "bool": "bool",
    "int": "int",
    "float": "float",
    "str": "str",
    "dtype": "dtype",
    "Size": "shape",
}

Seen = tuple[Any, ...]
Hits = list[tuple[int, str, Seen]]


def operands(rank: int, dtype: str) -> dict[str, torch.Tensor]:
    """Return the operands that templates use, by name; all are small and square."""
    torch.manual_seed(0)

    def tensor(*shape: int) -> torch.Tensor:
        values = torch.rand(*shape) * 2 + 0.1
        return {"float": values, "int": (values * 3).long(), "bool": values > 1.2}[dtype]

    shape = (4,) * rank
    return {
        "t": tensor(*shape), "u": tensor(*shape), "v": tensor(4), "w": tensor(4, 4),
        "i": torch.randint(0, 4, shape), "b": torch.rand(*shape) > 0.5, "c": torch.rand(*shape).to(torch.complex64),
        "x3": torch.rand(2, 4, 8), "x4": torch.rand(2, 4, 8, 8), "x5": torch.rand(2, 4, 8, 8, 8),
        "k3": torch.rand(4, 4, 3), "k4": torch.rand(4, 4, 3, 3), "v4": torch.rand(4, 1), "q": torch.rand(2, 2, 4, 4),
        "wi": torch.rand(2, 8, 8, 2) * 2 - 1, "ilab": torch.randint(0, 4, (4,)), "f1": torch.rand(16),
        "f0": torch.rand(4), "ch": torch.eye(4),
    }  # fmt: skip


def family(dtype: str) -> str:
    """Return the family of a dtype: ``int`` for int64."""
    found = re.match(r"(torch\.)?(bool|u?int|float|complex|bfloat)", dtype)
    return {"uint": "int", "bfloat": "float"}.get(found[2], found[2]) if found else "float"


def describe(value: Any) -> Seen:
    """Describe a value: ("T", dtype family, rank), ("(", ...), ("[", ...) or the name of its type."""
    if isinstance(value, torch.Tensor):
        return ("T", family(str(value.dtype)), value.dim())
    if isinstance(value, (np.ndarray, np.generic)):
        return ("T", family(str(value.dtype)), value.ndim)
    if isinstance(value, torch.Size):
        return ("Size",)
    if isinstance(value, (tuple, list)):
        return ("(" if isinstance(value, tuple) else "[", *map(describe, value))
    return (type(value).__name__,)


def observe(call: Callable[[str], str | None], scope: dict[str, Any], arrays: bool) -> dict[str, Hits]:
    """Return the results of the templates that work, by template."""
    found: dict[str, Hits] = {}
    for template in TEMPLATES:
        code = call(template)
        if code is None:
            continue
        for rank in RANKS:
            for dtype in DTYPES:
                names: dict[str, Any] = dict(operands(rank, dtype))
                if arrays:
                    names = {name: value.numpy() for name, value in names.items()}
                try:
                    seen = describe(eval(code, scope, names))
                except Exception:
                    continue
                found.setdefault(template, []).append((rank, dtype, seen))
        if len(found) >= 4:
            break
    return found


def tensor_returns(hits: Hits) -> str:
    """Return the text of a fact for calls that all returned one tensor."""
    pairs = {(dtype, seen[1]) for _, dtype, seen in hits}
    operand_dtypes, out = {a for a, _ in pairs}, {b for _, b in pairs}
    dtype = ""
    if len(out) == 1 and (len(operand_dtypes) > 1 or out != operand_dtypes):
        dtype = next(iter(out))
    elif all(a == b for a, b in pairs):
        dtype = "same"
    elif ("float", "float") in pairs and ("bool", "int") in pairs and len(out) == 2:
        dtype = "number"
    elif {b for a, b in pairs if a == "float"} == {"float"}:
        dtype = "same"
    ranks = {(rank, seen[2]) for rank, _, seen in hits}
    steps, ends = {b - a for a, b in ranks}, {b for _, b in ranks}
    rank = ""
    if len({a for a, _ in ranks}) > 1:
        named = {0: "same", 1: "+1", -1: "-1"}
        rank = named.get(next(iter(steps)), "") if len(steps) == 1 else str(next(iter(ends))) if len(ends) == 1 else ""
    inside = dtype + (f";{rank}" if rank else "")
    return f"tensor[{inside}]" if inside else "tensor"


def returns(hits: Hits) -> str:
    """Return the text of a fact for the results of one template; empty if nothing can be derived."""
    kinds = {seen[0] for _, _, seen in hits}
    if len(kinds) != 1:
        return ""
    kind = next(iter(kinds))
    if kind == "T":
        return tensor_returns(hits)
    if kind not in ("(", "["):
        return SCALARS.get(kind, "")
    counts = {len(seen) - 1 for _, _, seen in hits}
    if kind == "(" and len(counts) == 1:
        count = next(iter(counts))
        parts = [returns([(rank, dtype, seen[k + 1]) for rank, dtype, seen in hits]) for k in range(count)]
        if count > 3 and len(set(parts)) == 1:
            return f"({parts[0]}...)"
        return f"({','.join(parts)})" if all(parts) else ""
    item = returns([(rank, dtype, part) for rank, dtype, seen in hits for part in seen[1:]])
    return "" if not item else f"({item}...)" if kind == "(" else f"[{item}]"


def binary(text: str, name: str, call: Callable[[str], str | None], scope: dict[str, Any]) -> str:
    """Correct ``same`` to ``promote`` and ``broadcast`` if the operands may differ."""
    code = call("m,n")
    if code is None or not text.startswith("tensor["):
        return text
    integers, floats, scalar = torch.ones(4, 4).long(), torch.rand(4, 4), torch.tensor(1.0)
    for first, change in ((integers, ("[same", "[promote")), (scalar, (";same]", ";broadcast]"))):
        try:
            value = describe(eval(code, scope, {"m": first, "n": floats, "t": first}))
        except Exception:
            continue
        if value[0] == "T" and ((first is integers and value[1] == "float") or (first is scalar and value[2] == 2)):
            text = text.replace("[number", "[same").replace(*change) if first is integers else text.replace(*change)
    return text


def summary(name: str, call: Callable[[str], str | None], scope: dict[str, Any], arrays: bool) -> str:
    """Return a summary of the results of ``name`` over all templates, or an empty string."""
    found = observe(call, scope, arrays)
    if not found:
        return ""
    first, hits = next(iter(found.items()))
    text = returns(hits)
    if name.endswith("_") and text.startswith("tensor") and not arrays:
        return "arg0" if "." in name else "self"
    reduced = returns(found.get("t,0") or found.get("t,1") or found.get("t,dim=0") or [])
    if first == "t" and text.startswith("tensor[") and text.endswith(";0]") and reduced:
        if reduced.startswith("("):
            return f"{text}|{re.sub(r';[^],]*', ';reduce', reduced)}"
        return text.replace(";0]", ";reduce]")
    if first == "t" and text.startswith("(") and reduced == text.replace(";0]", ";-1]"):
        return text.replace(";0]", ";reduce]")
    if first.startswith("t,"):
        text = binary(text, name, call, scope)
    if SPLITTERS.search(name) and text.startswith("("):
        text = "(" + text.strip("().").split("),")[0].split("],")[0].rstrip("].") + "]...)"
    return text


def subjects() -> Iterator[tuple[str, str, Callable[[str], str | None], bool]]:
    """Yield (section, name, a function that makes the call, whether it takes arrays)."""
    for module in ("torch", "torch.nn.functional", "torch.linalg", "torch.fft", "torch.special"):
        yield from _functions(module, eval(module), arrays=False)
    for module in ("numpy", "numpy.fft", "numpy.linalg"):
        yield from _functions(module, eval(module.replace("numpy", "np")), arrays=True)
    for name in dir(torch.Tensor):
        if not name.startswith("_") and callable(getattr(torch.Tensor, name)):
            yield "tensor_methods", name, lambda template, name=name: _method_call(template, name), False


def _functions(module: str, source: Any, arrays: bool) -> Iterator[tuple[str, str, Callable[[str], str | None], bool]]:
    danger = re.compile(
        r"^_|^set|^use_|save|load|seed|fork|wait|compile|from_file|(^|_)init|print|import_ir|tofile|show|test$|info$"
    )
    for name in dir(source):
        value = getattr(source, name)
        if danger.search(name) or not callable(value):
            continue
        if isinstance(value, type) and not issubclass(value, np.generic):
            continue
        yield "functions", f"{module}.{name}", lambda template, name=name: f"{module}.{name}({template})", arrays


def _method_call(template: str, name: str) -> str | None:
    receiver, _, rest = template.partition(",")
    return f"{receiver}.{name}({rest})" if receiver in ("t", "i", "b", "c", "ch", "m") else None


def main(output: Path) -> None:
    """Observe all callables and write the results."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    scope = {"torch": torch, "numpy": np}
    before = json.loads(output.read_text(encoding="utf-8")) if output.exists() else {}
    texts: dict[str, dict[str, str]] = {
        section: {name: text for text, names in groups.items() for name in names.split()}
        for section, groups in {"functions": {}, "tensor_methods": {}, **before}.items()
    }
    for section, name, call, arrays in subjects():
        text = summary(name, call, scope, arrays)
        if text:
            texts[section][name] = text.replace("tensor", "ndarray") if arrays else text
    output.write_text(json.dumps({s: grouped(t) for s, t in texts.items()}, indent=1) + "\n", encoding="utf-8")


def grouped(texts: dict[str, str]) -> dict[str, str]:
    """Return the names by text, in the format of the data file."""
    groups: dict[str, list[str]] = {}
    for name, text in texts.items():
        groups.setdefault(text, []).append(name)
    return {text: " ".join(sorted(names)) for text, names in sorted(groups.items())}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
