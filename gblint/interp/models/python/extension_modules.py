"""Calls into extension modules of installed packages, which Dynamo cannot trace: they have no Python code.

Dynamo calls no function of such a module (GB0007; GB0156 for one that Cython made), creates no object of its classes
and calls no method of one (GB0156: torch/_dynamo/variables/user_defined.py, ``call_method``).  It reads attributes.
"""

from __future__ import annotations

import sys

from gblint.interp.state.call_context import CallContext
from gblint.interp.state.interpreter import Interpreter
from gblint.knowledge.catalog import EXCEPTIONS

_KNOWN = frozenset((*sys.stdlib_module_names, "torch", "numpy", "optree"))
"""Packages about whose functions there are facts and models, or which Dynamo replaces by functions in Python.

It does this for ``optree`` (torch/_dynamo/polyfills/pytree.py).
"""

COMPILED_PACKAGES = frozenset(
    "Levenshtein editdistance faiss h5py msgpack orjson pyarrow pycocotools pywt safetensors sentencepiece shapely "
    "soundfile tiktoken tokenizers zstandard".split()
)
"""Packages whose functions and methods end in compiled code; what they do is known where they are not installed.

Measured under torch 2.13 with tokenizers 0.23, tiktoken, sentencepiece, PyWavelets, faiss-cpu and the others.
"""


def check_call(ctx: CallContext, name: str) -> None:
    """Report the call of a function, a class or a method that an extension module defines."""
    if not ctx.frame.mode.tracing or name.endswith(EXCEPTIONS):
        return
    module = _extension(ctx.interp, name)
    if module:
        is_function = name.count(".") == module.count(".") + 1 and not name.rpartition(".")[2][:1].isupper()
        causes = ("call-of-skipped-function",) if is_function else ("unsupported-method-call",)
        ctx.emit("call", name, causes, likely=module in COMPILED_PACKAGES)


def _extension(interp: Interpreter, name: str) -> str:
    """Return the extension module that defines the object with this qualified name; empty if none does."""
    root = name.partition(".")[0]
    if root in _KNOWN:
        return ""
    if root in COMPILED_PACKAGES and not interp.import_exists(root):
        return root
    module = name.rpartition(".")[0]
    while module:
        kind = interp.project.module_exists(module)
        if kind != "missing":
            return module if kind == "extension" else ""
        module = module.rpartition(".")[0]
    return ""
