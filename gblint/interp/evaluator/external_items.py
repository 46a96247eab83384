"""Items of objects without source: ``os.environ["HOME"]``, ``np.ogrid[-2:3]``, ``frame["name"]``."""

from __future__ import annotations

import ast
from typing import Final

from gblint.interp.domain import tensordicts, torch_records
from gblint.interp.models import external_calls
from gblint.interp.models.python import generic_aliases, type_slots
from gblint.interp.state.call_args import Args
from gblint.interp.state.call_context import CallContext
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.values.base import STR, UNKNOWN, Const, Tensor, Value
from gblint.values.containers import Seq
from gblint.values.objects import ExternalName, ExternalObject

_INDICES: Final = frozenset(("numpy.s_", "numpy.index_exp"))
_INDEXED: Final = _INDICES | {"numpy.mgrid", "numpy.ogrid", "numpy.r_", "numpy.c_"}


def of_name(interp: Interpreter, base: ExternalName, index: Value, frame: Frame, node: ast.AST) -> Value:
    """Return an item of an object that is known by its name, or a generic class with parameters."""
    if base.name == "sys.modules":
        name = index.value if isinstance(index, Const) else None
        return interp.module_value(name, frame.module) if isinstance(name, str) else UNKNOWN
    if base.name.startswith(("os.environ", "sys.")):
        return STR
    if base.name in _INDEXED:
        return _of_numpy(interp, base.name, index, frame, node)
    return generic_aliases.subscripted(interp, base, index, frame, node)


def _of_numpy(interp: Interpreter, name: str, index: Value, frame: Frame, node: ast.AST) -> Value:
    """Return the arrays of ``np.ogrid[...]``, or the index of ``np.s_[...]``; Dynamo traces neither."""
    interp.emit(frame, node, "call", name, ("inlining-of-skipped-function",))
    if name in _INDICES:
        return index
    array = Tensor(ndarray=True)
    if name == "numpy.ogrid" and isinstance(index, Seq) and index.items is not None:
        return Seq("tuple", (array,) * len(index.items))
    return array


def of_object(interp: Interpreter, base: ExternalObject, index: Value, frame: Frame, node: ast.AST) -> Value:
    """Return an item of an object without source; a fact about its ``__getitem__`` says whether Dynamo traces it."""
    record = torch_records.fields(base)
    if record is not None:
        return interp.get_item(Seq("tuple", record), index, frame, node)
    of_tensors = tensordicts.item(base, index)
    if of_tensors is not None:
        return of_tensors
    method = f"{base.cls}.__getitem__"
    if interp.knowledge.function(method) is not None:
        return external_calls.call(CallContext(interp, Args((index,)), frame, node), method)
    type_slots.refused(interp, "getitem", base, frame, node)
    return UNKNOWN
