"""Models that libraries choose by a name: ``AutoModelForCausalLM.from_pretrained("gpt2")``, ``timm.create_model``.

The classes are those of the installed library.  The configuration of a checkpoint of transformers is not at hand; its
type is looked for in the name, as ``AutoConfig.from_pretrained`` does for a checkpoint whose configuration does not say
it.  The names of timm are those of functions that its modules register.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator, Mapping

from gblint.interp.domain import default_flags, reach
from gblint.interp.state.call_args import Args
from gblint.interp.state.frame import Frame
from gblint.interp.state.interpreter import Interpreter
from gblint.project.modules import Module
from gblint.runtime import ast_origins
from gblint.values.base import UNKNOWN, Const, Value, members
from gblint.values.lattice import join, join_all
from gblint.values.objects import BoundMethod, Class, Function, Instance

_MAPPING = "_model_mapping"
_SEPARATORS = "[-_. ]"
# The arguments that choose the class, by name.
_CHOOSING = ("config", "pretrained_model_name_or_path")
_TIMM_MODELS = "timm.models"
# ``AutoConfig`` chooses among the classes of this table; since 5.0 it is in a module of its own.
_CONFIGURATIONS = "AutoConfig"
_NAMES_OF_CONFIGURATIONS = "CONFIG_MAPPING_NAMES"
_TYPES_OF_CONFIGURATIONS = "transformers.models.auto.auto_mappings"
# Parameters of ``timm.create_model`` that do not change the class; some of them are not passed on.
_ABOUT_WEIGHTS = frozenset(
    (
        "model_name",
        "pretrained",
        "pretrained_cfg",
        "pretrained_cfg_overlay",
        "checkpoint_path",
        "cache_dir",
        "scriptable",
        "exportable",
        "no_jit",
    )
)


def of_transformers(interp: Interpreter, function: Value, node: ast.Call, args: Args, frame: Frame) -> Value | None:
    """Return what an ``Auto...`` class of transformers makes.

    These are the models that ``from_pretrained(name)`` or ``from_config(config)`` may make, and the configuration of
    ``AutoConfig.for_model(type)``. None for any other call, and if the name does not tell the type.
    """
    cls = function.receiver if isinstance(function, BoundMethod) else None
    if not isinstance(cls, Class) or cls.module.origin == "user":
        return None
    if cls.name == _CONFIGURATIONS and isinstance(node.func, ast.Attribute) and node.func.attr == "for_model":
        return _configuration(interp, cls, node, args, frame)
    names = _classes_by_type(cls)
    transformers = interp.project.find_module("transformers") if names else None
    if transformers is None:
        return None
    keyword = next((each for each in node.keywords if each.arg in _CHOOSING), None)
    config = args.kw.get(keyword.arg or "") if keyword is not None else args.first
    wanted = dict.fromkeys(filter(None, (names.get(each) for each in _types_of(interp, config, names))))
    choosing = [*node.args[:1], *([keyword.value] if keyword is not None else [])]
    for text in () if wanted or not choosing else _texts(interp, choosing[-1], frame):
        name = _named(text, names)
        if name:
            wanted[name] = None
    found = [interp.module_attribute(transformers, each) for each in wanted]
    classes = [each for each in found if isinstance(each, Class)]
    known = [each for each in members(config or UNKNOWN) if isinstance(each, Instance)]
    if len(classes) == len(known) == 1:
        made = interp.call(classes[0], Args((known[0],)), frame, node)
        return made if known[0] is config else join(made, UNKNOWN)
    return join_all([interp.any_instance(each) for each in classes]) if classes else None


def _configuration(interp: Interpreter, cls: Class, node: ast.Call, args: Args, frame: Frame) -> Value | None:
    """Return the configuration that ``AutoConfig.for_model(type, **options)`` makes; None if the type is unknown.

    If the type is an option, the configuration is that of its default, or another one.
    """
    given = args.get(0, "model_type") or UNKNOWN
    kind = reach.usual(given)
    transformers = interp.project.find_module("transformers")
    homes = [cls.module, *filter(None, [interp.project.find_module(_TYPES_OF_CONFIGURATIONS)])]
    names = dict(pair for home in homes for pair in _pairs(home, _NAMES_OF_CONFIGURATIONS))
    if transformers is None or not isinstance(kind, Const) or kind.value not in names:
        return None
    made = interp.module_attribute(transformers, names[str(kind.value)])
    options = {key: value for key, value in args.kw.items() if key != "model_type"}
    if not isinstance(made, Class):
        return None
    value = interp.call(made, Args((), options, None, args.kwstar), frame, node)
    return value if kind is given else join(value, UNKNOWN)


def of_timm(interp: Interpreter, function: Value, args: Args, frame: Frame, node: ast.Call) -> Value | None:
    """Return the model that ``timm.create_model(name)`` makes; None for other calls, and if the name is unknown.

    If the name is an option, the model is that of its default, or another one.
    """
    if not isinstance(function, Function) or function.name != "create_model" or function.module.origin == "user":
        return None
    models = interp.project.find_module(_TIMM_MODELS) if function.module.name == f"{_TIMM_MODELS}._factory" else None
    name = args.get(0, "model_name") or UNKNOWN
    given = [default_flags.of(each) for each in members(reach.usual(name) or name)]
    names = [each.value for each in given if each is not None and isinstance(each.value, str)]
    if models is None or not names:
        return None
    is_option = not all(isinstance(each, Const) for each in members(name))
    made: list[Value] = [UNKNOWN] if is_option else []
    for each in names:
        entry = _registered(interp, models, each.rpartition("/")[2].partition(".")[0])
        if entry is None:
            return None
        options = {key: value for key, value in args.kw.items() if key not in _ABOUT_WEIGHTS}
        made.append(interp.call(entry, Args((), options, None, args.kwstar), frame, node))
    return join_all(made)


def _registered(interp: Interpreter, package: Module, name: str) -> Function | None:
    """Return the function of this name in a module of a package."""
    for each in interp.project.submodules(package) if name.isidentifier() else ():
        module = interp.project.find_module(f"{package.name}.{each}")
        if module is not None and module.contains(f"def {name}("):
            found = interp.module_attribute(module, name)
            return found if isinstance(found, Function) else None
    return None


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
    return next((names[kind] for kind in kinds if re.search(_pattern(kind, names), lower)), "")


def _pattern(kind: str, names: Container[str]) -> str:
    """Return the pattern of a type: ``gemma2`` is in ``gemma-2-9b``, but not in ``gemma-2b``.

    A letter before a number is a size: ``dinov3-vits16`` is of the type ``dinov3_vit``, and not of ``vits``.
    """
    parts = [re.escape(part) for part in re.findall(r"[a-z]+|[0-9]+", kind.lower())]
    exact = (parts and parts[-1].isdigit()) or kind[:-1] in names
    end = r"(?![a-z0-9])" if exact else r"(?![a-z](?![0-9]))"
    return rf"(?<![a-z0-9]){f'{_SEPARATORS}?'.join(parts)}{end}"
