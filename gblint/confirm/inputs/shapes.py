"""Shapes in docstrings, comments and annotations."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from gblint.confirm.inputs.target_facts import Shape

_DIM = r"(?:[A-Za-z_*][\w.]*|\d+)(?:\s*(?:\*|/{1,2}|\+|-)\s*(?:[A-Za-z_][\w.]*|\d+))*"
_BRACKETS = re.compile(rf"(?P<head>\bTensor)?\s*[(\[{{]\s*(?P<dims>{_DIM}(?:\s*,\s*{_DIM})*)\s*,?\s*[)\]}}]")
# A name has no x, so that there is one way only to divide a text such as CxHxW.
_FACTOR = r"(?:[A-Z][a-wyzA-WYZ0-9_]{0,3}|\d+)"
_TIMES = re.compile(rf"\(?\b(?P<dims>{_FACTOR}(?:\s*[xX×]\s*{_FACTOR})+)\b\)?")
_SPACED = re.compile(r"[(\[]\s*(?P<dims>[a-zA-Z]\w{0,8}(?:\s+[a-zA-Z]\w{0,8}){1,5})\s*[)\]]")
_NOT_DIMENSIONS = frozenset(
    "optional Optional Tensor tensor torch.Tensor int str float bool list tuple dict default None True False e.g i.e "
    "string array ndarray callable or and of the a Union List Tuple Dict nn.Module Module function object required "
    "LongTensor FloatTensor x1 y1 x2 y2 torch.LongTensor torch.FloatTensor".split()
)
_INTEGERS = re.compile(r"\b(?:[Ll]ong ?[Tt]ensor|int64|torch\.long|int32|token ids|ids|indices|LongTensor|IntTensor)\b")
_BOOLEANS = re.compile(r"\b(?:[Bb]ool ?[Tt]ensor|torch\.bool|[Bb]oolean|BoolTensor)\b")
_JAXTYPING_DTYPES = {
    "Int": "int64",
    "Int64": "int64",
    "Integer": "int64",
    "Long": "int64",
    "Int32": "int32",
    "UInt8": "uint8",
    "Bool": "bool",
    "Complex": "complex64",
    "Float64": "float64",
}


def in_text(text: str, origin: str) -> Iterator[Shape]:
    """Yield the shapes in a text, in order."""
    dtype = dtype_in(text)
    for match in _BRACKETS.finditer(text):
        dims = tuple(part.strip() for part in match["dims"].split(","))
        # A single name in brackets is rarely a shape.
        alone = len(dims) == 1 and not match["head"] and "shape" not in text and "[" not in match[0]
        if alone or len(dims) > 6 or not all(_is_dim(dim) for dim in dims):
            continue
        yield Shape(dims, dtype, origin)
    for match in _TIMES.finditer(text):
        yield Shape(tuple(re.split(r"\s*[xX×]\s*", match["dims"])), dtype, origin)
    for match in _SPACED.finditer(text):
        dims = tuple(match["dims"].split())
        if all(len(dim) <= 2 for dim in dims):
            yield Shape(dims, dtype, origin)


def dtype_in(text: str) -> str:
    """Return the dtype that a text mentions, or ""."""
    if _BOOLEANS.search(text):
        return "bool"
    return "int64" if _INTEGERS.search(text) else ""


def in_annotation(text: str) -> Iterator[Shape]:
    """Yield the shapes in an annotation: ``Float[Tensor, "b c h w"]``, ``TensorType["b", 4]``."""
    try:
        tree = ast.parse(text.strip().strip("'\""), mode="eval")
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Subscript):
            continue
        head = ast.unparse(node.value).rpartition(".")[2]
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        last = parts[-1]
        if len(parts) == 2 and isinstance(last, ast.Constant) and isinstance(last.value, str) and head != "Literal":
            dims = tuple(word.rpartition("=")[2].lstrip("#") for word in last.value.split())
            if dims and not any(word.startswith(("*", "...")) for word in dims):
                yield Shape(dims, _JAXTYPING_DTYPES.get(head, "float32"), "annotation")
        elif head == "TensorType":
            yield Shape(tuple(ast.unparse(part).strip("'\"") for part in parts), "", "annotation")


def in_pattern(pattern: str) -> Shape | None:
    """Return the shape on the left side of an einops pattern; a group in parentheses is one dimension."""
    left = pattern.partition("->")[0].strip()
    if "..." in left or not left:
        return None
    dims = re.findall(r"\([^)]*\)|\S+", left)
    return Shape(tuple(dims), "", "einops")


def _is_dim(text: str) -> bool:
    return (
        text not in _NOT_DIMENSIONS
        and text.rstrip("s") not in _NOT_DIMENSIONS
        and len(text) <= 40
        and "..." not in text
    )
