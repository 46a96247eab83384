"""Models that transformers chooses by the name of a checkpoint: ``AutoModelForCausalLM.from_pretrained("gpt2")``.

The classes are those of the installed transformers.  The configuration of a checkpoint is not at hand; its type is
looked for in the name, as ``AutoConfig.from_pretrained`` does for a checkpoint whose configuration does not say it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.runtime import ast_origins
from gblint.values.base import Const, Value, members
from gblint.values.lattice import join_all
from gblint.values.objects import BoundMethod, Class, Instance

_MAPPING = "_model_mapping"
_SEPARATORS = "[-_. ]"


def chosen(interp: Interpreter, function: Value, node: ast.Call, args: Args, frame: Frame) -> Value | None:
    """Return the models that ``Auto... .from_pretrained(name)`` or ``.from_config(config)`` may make.

    None for any other call, and if the name does not tell the type.
    """
    cls = function.receiver if isinstance(function, BoundMethod) else None
    if not isinstance(cls, Class) or cls.module.origin == "user" or not node.args:
        return None
    names = _classes_by_type(cls)
    transformers = interp.project.find_module("transformers") if names else None
    if transformers is None:
        return None
    wanted = dict.fromkeys(filter(None, (names.get(each) for each in _types_of(interp, args.first, names))))
    for text in () if wanted else _texts(interp, node.args[0], frame):
        name = _named(text, names)
        if name:
            wanted[name] = None
    found = [interp.module_attribute(transformers, each) for each in wanted]
    made = [interp.any_instance(each) for each in found if isinstance(each, Class)]
    return join_all(made) if made else None


def _classes_by_type(cls: Class) -> dict[str, str]:
    """Return the names of the classes among which an ``Auto...`` class chooses, by the type of the model."""
    table = _assigned(cls.module.binding_table(cls.node).get(_MAPPING))
    bound = _assigned(cls.module.symbols.get(table.id)) if isinstance(table, ast.Name) else None
    if not isinstance(bound, ast.Call) or len(bound.args) != 2 or not isinstance(bound.args[1], ast.Name):
        return {}
    return dict(_pairs(cls.module, bound.args[1].id))


def _assigned(bindings: object) -> ast.expr | None:
    return getattr(bindings[-1], "value", None) if isinstance(bindings, (tuple, list)) and bindings else None


def _pairs(module: Module, name: str) -> Iterator[tuple[str, str]]:
    """Yield the constant pairs in ``NAME = OrderedDict([("gpt2", "GPT2LMHeadModel"), ...])``; the first of several."""
    value = _assigned(module.symbols.get(name))
    rows = value.args[0] if isinstance(value, ast.Call) and value.args else None
    for row in rows.elts if isinstance(rows, (ast.List, ast.Tuple)) else ():
        if isinstance(row, ast.Tuple) and len(row.elts) == 2 and isinstance(row.elts[0], ast.Constant):
            one = row.elts[1].elts[0] if isinstance(row.elts[1], ast.Tuple) and row.elts[1].elts else row.elts[1]
            if isinstance(one, ast.Constant):
                yield str(row.elts[0].value), str(one.value)


def _types_of(interp: Interpreter, config: Value | None, names: Mapping[str, str]) -> Iterator[str]:
    """Yield the type of the model of a configuration object."""
    for member in members(config) if config is not None else ():
        if isinstance(member, Instance) and isinstance(member.cls, Class):
            kind = interp.class_attribute(member.cls, "model_type")
            if isinstance(kind, Const) and str(kind.value) in names:
                yield str(kind.value)


def _texts(interp: Interpreter, node: ast.expr, frame: Frame) -> list[str]:
    """Return the strings from which an expression is made."""
    around = frame.module.tree if frame.function is None else frame.function.node
    found: dict[str, None] = {}
    for part in ast_origins.origins(around, [node]):
        for each in ast_origins.leaves(part):
            values = members(interp.eval(each, frame))
            found.update({v.value: None for v in values if isinstance(v, Const) and isinstance(v.value, str)})
    return list(found)


def _named(text: str, names: dict[str, str]) -> str:
    """Return the class whose name, or the longest name of whose type, is part of the name of a checkpoint."""
    for name in sorted(set(names.values()), key=len, reverse=True):
        if name in text:
            return name
    lower = text.lower()
    kinds = sorted(names, key=len, reverse=True)
    return next((names[kind] for kind in kinds if re.search(_pattern(kind), lower)), "")


def _pattern(kind: str) -> str:
    """Return the pattern of a type: ``gemma2`` is in ``gemma-2-9b``, but not in ``gemma-2b``."""
    parts = [re.escape(part) for part in re.findall(r"[a-z]+|[0-9]+", kind.lower())]
    end = r"(?![a-z0-9])" if parts and parts[-1].isdigit() else r"(?![a-z])"
    return rf"(?<![a-z0-9]){f'{_SEPARATORS}?'.join(parts)}{end}"
